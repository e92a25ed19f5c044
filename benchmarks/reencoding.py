"""`python -m benchmarks.reencoding CORPUS`: does it pay to look at the draft again on the way?

The default agent looks at a sentence once and plans from that. Here it also stops on the way, once or twice, takes what
is left for a sentence, looks at that, and plans on; beside it, for comparison, stops without a look. Judged by how far
the drafts are from the best draft of their length (no reference is looked at), and by time.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np
import numpy.typing as npt
import torch

from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.planning import EstimatedScores
from ealm.goal_agent.potential import Floats, best_selection
from ealm.goal_agent.potential_terms import PotentialModel, sentence_potential
from ealm.goal_agent.word_importance import ImportanceModel
from ealm.lm import bundled as embedded
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.assessment import SentenceSimilarity
from ealm.paper.encodings import source_encoder
from ealm.paper.source import Source
from ealm.summarize.saved_agent import SavedAgent
from ealm.text.corpus import read_corpus

WAYS = ((1, False), (2, False), (2, True), (3, False), (3, True))
"""Stages, and whether the agent looks again between them."""
SHARES = (0.2, 0.35, 0.5)

Places = npt.NDArray[np.intp]


class Planner:
    """The default agent's plans, with as many looks as wanted."""

    def __init__(self, saved: SavedAgent) -> None:
        agent = saved.build().eval()
        assert isinstance(agent, GoalAgent)
        self.terms = saved.settings.goal.potential
        self.lm = TransformersMaskedLM.load(saved.lm_name)
        self._ignored = saved.ignored_words
        self._look = source_encoder(saved.settings, self.lm, device="cpu")
        self._estimated = EstimatedScores(agent)

    def drafts(
        self, sentences: Sequence[tuple[str, ...]], goals: Sequence[int], stages: int, *, look_again: bool
    ) -> list[Places]:
        """The places that are left of each sentence after stages that remove as many words each."""
        left = [np.arange(len(words)) for words in sentences]
        worths = self._worths(sentences)
        for stage in range(1, stages + 1):
            texts = [tuple(words[place] for place in places) for words, places in zip(sentences, left, strict=True)]
            if look_again and stage > 1:
                worths = self._worths(texts)
            for row, (text, goal) in enumerate(zip(texts, goals, strict=True)):
                size = round(len(text) - (len(text) - goal) / (stages - stage + 1))
                kept = best_selection(sentence_potential(text, worths[row], self.terms), size)
                left[row], worths[row] = left[row][kept], worths[row][kept]
        return left

    def _worths(self, texts: Sequence[tuple[str, ...]]) -> list[Floats]:
        sources = [Source.prepare(words, self.lm, self._ignored) for words in texts]
        return self._estimated(texts, self._look(sources))


def main() -> None:
    """Plan with one look and with several, and print what is lost."""
    parser = argparse.ArgumentParser(prog="benchmarks.reencoding", description=__doc__)
    parser.add_argument("corpus", type=Path, help="sentences, one a line, that the agent was not trained on")
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--pretokenized", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("reencoding.json"))
    options = parser.parse_args()
    saved = SavedAgent.load(embedded.agent_folder())
    planner = Planner(saved)
    settings = saved.settings.override({"data.pretokenized": str(options.pretokenized).lower()}).data
    found = read_corpus(options.corpus, settings=settings, longest=planner.lm.max_words, seed=0).sentences
    sentences = found[:: max(1, len(found) // options.sentences)][: options.sentences]
    importance = ImportanceModel(SentenceSimilarity.load(embedded.NAME))
    potentials = PotentialModel(planner.terms, importance).potentials(sentences)
    rows = []
    for stages, look_again in WAYS:
        lost = []
        start = time.perf_counter()
        for share in SHARES:
            goals = [max(1, round(share * len(words))) for words in sentences]
            drafts = planner.drafts(sentences, goals, stages, look_again=look_again)
            for potential, goal, places in zip(potentials, goals, drafts, strict=True):
                kept = np.isin(np.arange(len(potential.unary)), places)
                lost.append(float(potential.value(best_selection(potential, goal)) - potential.value(kept)))
        seconds = time.perf_counter() - start
        rows.append({"stages": stages, "looks again": look_again, "short of best": mean(lost), "seconds": seconds})
        print(json.dumps(rows[-1]), flush=True)
    options.out.write_text(json.dumps({"sentences": len(sentences), "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
