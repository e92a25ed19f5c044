"""Summaries for the terminal: the source with its edits in colour, and the curve of what can be recovered."""

import unicodedata
from collections.abc import Iterator, Sequence

import click

from ealm.paper.edits import Action
from ealm.summarize.result import Edit, Summary

_BAR = 20
"""Characters of a full bar."""


def shown_lines(summary: Summary, curve: Sequence[Summary] = (), *, colour: bool = True) -> Iterator[str]:
    """The source with its edits, the summary, what it costs, and the curve with the chosen length marked.

    Without colour, edits are marked as `wdiff` does: [-removed-] and {+new+}.
    """
    for part in summary.sentences or (summary,):
        yield _marked_source(part, colour=colour)
    yield _styled(f"= {visible(summary.summary)}", colour, bold=True)
    yield _styled(_rates(summary), colour, dim=True)
    if curve:
        yield ""
        yield from curve_lines(curve, chosen=len(summary.summary.split()), colour=colour)


def visible(text: str) -> str:
    """Text without control characters, which could do things to a terminal; line breaks and tabs stay."""
    return "".join("\ufffd" if unicodedata.category(c) == "Cc" and c not in "\n\r\t" else c for c in text)


def _styled(text: str, colour: bool, **style: bool) -> str:
    return click.style(text, **style) if colour else text


def _marked_source(summary: Summary, *, colour: bool) -> str:
    """Every word of the source in its place: kept plain, removed struck through, replaced with the new word."""
    return "".join(
        piece if isinstance(piece, str) else _marked(piece, colour=colour) for piece in summary.marked_source(visible)
    )


def _marked(edit: Edit, *, colour: bool) -> str:
    word = visible(edit.word)
    if edit.action == Action.KEEP:
        return word
    removed = click.style(word, fg="red", strikethrough=True) if colour else f"[-{word}-]"
    if edit.action == Action.REMOVE:
        return removed
    new = edit.replacement or ""
    return f"{removed} {click.style(new, fg='green') if colour else f'{{+{new}+}}'}"


def _rates(summary: Summary) -> str:
    before, after = len(summary.source.split()), len(summary.summary.split())
    text = f"{after} of {before} words"
    if summary.reconstruction_rate is not None:
        text += f", {summary.reconstruction_rate:.0%} recoverable"
    return text


def curve_lines(points: Sequence[Summary], *, chosen: int | None = None, colour: bool = True) -> Iterator[str]:
    """One line a length: words, recoverability (if it is known) as a number and as a bar, and the summary."""
    seen: set[int] = set()
    for point in points:
        words = len(point.summary.split())
        if words in seen:
            continue
        seen.add(words)
        rate = point.reconstruction_rate
        bar = "" if rate is None else f"{rate:4.0%} {'█' * round(rate * _BAR):<{_BAR}}  "
        text = " ".join(visible(point.summary).split())
        unit = "word " if words == 1 else "words"
        line = f"{'>' if words == chosen else ' '}{words:4} {unit}  {bar}{text}"
        yield _styled(line, colour, bold=True) if words == chosen else line
