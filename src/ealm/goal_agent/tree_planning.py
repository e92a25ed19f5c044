"""Exact planning over the dependency tree: of each length the best draft among those that are well-formed and true.

A draft is a set of words that is closed under a `Structure`: with a word its head, with a head its required
dependents. Words that need each other are one unit; units form a tree, and the best set of units of at most so many
words is found exactly by dynamic programming (a tree knapsack). Drafts of different lengths are nested: the plan is
cut in two again and again, each time by the best draft between a shorter and a longer one that are known already.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from ealm.common.pieces import between_pieces
from ealm.grammar.drafts.structure import Structure
from ealm.grammar.trees.rearranging import ROOT

Draft = frozenset[int]
"""Units, or words, that stay."""

_NEVER = float("-inf")

_FIRST_SIZES = (8, 12)
"""Lengths whose drafts are fixed first: at the length of a headline, no draft is better."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Words that stay or go together."""

    words: tuple[int, ...]
    parent: int
    """The unit that it hangs on; `ROOT` for the root."""
    size: int
    """Of its words together, in the unit of the limit."""
    value: float
    cost: float
    """Of leaving it out while its parent stays."""


class UnitTree:
    """The units of a sentence."""

    def __init__(
        self, structure: Structure, values: Sequence[float], sizes: Sequence[int], *, adjacency: float
    ) -> None:
        """`values` and `sizes` are those of the words; `adjacency` is the value of neighbours that stay neighbours."""
        self.units: list[Unit] = []
        self.of_word: dict[int, int] = {}
        groups = _groups(structure)
        for number, group in enumerate(groups):
            self.of_word.update(dict.fromkeys(group, number))
        for group in groups:
            head = structure.heads[group[0]]
            parent = ROOT if head == ROOT else self.of_word[head]
            members = sorted(group)
            beside = () if parent == ROOT else groups[parent]
            touching = any(i + 1 in beside or i - 1 in beside for i in members)
            value = sum(values[i] for i in members) + adjacency * touching
            size = sum(sizes[i] for i in members)
            self.units.append(Unit(tuple(members), parent, size, value, structure.costs[group[0]]))
        self.children: list[list[int]] = [[] for _ in self.units]
        self.root = 0
        for number, unit in enumerate(self.units):
            if unit.parent == ROOT:
                self.root = number
            else:
                self.children[unit.parent].append(number)

    def closed(self, units: Collection[int]) -> Draft:
        """The units with all that they hang on, and the root."""
        found = {self.root} if self.units else set()  # marks alone are no units
        for unit in units:
            above = unit
            while above != ROOT and above not in found:
                found.add(above)
                above = self.units[above].parent
        return frozenset(found)

    def size(self, draft: Draft) -> int:
        return sum(self.units[unit].size for unit in draft)

    def words(self, draft: Draft) -> frozenset[int]:
        return frozenset(i for unit in draft for i in self.units[unit].words)

    def best(self, capacity: int, *, least: Draft, most: Draft) -> Draft:
        """The draft of the greatest value that has at most `capacity`, holds `least` and lies within `most`."""
        return _Table(self, capacity, least, most).draft(capacity)

    def best_of_each(self, capacities: range, *, least: Draft, most: Draft) -> Iterator[Draft]:
        """The same for each of these rising capacities."""
        # Mostly the first is asked for alone, and its table is smaller; one table is enough for all others.
        for part in (capacities[:1], capacities[1:]):
            if part:
                table = _Table(self, part[-1], least, most)
                yield from map(table.draft, part)


def _groups(structure: Structure) -> list[list[int]]:
    """Words joined by required relations, each group with its topmost word first; parents before children."""
    heads, required = structure.heads, structure.required
    top = [i for i in range(len(heads)) if structure.is_word[i]]
    children: dict[int, list[int]] = {}
    for i in top:
        children.setdefault(heads[i], []).append(i)
    groups: list[list[int]] = []
    waiting = list(children.get(ROOT, ()))[:1]
    while waiting:
        group, more = [], [waiting.pop()]
        while more:
            word = more.pop()
            group.append(word)
            for child in children.get(word, ()):
                (more if required[child] else waiting).append(child)
        groups.append(group)
    return groups


