"""What Q-values choose among well-formed drafts: walks whose removals leave a draft, against the plan of the default.

    python -m benchmarks.masked_walks FOLDER [--words 8] [--sentences 500]

FOLDER has input.txt and ref0.txt. A removal takes a unit of the tree that nothing kept hangs on; all others are masked.
Its value is the mean of its words' Q-values. "Any order" removes units at random, with five seeds: what grammar gives
by itself. Only sentences count whose shortest statement fits, the same ones in each row.
"""

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from ealm import Summarizer
from ealm.evaluation.data import read_paired
from ealm.evaluation.rouge import LENGTH, mean_scores, score
from ealm.goal_agent.agent import GoalAgent
from ealm.goal_agent.tree_plan import TreePlan
from ealm.goal_agent.tree_planning import UnitTree
from ealm.summarize.options import SummarizeOptions

_SEEDS = 5

Values = Callable[[Sequence[bool]], Sequence[float]]
"""What removing each word is worth, given the words that are kept."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--sentences", type=int, default=500)
    given = parser.parse_args()
    data = read_paired(given.folder)
    sources, references = data.sources[: given.sentences], data.references[: given.sentences]
    summarizer = Summarizer()
    pipeline = summarizer._pipelines.get(SummarizeOptions(words=given.words))
    rows: dict[str, list[str]] = {}
    used: list[Sequence[str]] = []
    for source, reference in zip(sources, references, strict=True):
        sentences = pipeline.read(source, SummarizeOptions(words=given.words)).sentences
        agent = pipeline._agent
        if len(sentences) != 1 or pipeline._grammar is None or not isinstance(agent, GoalAgent):
            continue
        (plan,), (encodings,) = pipeline._grammar(sentences, plain=[False])
        found = choices(plan, agent, encodings, given.words)
        if found:
            used.append(reference)
            words = sentences[0].sentence.words
            for name, kept in found.items():
                rows.setdefault(name, []).append(" ".join(words[i] for i in sorted(kept)))
    print(f"{len(used)} of {len(sources)} sentences")
    for name, summaries in rows.items():
        own = mean_scores(score(summaries, used, protocol=LENGTH))
        print(f"{name:12} {100 * own.rouge_1:.2f}/{100 * own.rouge_2:.2f}/{100 * own.rouge_l:.2f}")


def choices(plan: TreePlan, agent: GoalAgent, encodings: torch.Tensor, goal: int) -> dict[str, frozenset[int]]:
    """The words that each way of choosing keeps; nothing where no statement fits."""
    tree = plan._tree
    shortest = tree.closed(())
    if not tree.units or tree.size(shortest) > goal:
        return {}
    found = {
        "plan": tree.words(tree.best(goal, least=shortest, most=frozenset(range(len(tree.units))))),
        "masked walk": walk(tree, len(encodings), goal, q_values(agent, encodings, goal)),
    }
    for seed in range(_SEEDS):
        found[f"any order {seed}"] = walk(tree, len(encodings), goal, any_order(random.Random(seed)))
    return found


def any_order(drawn: random.Random) -> Values:
    """Random values."""
    return lambda kept: [drawn.random() for _ in kept]


def q_values(agent: GoalAgent, encodings: torch.Tensor, goal: int) -> Values:
    """Q-values of removing each word."""
    present = torch.ones(1, len(encodings), dtype=torch.bool)
    with torch.no_grad():
        first = agent.first_layer(encodings[None], present)

    def values(kept: Sequence[bool]) -> Sequence[float]:
        with torch.no_grad():
            found: list[float] = agent(first, torch.tensor([[kept]]), torch.tensor([goal]))[0, 0].tolist()
        return found

    return values


def walk(tree: UnitTree, length: int, goal: int, values: Values) -> frozenset[int]:
    """Remove the unit of the greatest value, among those that nothing kept hangs on, until the draft fits."""
    draft = set(range(len(tree.units)))
    while tree.size(frozenset(draft)) > goal:
        kept = tree.words(frozenset(draft))
        own = values([i in kept for i in range(length)])
        free = [
            unit for unit in draft if unit != tree.root and not any(child in draft for child in tree.children[unit])
        ]
        draft.remove(
            max(free, key=lambda unit: sum(own[i] for i in tree.units[unit].words) / len(tree.units[unit].words))
        )
    return tree.words(frozenset(draft))


if __name__ == "__main__":
    main()
