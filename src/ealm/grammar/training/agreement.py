"""How far two parsers agree, word by word and by relation."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ealm.grammar.protocol import Parse


@dataclass(frozen=True, slots=True)
class RelationAgreement:
    """Agreement on the words that have one relation in the expected parses."""

    words: int
    unlabelled: float
    labelled: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Shares of words with the expected head, with the expected head and relation, and with the expected tag."""

    words: int
    unlabelled: float
    labelled: float
    tags: float
    relations: dict[str, RelationAgreement]
    """By expected relation, the most frequent first."""

    def __str__(self) -> str:
        return f"unlabelled {self.unlabelled:.3f}, labelled {self.labelled:.3f}, tags {self.tags:.3f}"

    def table(self) -> str:
        """A line for each relation."""
        rows = [
            f"{name:10} {own.words:7,} {own.unlabelled:.3f} {own.labelled:.3f}" for name, own in self.relations.items()
        ]
        return "\n".join([f"{'relation':10} {'words':>7} heads both", *rows])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        by_relation = {
            name: {"words": own.words, "unlabelled": own.unlabelled, "labelled": own.labelled}
            for name, own in self.relations.items()
        }
        totals = {"words": self.words, "unlabelled": self.unlabelled, "labelled": self.labelled, "tags": self.tags}
        return {**totals, "relations": by_relation}


def agreement(expected: Sequence[Parse], found: Sequence[Parse]) -> Agreement:
    """Compare parses of the same sentences."""
    words: Counter[str] = Counter()
    heads: Counter[str] = Counter()
    both: Counter[str] = Counter()
    tags = 0
    for right, own in zip(expected, found, strict=True):
        tags += sum(tag == other for tag, other in zip(right.tags, own.tags, strict=True))
        words.update(right.relations)
        for index, relation in enumerate(right.relations):
            if right.heads[index] == own.heads[index]:
                heads[relation] += 1
                both[relation] += relation == own.relations[index]
    count = max(1, words.total())
    relations = {
        name: RelationAgreement(number, round(heads[name] / number, 4), round(both[name] / number, 4))
        for name, number in words.most_common()
    }
    unlabelled, labelled, tagged = (round(total / count, 4) for total in (heads.total(), both.total(), tags))
    return Agreement(words.total(), unlabelled, labelled, tagged, relations)
