"""How good a summary is: similarity to its source and fluency (appendix A.3)."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import torch

from ealm import embedded
from ealm.batching import rows_by_length
from ealm.edits import Masked
from ealm.errors import LanguageModelError
from ealm.masked_lm import MaskedLM
from ealm.quiet import quiet_transformers

_TOKEN_BUDGET = 4_096


class Similarity(Protocol):
    """Semantic similarity of a summary to its source (sim), between 0 and 1."""

    def __call__(self, sources: Sequence[str], summaries: Sequence[str]) -> list[float]:
        """One value for each pair; an empty summary has similarity 0."""
        ...


class SentenceSimilarity:
    """Cosine of sentence embeddings, clipped to [0, 1]."""

    def __init__(self, model: Any) -> None:
        """`model` is a `SentenceTransformer`."""
        self._model = model

    @classmethod
    def load(
        cls, name_or_folder: str | os.PathLike[str] = embedded.NAME, *, device: str = "cpu"
    ) -> "SentenceSimilarity":
        """The embedded MiniLM, or any sentence-transformers model by hub name or folder."""
        from sentence_transformers import SentenceTransformer

        wanted = str(name_or_folder)
        folder = str(embedded.encoder_folder()) if wanted == embedded.NAME else wanted
        try:
            with quiet_transformers():
                model = SentenceTransformer(
                    folder,
                    device=device,
                    local_files_only=Path(folder).is_dir(),
                    model_kwargs={"use_safetensors": True},
                )
        except Exception as error:  # the library raises many kinds here
            raise LanguageModelError(
                f"No sentence-similarity model can be loaded from {wanted}. Give --similarity a folder or hub name of "
                f"the sentence-transformers library, or leave it out. ({' '.join(str(error).split())[:300]})"
            ) from error
        return cls(model)

    def __call__(self, sources: Sequence[str], summaries: Sequence[str]) -> list[float]:
        texts = [*sources, *summaries]
        vectors = self._model.encode(texts, convert_to_tensor=True, normalize_embeddings=True, show_progress_bar=False)
        cosines = (vectors[: len(sources)] * vectors[len(sources) :]).sum(dim=1).clamp(0, 1).tolist()
        return [cosine if summary else 0.0 for cosine, summary in zip(cosines, summaries, strict=True)]


def fluencies(lm: MaskedLM, summaries: Sequence[Sequence[int]]) -> list[float]:
    """exp(mean log P(y_i | y without i)) of each summary, between 0 and 1 (appendix A.3).

    Words unknown to the language model have no probability and are left out of the mean;
    a summary without a known word has fluency 0.
    """
    questions = [
        (number, place, Masked((), tuple(None if at == place else word for at, word in enumerate(summary))))
        for number, summary in enumerate(summaries)
        for place, word in enumerate(summary)
        if word != lm.unknown_id
    ]
    totals, counts = [0.0] * len(summaries), [0] * len(summaries)
    for rows in rows_by_length([len(question) for _, _, question in questions], _TOKEN_BUDGET):
        batch = [questions[row] for row in rows]
        log_probabilities = lm.predict([question for _, _, question in batch]).log_softmax(dim=-1)
        own = torch.tensor([summaries[number][place] for number, place, _ in batch], device=log_probabilities.device)
        for (number, _, _), value in zip(batch, log_probabilities.gather(1, own[:, None])[:, 0].tolist(), strict=True):
            totals[number] += value
            counts[number] += 1
    return [math.exp(total / count) if count else 0.0 for total, count in zip(totals, counts, strict=True)]
