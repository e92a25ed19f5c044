"""`python -m benchmarks.ablation CORPUS --weighed FILE`: what each piece of the agent that is told a length brings.

Every variant changes one thing of the preset `reader` and learns for the same number of updates, with the same seeds.
It is judged by sentences that nobody learned from: how far the drafts of its walks and of its plans are from the best
draft of their length (no reference is looked at), and, with --data, by ROUGE of its walks and plans at 8 words.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import numpy.typing as npt
import torch

from ealm.common.config import READER, Settings
from ealm.evaluation.data import read_paired
from ealm.evaluation.rouge import LENGTH, mean_scores, score
from ealm.goal_agent.planning import EstimatedScores
from ealm.goal_agent.potential import SentencePotential, best_selection
from ealm.goal_agent.potential_terms import PotentialModel, sentence_potential
from ealm.goal_agent.rollout import goal_walks
from ealm.goal_agent.word_importance import ImportanceModel, WordImportance, load_importance, sentence_key
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.rollout import Walk
from ealm.paper.source import Source
from ealm.summarize.summarizer import Summarizer
from ealm.text.corpus import Corpus, SkippedLines, read_corpus
from ealm.training.goal_trainer import GoalTrainer

VARIANTS: dict[str, dict[str, str]] = {
    "reader": {},
    "sees words by the language model": {"goal.agent.sees": "words"},
    "does not learn what words are worth": {"goal.agent.estimates": "false"},
    "learns it without dropout": {"goal.learning.dropout": "0"},
    "does not see its neighbours in the draft": {"goal.agent.neighbours": "false"},
    "does not see the draft as a whole": {"goal.agent.draft": "false"},
    "does not know its position": {"goal.agent.position": "false"},
    "one head instead of dueling": {"goal.agent.dueling": "false"},
    "single instead of double Q": {"goal.learning.double": "false"},
    "returns of three steps": {"goal.learning.n_step": "3"},
    "returns of ten steps": {"goal.learning.n_step": "10"},
    "every walk as often": {"goal.learning.priority": "0"},
    "a buffer of 500 walks": {"goal.learning.replay_walks": "500"},
    "exploration by noise": {"goal.learning.exploration": "noise"},
}
_SHARES = (0.2, 0.35, 0.5)
_WORDS = 8


def main() -> None:
    """Train all variants with all seeds, and print a table."""
    parser = argparse.ArgumentParser(prog="benchmarks.ablation", description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--weighed", type=Path, required=True, help="what `ealm word-importance` wrote for the corpus")
    parser.add_argument("--pretokenized", action="store_true")
    parser.add_argument("--heldout", type=int, default=200, help="sentences that are not learned from")
    parser.add_argument("--updates", type=int, default=2_000)
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--data", type=Path, help="folder with input.txt and ref0.txt, for ROUGE")
    parser.add_argument("--sentences", type=int, default=500, help="of the data")
    parser.add_argument("--only", help="variants whose names contain one of these, by commas")
    parser.add_argument("--out", type=Path, default=Path("ablation.json"))
    options = parser.parse_args()
    settings = READER.override({"data.pretokenized": str(options.pretokenized).lower()})
    lm = TransformersMaskedLM.load("embedded")
    weighed = load_importance(options.weighed, "embedded")
    learned, heldout = _split(options.corpus, settings, lm, weighed, options.heldout)
    rows = {}
    for name, changes in VARIANTS.items():
        if options.only and not any(part in name for part in options.only.split(",")):
            continue
        found = []
        for seed in map(int, options.seeds.split(",")):
            trainer = _trained(settings.override(changes), learned, lm, weighed, seed, options.updates)
            found.append({**_judged(trainer, heldout, weighed), **_rouge(trainer, lm, options)})
            print(name, seed, json.dumps(found[-1]), flush=True)
        rows[name] = found
        options.out.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    _print(rows)


def _split(
    path: Path, settings: Settings, lm: TransformersMaskedLM, weighed: dict[int, WordImportance], heldout: int
) -> tuple[Corpus, Corpus]:
    """What is learned from, and what is not; sentences that were not weighed are left out."""
    corpus = read_corpus(path, settings=settings.data, longest=lm.max_words, seed=0)
    known = [words for words in corpus.sentences if sentence_key(words) in weighed]
    return _corpus(known[heldout:]), _corpus(known[:heldout])


def _corpus(sentences: Sequence[tuple[str, ...]]) -> Corpus:
    return Corpus(tuple(sentences), SkippedLines(), len(sentences))


def _no_similarity(_sources: Sequence[str], _drafts: Sequence[str]) -> list[float]:
    raise AssertionError("everything was weighed beforehand")


def _trained(
    settings: Settings,
    corpus: Corpus,
    lm: TransformersMaskedLM,
    weighed: dict[int, WordImportance],
    seed: int,
    updates: int,
) -> GoalTrainer:
    trainer = GoalTrainer(
        lm=lm, corpus=corpus, settings=settings, similarity=_no_similarity, seed=seed, importance=weighed
    )
    while trainer.updates < updates:
        trainer.update() if trainer.pending_updates else trainer.collect()
    return trainer


def _judged(trainer: GoalTrainer, heldout: Corpus, weighed: dict[int, WordImportance]) -> dict[str, float]:
    """Mean distance in Phi of walks without exploration, and of plans, to the best draft of the same length."""
    terms = trainer.settings.goal.potential
    potentials = PotentialModel(terms, ImportanceModel(_no_similarity, weighed)).potentials(heldout.sentences)
    sources = [Source.prepare(words, trainer.lm, trainer.ignored_words) for words in heldout.sentences]
    encodings = trainer.encoder(sources)
    goals = [[max(1, round(share * len(source.words))) for source in sources] for share in _SHARES]
    walked = [_left(goal_walks(trainer.agent, encodings, row, to_the_end=False)) for row in goals]
    found = {"walk: short of best": _short_of_best(potentials, goals, walked)}
    if trainer.agent.settings.estimates:
        scores = EstimatedScores(trainer.agent)(heldout.sentences, encodings)
        estimated = [
            sentence_potential(words, row, terms) for words, row in zip(heldout.sentences, scores, strict=True)
        ]
        planned = [[best_selection(own, goal) for own, goal in zip(estimated, row, strict=True)] for row in goals]
        found["plan: short of best"] = _short_of_best(potentials, goals, planned)
    return found


Kept = npt.NDArray[np.bool_]


def _left(walks: Sequence[Walk]) -> list[Kept]:
    drafts = []
    for walk in walks:
        kept = np.ones(walk.length, dtype=bool)
        kept[[step.word for step in walk.steps]] = False
        drafts.append(kept)
    return drafts


def _short_of_best(
    potentials: Sequence[SentencePotential], goals: Sequence[Sequence[int]], drafts: Sequence[Sequence[Kept]]
) -> float:
    return mean(
        float(potential.value(best_selection(potential, goal)) - potential.value(kept))
        for row, left in zip(goals, drafts, strict=True)
        for potential, goal, kept in zip(potentials, row, left, strict=True)
    )


def _rouge(trainer: GoalTrainer, lm: TransformersMaskedLM, options: argparse.Namespace) -> dict[str, float]:
    if options.data is None:
        return {}
    pairs = read_paired(options.data)
    step = max(1, len(pairs.sources) // options.sentences)
    texts, references = list(pairs.sources[::step]), [row[0] for row in pairs.references[::step]]
    summarizer = Summarizer.from_parts(
        trainer.agent, lm, ignored_words=trainer.ignored_words, settings=trainer.settings
    )
    efforts = ["walk", "plan"] if trainer.agent.settings.estimates else ["walk"]
    found = {}
    for effort in efforts:
        summaries = summarizer.with_effort(effort).summarize(texts, words=_WORDS, pretokenized=True)
        means = mean_scores(score([str(summary) for summary in summaries], references, protocol=LENGTH))
        found |= {f"{effort}: R-1": 100 * means.rouge_1, f"{effort}: R-2": 100 * means.rouge_2}
    return found


def _print(rows: dict[str, list[dict[str, float]]]) -> None:
    names = list(next(iter(rows.values()))[0])
    print("| variant | " + " | ".join(names) + " |\n|---" + "|---" * len(names) + "|")
    for variant, found in rows.items():
        cells = []
        for name in names:
            column = [row[name] for row in found if name in row]
            spread = f" ± {stdev(column):.2f}" if len(column) > 1 else ""
            cells.append(f"{mean(column):.2f}{spread}" if column else "-")
        print(f"| {variant} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
