"""What is measured on: a language model of the embedded default's shape, and an agent trained on it for a moment."""

from dataclasses import replace

import numpy as np
import torch

from benchmarks.text import sentences
from ealm.common.config import IgnoredWordsSettings, Settings
from ealm.lm.adapt.start import BARE_ENCODER, StartingPoint
from ealm.lm.cloze import Masked
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.ignored_words import IgnoredWords
from ealm.summarize.summarizer import Summarizer
from ealm.text.corpus import Corpus, SkippedLines
from ealm.text.words import split_words
from ealm.training.paper_trainer import PaperTrainer

SETTINGS = replace(Settings(), ignored_words=IgnoredWordsSettings(infrequent="none"))
"""The paper's settings. The invented text has no infrequent words, so only stop words are ignored."""


def language_model(folder: str | None = None, *, fit_steps: int = 0, engine: str = "torch") -> TransformersMaskedLM:
    """The model in a folder, or the embedded encoder with a new head, fitted to the invented text for some steps.

    Fitting does not change the cost of a question, but how much is recovered, and so how many questions are needed.
    """
    if folder is not None:
        return TransformersMaskedLM.load(folder, engine=engine)
    torch.manual_seed(0)
    start = StartingPoint.load(BARE_ENCODER)
    lm = TransformersMaskedLM(
        start.model, start.tokenizer, name=f"embedded encoder, fitted for {fit_steps} steps", engine=engine
    )
    _fit(lm, fit_steps)
    return lm


def _fit(lm: TransformersMaskedLM, steps: int) -> None:
    """Masked-LM training on sentence pairs as the converter asks them: words that are left, then the holes."""
    optimizer = torch.optim.AdamW(lm.model.parameters(), lr=5e-4)
    texts, generator = sentences(2_000, (10, 40), seed=8), np.random.default_rng(0)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 5e-4 * (1 - step / steps)
        questions, answers = [], []
        for text in generator.choice(texts, size=12):
            ids = lm.word_ids(split_words(str(text)))
            hidden = generator.random(len(ids)) < generator.uniform(0.1, 0.6)
            left = tuple(word for word, gone in zip(ids, hidden, strict=True) if not gone)
            template = tuple(None if gone else word for word, gone in zip(ids, hidden, strict=True))
            questions.append(Masked(left, template))
            answers += [word for word, gone in zip(ids, hidden, strict=True) if gone]
        inputs = lm.inputs(questions)
        holes = inputs["input_ids"] == lm.mask_id
        logits = lm.model.cls(lm.model.base_model(**inputs)[0][holes])
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(logits, torch.tensor(answers)).backward()
        optimizer.step()


def trained_summarizer(lm: TransformersMaskedLM, updates: int) -> Summarizer:
    """A summarizer whose agent has learned for so many updates, exploring for the first half of them.

    Similarity and fluency are left out of the reward: they cost much and are not what is measured.
    """
    schedule = {"decay": "0.9", "every": str(max(1, updates // 64))}
    quick = {"rewards.similarity_weight": "0", "rewards.fluency_weight": "0", "learning.target_period": "50"}
    for kind in ("action_exploration", "order_exploration"):
        quick |= {f"{kind}.{name}": value for name, value in schedule.items()}
    texts = [split_words(text) for text in sentences(400, (10, 30), seed=1)]
    corpus = Corpus(tuple(texts), SkippedLines(), len(texts))
    trainer = PaperTrainer(lm=lm, corpus=corpus, settings=SETTINGS.override(quick), similarity=None, seed=0)
    while trainer.updates < updates:
        if trainer.pending_updates:
            trainer.update()
        else:
            trainer.collect()
    agent = trainer.result().build()
    return Summarizer.from_parts(agent, lm, ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS)


def texts_of_length(count: int, length: int, *, seed: int = 2) -> list[str]:
    """Sentences of one length."""
    return sentences(count, (length, length), seed=seed)


def rng(seed: int = 0) -> np.random.Generator:
    """A generator of our own, so that a figure does not depend on what ran before it."""
    return np.random.default_rng(seed)
