"""What a parser gives: the head, the relation and the part of speech of each word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ealm.common.caching import cached_property
from ealm.common.errors import GrammarError

NO_HEAD = -1
"""The head of the root."""

ROOT_RELATION = "ROOT"


@dataclass(frozen=True)
class Parse:
    """A dependency tree over the words of one sentence, with exactly one root (none if there are no words).

    Relations are the English labels of spaCy (ClearNLP style: nsubj, dobj, prep, pobj, ...) and tags those of the Penn
    treebank (VBD, NNS, ...); a pipeline for another language has its own.
    """

    heads: tuple[int, ...]
    """Index of the word that each word depends on; `NO_HEAD` for the root."""
    relations: tuple[str, ...]
    """How it depends on it; `ROOT_RELATION` for the root."""
    tags: tuple[str, ...]
    """Parts of speech."""

    def __post_init__(self) -> None:
        if not len(self.heads) == len(self.relations) == len(self.tags):
            raise GrammarError("A parse needs one head, one relation and one tag for each word.")
        if not is_tree(self.heads):
            raise GrammarError(f"The heads {list(self.heads)} are not a tree with one root.")

    def __len__(self) -> int:
        return len(self.heads)

    @cached_property
    def root(self) -> int:
        """Index of the word that the sentence hangs on."""
        return self.heads.index(NO_HEAD)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the dependents of each word, from left to right."""
        found: list[list[int]] = [[] for _ in self.heads]
        for index, head in enumerate(self.heads):
            if head != NO_HEAD:
                found[head].append(index)
        return tuple(map(tuple, found))

    def subtree(self, index: int) -> tuple[int, ...]:
        """Indices of a word and of everything below it, from left to right."""
        found = [index]
        for word in found:  # grows while it is read
            found += self.children[word]
        return tuple(sorted(found))

    def ancestors(self, index: int) -> tuple[int, ...]:
        """Indices of the words above a word, the nearest first, the root last."""
        found = []
        while (index := self.heads[index]) != NO_HEAD:
            found.append(index)
        return tuple(found)

    def related(self, index: int, *relations: str) -> tuple[int, ...]:
        """Dependents of a word with one of these relations."""
        return tuple(child for child in self.children[index] if self.relations[child] in relations)


class Grammar(Protocol):
    """Anything that parses sentences which are cut into words already."""

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        """A tree for each sentence."""
        ...


def is_tree(heads: Sequence[int]) -> bool:
    """Whether every word leads to the same single root."""
    if not heads:
        return True
    if tuple(heads).count(NO_HEAD) != 1 or min(heads) < NO_HEAD or max(heads) >= len(heads):
        return False
    children: dict[int, list[int]] = {}
    for index, head in enumerate(heads):
        children.setdefault(head, []).append(index)
    reached = children[NO_HEAD]
    for index in reached:  # grows while it is read
        reached += children.get(index, ())
    return len(reached) == len(heads)
