"""Training of the goal agent: it learns, stops and resumes, and its walks make summaries."""

import copy
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from fakes import TableMaskedLM

from ealm.common.config import READER, Settings
from ealm.goal_agent.agent import GoalAgent
from ealm.summarize.saved_agent import SavedAgent
from ealm.summarize.summarizer import Summarizer
from ealm.text.corpus import Corpus, SkippedLines
from ealm.training.goal_trainer import GoalTrainer

CUES = {f"cue{number}": f"follower{number}" for number in range(6)}
OTHERS = [f"other{number}" for number in range(6)]
SETTINGS = READER.override(
    {
        "ignored_words.infrequent": "none",
        "goal.potential.adjacency": "1",
        "goal.agent.sees": "words",
        "goal.agent.hidden_units": "24",
        "goal.learning.replay_walks": "60",
        "goal.learning.sentences_per_collection": "4",
        "goal.learning.updates_per_collection": "4",
        "goal.learning.target_period": "10",
        "action_exploration.every": "1",
    }
)


def sentences(number: int = 25) -> tuple[tuple[str, ...], ...]:
    rng = np.random.default_rng(0)
    words = [*CUES, *CUES.values(), *OTHERS]
    return tuple(tuple(str(w) for w in rng.choice(words, size=int(rng.integers(3, 9)))) for _ in range(number))


def followers_matter(sources: Sequence[str], drafts: Sequence[str]) -> list[float]:
    """Followers carry the meaning, cues a little, other words nothing."""

    def content(text: str) -> float:
        return sum({"f": 1.0, "c": 0.3}.get(word[0], 0.0) for word in text.split())

    return [content(draft) / max(1.0, content(source)) for source, draft in zip(sources, drafts, strict=True)]


def trainer_of(settings: Settings = SETTINGS, *, seed: int = 0) -> GoalTrainer:
    corpus = Corpus(sentences(), SkippedLines(), 25)
    lm = TableMaskedLM(CUES, OTHERS)
    return GoalTrainer(lm=lm, corpus=corpus, settings=settings, similarity=followers_matter, seed=seed)


def advance(trainer: GoalTrainer, steps: int) -> None:
    for _ in range(steps):
        trainer.update() if trainer.pending_updates else trainer.collect()


def same_state(one: GoalTrainer, other: GoalTrainer) -> bool:
    (tensors, values), (other_tensors, other_values) = one.state(), other.state()
    return (
        values == other_values
        and tensors.keys() == other_tensors.keys()
        and all(torch.equal(tensor, other_tensors[name]) for name, tensor in tensors.items())
    )


def short_of_best(trainer: GoalTrainer) -> float:
    return float(np.mean([walk.measures["short_of_best"] for walk in trainer.collect()]))


def test_walks_come_close_to_the_best_selection() -> None:
    trainer = trainer_of()
    before = np.mean([short_of_best(trainer) for _ in range(5)])
    while trainer.updates < 600:
        trainer.update() if trainer.pending_updates else trainer.collect()
    after = np.mean([short_of_best(trainer) for _ in range(5)])
    assert after < 0.25 * before


@pytest.mark.slow
@pytest.mark.parametrize("steps", [7, 33, 90])
def test_a_run_that_is_stopped_goes_on_as_if_it_had_not_been(steps: int) -> None:
    undisturbed, first, second = trainer_of(), trainer_of(), trainer_of()
    advance(undisturbed, 120)
    advance(first, steps)
    second.restore(*copy.deepcopy(first.state()))
    advance(second, 120 - steps)
    assert same_state(undisturbed, second)


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    runs = [trainer_of(seed=seed) for seed in (0, 0, 1)]
    for run in runs:
        advance(run, 40)
    assert same_state(runs[0], runs[1])
    assert not same_state(runs[0], runs[2])


def test_words_of_a_sentence_are_measured_once() -> None:
    asked = 0

    def counted(sources: Sequence[str], drafts: Sequence[str]) -> list[float]:
        nonlocal asked
        asked += len(set(sources))
        return followers_matter(sources, drafts)

    corpus = Corpus(sentences(), SkippedLines(), 25)
    trainer = GoalTrainer(lm=TableMaskedLM(CUES, OTHERS), corpus=corpus, settings=SETTINGS, similarity=counted, seed=0)
    for _ in range(20):  # 80 visits to 25 sentences
        trainer.collect()
    assert asked == len(set(sentences()))


@pytest.mark.slow
def test_the_result_is_an_agent_that_summarizes_to_any_length(tmp_path: Path) -> None:
    trainer = trainer_of()
    while trainer.updates < 300:
        trainer.update() if trainer.pending_updates else trainer.collect()
    trainer.result().save(tmp_path)
    saved = SavedAgent.load(tmp_path)
    agent = saved.build()
    assert isinstance(agent, GoalAgent)
    lm = TableMaskedLM(CUES, OTHERS)
    summarizer = Summarizer.from_parts(agent, lm, ignored_words=saved.ignored_words, settings=saved.settings)
    text = "other1 cue2 follower3 other4 follower5 other2"
    for words in range(1, 7):
        summary = summarizer.summarize(text, words=words, pretokenized=True).summary
        assert len(summary.split()) == words
    assert summarizer.summarize(text, words=2, pretokenized=True).summary == "follower3 follower5"
    assert len(summarizer.curve(text, pretokenized=True)) == 6
    kept = summarizer.summarize(text, words=2, pretokenized=True, keep=["other1"]).summary
    assert "other1" in kept.split()


def test_a_term_that_needs_a_similarity_model_says_so() -> None:
    corpus = Corpus(sentences(), SkippedLines(), 25)
    with pytest.raises(ValueError, match="needs a similarity model"):
        GoalTrainer(lm=TableMaskedLM(CUES, OTHERS), corpus=corpus, settings=SETTINGS, similarity=None, seed=0)
