"""The agent really learns: on a toy language whose best return is found by trying every walk."""

from functools import cache

import numpy as np
import pytest
from fakes import TableMaskedLM

from ealm.common.config import Settings
from ealm.paper.agent import Agent
from ealm.paper.converter import Converter
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.paper.rewards import Assessment, walk_rewards
from ealm.paper.rollout import walk
from ealm.paper.source import Source
from ealm.paper.step_search import ConversionCache, WalkEndSearch, run_searches
from ealm.text.corpus import Corpus, SkippedLines
from ealm.training.paper_trainer import PaperTrainer

LENGTH = 6
CUES = {f"cue{number}": f"follower{number}" for number in range(12)}
OTHERS = [f"other{number}" for number in range(12)]

SETTINGS = Settings().override(
    {
        "ignored_words.stop_words": "false",
        "ignored_words.infrequent": "none",
        "rewards.top_k": "1",
        "rewards.min_reconstruction": "0.9",  # a single word that cannot be recovered is too much
        "rewards.similarity_weight": "0",
        "rewards.fluency_weight": "0",
        "learning.replay_size": "1000",
        "learning.batch_size": "64",
        "learning.target_period": "50",
        "action_exploration.every": "10",
        "order_exploration.every": "10",
        "action_exploration.decay": "0.98",
        "order_exploration.decay": "0.98",
    }
)


def toy_sentence(rng: np.random.Generator) -> tuple[str, ...]:
    """Two or three cues with their followers, other words between them."""
    chosen = rng.choice(list(CUES), size=int(rng.integers(2, 4)), replace=False)
    parts = [[cue, CUES[cue]] for cue in chosen]
    others = rng.choice(OTHERS, size=LENGTH - 2 * len(parts), replace=False)
    parts += [[other] for other in others]
    rng.shuffle(parts)
    return tuple(str(word) for part in parts for word in part)


def best_return(sentence: tuple[str, ...]) -> float:
    """The greatest sum of rewards that any walk can have, by trying them all."""
    rewards = SETTINGS.rewards

    def recovered(actions: str) -> float:
        kept = [action == "k" for action in actions]
        cued = [place > 0 and CUES.get(sentence[place - 1]) == sentence[place] for place in range(LENGTH)]
        return sum(kept[p] or (cued[p] and kept[p - 1]) for p in range(LENGTH)) / LENGTH

    @cache
    def value(actions: str) -> float:
        """Best sum from here; `actions` has one letter a word: undecided, keep, remove or replace."""
        step = LENGTH - actions.count("u") + 1
        if step > LENGTH:
            return 0.0
        options = []
        for place in (p for p in range(LENGTH) if actions[p] == "u"):
            for action in "krx":
                after = actions[:place] + action + actions[place + 1 :]
                done = after.replace("u", "k")
                length, previous = LENGTH - done.count("r"), LENGTH - actions.count("r")
                gone, rebuilt = 1 - length / LENGTH, recovered(done)
                shared = step * step / LENGTH * gone * rebuilt  # r_SA, once for each step up to this one
                violated = (
                    gone <= step * rewards.min_compression / LENGTH + 1e-9
                    or rebuilt <= 1 - step * (1 - rewards.min_reconstruction) / LENGTH + 1e-9
                )
                own = 1 - length / previous
                if violated:
                    options.append(-1 + shared)
                elif step == LENGTH:
                    options.append(own + shared)
                else:
                    options.append(own + value(after))
        return max(options)

    return value("u" * LENGTH)


def returns(agent: Agent, lm: TableMaskedLM, sentences: list[tuple[str, ...]]) -> float:
    """Mean sum of rewards of the agent's own walks."""
    ignored = IgnoredWords(SETTINGS.ignored_words)
    sources = [Source.prepare(sentence, lm, ignored) for sentence in sentences]
    walks = walk(agent, lm.encode([source.ids for source in sources]))
    searches = [
        WalkEndSearch(source, path, SETTINGS.rewards, ConversionCache(1 << 20))
        for source, path in zip(sources, walks, strict=True)
    ]
    run_searches(searches, Converter(lm))
    total = 0.0
    for end in (search.end for search in searches):
        last = end.last_step
        assert last.reconstruction_rate is not None
        assessment = Assessment(last.step, LENGTH, last.compression_rate, last.reconstruction_rate, 0.0, False)
        total += sum(
            walk_rewards(end.summary_lengths, violated=end.violated, assessment=assessment, settings=SETTINGS.rewards)
        )
    return total / len(sentences)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_training_reaches_nine_tenths_of_the_best_return_on_unseen_sentences(seed: int) -> None:
    lm = TableMaskedLM(CUES, OTHERS)
    rng = np.random.default_rng(100 + seed)
    sentences = [toy_sentence(rng) for _ in range(3_040)]
    seen, unseen = sentences[:3_000], [s for s in sentences[3_000:] if s not in sentences[:3_000]]
    trainer = PaperTrainer(
        lm=lm, corpus=Corpus(tuple(seen), SkippedLines(), len(seen)), settings=SETTINGS, similarity=None, seed=seed
    )
    while trainer.updates < 2_000:
        trainer.update() if trainer.pending_updates else trainer.collect()
    best = sum(best_return(sentence) for sentence in unseen) / len(unseen)
    untrained = returns(new_agent(lm.width, SETTINGS.agent, seed), lm, unseen)
    trained = returns(trainer.result().build(), lm, unseen)
    print(f"seed {seed}: best possible {best:.3f}, trained {trained:.3f}, untrained {untrained:.3f}")
    assert trained >= 0.9 * best
    assert trained > untrained + 0.5 * best
