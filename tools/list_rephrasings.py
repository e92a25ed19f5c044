"""List what summaries write otherwise than their sources, by kind, for a person to judge (docs/grammar.md has counts).

    python tools/list_rephrasings.py sentences.txt --words 8 --each 40 > samples.tsv

One line a sample: its kind, an empty column for the verdict ("right" or "wrong"), the summary, the sentence.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from ealm import Summarizer
from ealm.grammar import rules
from ealm.paper.edits import Action
from ealm.summarize.result import Edit, Summary

_AUXILIARIES = rules.BE_PRESENT | rules.BE_PAST | rules.HAVE | {"been", "had"}
_AT_ONCE = 256


def kinds(summary: Summary) -> set[str]:
    """What was done to a sentence beside leaving words out."""
    edits = summary.edits
    found = {_written(edit) for edit in edits if edit.replacement is not None}
    return found | set(_left_out(edits))


def _written(edit: Edit) -> str:
    word, text = edit.word.lower(), (edit.replacement or "").lower()
    if word == "would" and text == "will":
        return "would -> will"
    if text.endswith("%"):
        return "percent -> %"
    if word in ("a", "an") and text in ("a", "an"):
        return "a -> an"
    if text == "and":
        return "comma -> and"
    if text.endswith((" are met", " apply", " cases", " conditions")):
        return "remark for a condition"
    if word in rules.PRONOUNS:
        return "contraction" if "'" in text else "noun for a pronoun"
    return "lexicon of --reword"


def _left_out(edits: Sequence[Edit]) -> Iterator[str]:
    for before, behind in pairwise(edits):
        gone, word, following = before.action is Action.REMOVE, before.word.lower(), behind.word.lower()
        stays = behind.action is not Action.REMOVE
        if gone and word in _AUXILIARIES and stays and following.endswith("ed"):
            yield "-ed without its auxiliary"
    words = [edit.word.lower() for edit in edits if edit.action is Action.REMOVE]
    said = any(word in rules.SAYING for word in words)
    subject = bool(edits) and edits[0].action is not Action.REMOVE
    if said and subject and any(_is_said_of_himself(edits, i) for i in range(len(edits))):
        yield "speaker for a pronoun"


def _is_said_of_himself(edits: Sequence[Edit], i: int) -> bool:
    """ "Said (on Monday) (that) it …": the pronoun is gone, and what it does stays."""
    if edits[i].word.lower() not in rules.THIRD_PERSON or edits[i].action is not Action.REMOVE:
        return False
    before = [edit.word.lower() for edit in edits[max(i - 5, 0) : i] if edit.action is Action.REMOVE]
    behind = [edit for edit in edits[i + 1 : i + 5] if edit.action is not Action.REMOVE]
    return any(word in rules.SAYING for word in before) and bool(behind)


def main() -> None:
    """Read sentences, print samples."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sentences", type=Path, help="one a line")
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--each", type=int, default=40, help="at most so many of a kind")
    given = parser.parse_args()
    lines = [line for line in given.sentences.read_text(encoding="utf-8").splitlines() if line.strip()]
    summarizer, count = Summarizer(), Counter[str]()
    for start in range(0, len(lines), _AT_ONCE):
        for line, summary in zip(
            lines[start : start + _AT_ONCE],
            summarizer.summarize(lines[start : start + _AT_ONCE], words=given.words),
            strict=True,
        ):
            for kind in sorted(kinds(summary)):
                count[kind] += 1
                if count[kind] <= given.each:
                    print(kind, "", summary.summary, line, sep="\t", flush=True)
    for kind, number in count.most_common():
        print("#", kind, number, f"of {len(lines)} sentences", sep="\t")


if __name__ == "__main__":
    main()
