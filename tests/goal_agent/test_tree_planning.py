"""Plans over trees: the best closed set of each size, against all closed sets; drafts that are part of each other."""

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ealm.goal_agent.tree_planning import NestedDrafts, UnitTree
from ealm.grammar.drafts.structure import ROOT, Structure


@st.composite
def trees(draw: st.DrawFn, most: int = 8) -> UnitTree:
    """Trees of up to so many words with values, costs and required words."""
    count = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    heads = [ROOT, *(int(rng.integers(0, i)) for i in range(1, count))]
    structure = Structure(
        heads=tuple(heads),
        required=tuple(bool(i and rng.random() < 0.3) for i in range(count)),
        costs=tuple(float(rng.normal()) for _ in range(count)),
        spare=frozenset(),
        is_word=(True,) * count,
        relations=("dep",) * count,
    )
    values = [float(rng.normal()) for _ in range(count)]
    return UnitTree(structure, values, [int(rng.integers(0, 3)) for _ in range(count)], adjacency=0.0)


def value(tree: UnitTree, draft: frozenset[int]) -> float:
    left_out = [u for u, unit in enumerate(tree.units) if u not in draft and unit.parent in draft]
    return sum(tree.units[u].value for u in draft) - sum(tree.units[u].cost for u in left_out)


def closed_sets(tree: UnitTree) -> list[frozenset[int]]:
    numbers = range(len(tree.units))
    sets = [frozenset(own) for size in range(1, len(tree.units) + 1) for own in combinations(numbers, size)]
    return [own for own in sets if tree.root in own and all(tree.units[u].parent in own | {ROOT} for u in own)]


@given(trees(), st.integers(0, 12))
def test_the_best_draft_is_found(tree: UnitTree, capacity: int) -> None:
    root, everything = frozenset({tree.root}), frozenset(range(len(tree.units)))
    fitting = [own for own in closed_sets(tree) if tree.size(own) <= capacity]
    found = tree.best(capacity, least=root, most=everything)
    if not fitting:
        assert found == root
        return
    assert tree.size(found) <= capacity
    assert np.isclose(value(tree, found), max(value(tree, own) for own in fitting))


@given(trees(), st.integers(0, 12), st.randoms())
def test_the_best_draft_between_two_others(tree: UnitTree, capacity: int, rng: object) -> None:
    sets = closed_sets(tree)
    least = sets[rng.randrange(len(sets))]  # type: ignore[attr-defined]
    most = tree.closed([*least, rng.randrange(len(tree.units))])  # type: ignore[attr-defined]
    fitting = [own for own in sets if least <= own <= most and tree.size(own) <= capacity]
    found = tree.best(capacity, least=least, most=most)
    assert least <= found <= most
    if fitting:
        assert np.isclose(value(tree, found), max(value(tree, own) for own in fitting))


@given(trees(), st.integers(0, 6), st.integers(0, 6))
def test_many_capacities_at_once_are_the_same_as_one_by_one(tree: UnitTree, first: int, more: int) -> None:
    within = {"least": frozenset({tree.root}), "most": frozenset(range(len(tree.units)))}
    capacities = range(first, first + more)
    assert list(tree.best_of_each(capacities, **within)) == [tree.best(own, **within) for own in capacities]


@given(trees(most=10))
def test_drafts_are_closed_and_part_of_each_other(tree: UnitTree) -> None:
    chain = NestedDrafts(tree).all()
    assert chain[0] == frozenset(range(len(tree.units)))
    assert chain[-1] == frozenset({tree.root})
    for longer, shorter in pairwise(chain):
        assert shorter < longer
    for draft in chain:
        assert all(tree.units[u].parent in draft | {ROOT} for u in draft)


@given(trees(most=10), st.integers(0, 20))
def test_the_longest_fitting_draft_is_one_of_the_chain(tree: UnitTree, limit: int) -> None:
    drafts = NestedDrafts(tree)
    found = drafts.longest_fitting(lambda draft: tree.size(draft) <= limit)
    fitting = [draft for draft in drafts.all() if tree.size(draft) <= limit]
    assert found == (fitting[0] if fitting else None)


@given(trees(most=10), st.integers(0, 9))
def test_words_to_keep_are_in_every_draft(tree: UnitTree, word: int) -> None:
    word %= len(tree.of_word)
    for draft in NestedDrafts(tree, keep=[word]).all():
        assert word in tree.words(draft)