class _Table:
    """Greatest values by size, from the leaves up."""

    def __init__(self, tree: UnitTree, capacity: int, least: Draft, most: Draft) -> None:
        self._tree, self._capacity, self._least, self._most = tree, capacity, least, most
        self._merges: dict[int, list[tuple[int, list[int]]]] = {}
        self._values = self._solve(tree.root)

    def _solve(self, unit: int) -> list[float]:
        own = self._tree.units[unit]
        values = [_NEVER] * own.size + [own.value]
        merges = self._merges[unit] = []
        for child in self._tree.children[unit]:
            if child not in self._most:
                values = [value - self._tree.units[child].cost for value in values]
                continue
            values, taken = self._merged(values, child)
            merges.append((child, taken))
        return values

    def _merged(self, values: list[float], child: int) -> tuple[list[float], list[int]]:
        inner = self._solve(child)
        cost = _NEVER if child in self._least else self._tree.units[child].cost
        length = min(len(values) + len(inner) - 1, self._capacity + 1)
        best = [_NEVER] * length
        if cost != _NEVER:
            best[: len(values)] = [value - cost for value in values[:length]]
        taken = [-1] * length
        possible = [(more, extra) for more, extra in enumerate(inner) if extra != _NEVER]
        for size, value in enumerate(values[:length]):
            if value == _NEVER:
                continue
            for more, extra in possible:
                if size + more >= length:
                    break
                if value + extra > best[size + more]:
                    best[size + more] = value + extra
                    taken[size + more] = more
        return best, taken

    def draft(self, capacity: int) -> Draft:
        values = self._values[: capacity + 1]
        size = max(range(len(values)), key=values.__getitem__, default=0)
        if not values or values[size] == _NEVER:
            return self._least
        return frozenset(self._trace(self._tree.root, size))

    def _trace(self, unit: int, size: int) -> Iterator[int]:
        yield unit
        for child, taken in reversed(self._merges[unit]):
            more = taken[size]
            if more >= 0:
                yield from self._trace(child, more)
                size -= more


class NestedDrafts:
    """A chain of drafts, each part of the next longer one; worked out only where somebody asks."""

    def __init__(
        self,
        tree: UnitTree,
        *,
        keep: Collection[int] = (),
        spare: Collection[int] = (),
    ) -> None:
        """`keep`: words that stay in any case; `spare`: words that only the whole sentence has, such as articles."""
        self._tree = tree
        self.shortest = tree.closed([tree.of_word[i] for i in keep if i in tree.of_word])
        self.longest = frozenset(range(len(tree.units)))
        units = [number for number, unit in enumerate(tree.units) if not set(unit.words) <= set(spare)]
        self._without_spare = tree.closed([*units, *self.shortest])
        self._between: dict[tuple[Draft, Draft], Draft | None] = {}

    def longest_fitting(self, fits: Callable[[Draft], bool]) -> Draft | None:
        """The longest draft of the chain that fits; None if not even the shortest does."""
        found = self.around(fits)
        return None if found is None else found[0]

    def around(self, fits: Callable[[Draft], bool]) -> tuple[Draft, Draft] | None:
        """The same, with the shortest draft of the chain that does not fit; the whole sentence beside itself."""
        if fits(self.longest):
            return self.longest, self.longest
        if not fits(self.shortest):
            return None
        shorter, longer = self.shortest, self.longest
        while (middle := self._middle(shorter, longer)) is not None:
            if fits(middle):
                shorter = middle
            else:
                longer = middle
        return shorter, longer

    def all(self) -> list[Draft]:
        """The whole chain, the longest first."""

        def between(shorter: Draft, longer: Draft) -> Iterator[Draft]:
            middle = self._middle(shorter, longer)
            if middle is not None:
                yield from between(middle, longer)
                yield middle
                yield from between(shorter, middle)

        inner = list(between(self.shortest, self.longest))
        return [self.longest, *inner, *([self.shortest] if self.shortest != self.longest else [])]

    def _middle(self, shorter: Draft, longer: Draft) -> Draft | None:
        key = (shorter, longer)
        if key not in self._between:
            self._between[key] = self._find_middle(shorter, longer)
        return self._between[key]

    def _find_middle(self, shorter: Draft, longer: Draft) -> Draft | None:
        between_pieces()
        tree = self._tree
        if longer == self.longest and longer != self._without_spare:
            return self._without_spare if shorter != self._without_spare else None
        low, high = tree.size(shorter), tree.size(longer)
        start = next((size for size in _FIRST_SIZES if low < size < high), max(low + 1, round((low + high) / 2)))
        drafts = tree.best_of_each(range(start, high), least=shorter, most=longer)
        other = next((draft for draft in drafts if draft not in (shorter, longer)), None)
        return other or self._one_more(shorter, longer)

    def _one_more(self, shorter: Draft, longer: Draft) -> Draft | None:
        """The shorter draft and one unit beside it, the most valuable one: where what is left is worth nothing."""
        tree = self._tree
        open_units = [unit for unit in longer - shorter if tree.units[unit].parent in shorter]
        if len(longer - shorter) < 2 or not open_units:
            return None
        best = max(open_units, key=lambda unit: (tree.units[unit].value + tree.units[unit].cost, -unit))
        found = shorter | {best}
        return None if found == longer else found
