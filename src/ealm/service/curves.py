"""Every length of one text in a form that a page can step through without asking again."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from ealm.paper.edits import Action
from ealm.summarize.result import Edit, Summary, TraceStep
from ealm.text.word_lists import DELETED_WORDS

_LETTERS = {Action.KEEP: "k", Action.REMOVE: "d", Action.REPLACE: "r"}


def curve_values(points: Sequence[Summary]) -> dict[str, Any]:
    """The words of the text with their Q-values, and for each length the action on every word."""
    return {
        **_text_values(points[0] if points else None),
        "points": [_point(point) for point in points],
        "balance": None if (best := balance(points)) is None else _point(best),
    }


async def curve_lines(points: AsyncIterator[Summary]) -> AsyncIterator[bytes]:
    """The same as lines of JSON while it is worked out: first the text, then point after point, at last the balance."""
    found: list[Summary] = []
    async for point in points:
        if not found:
            yield _line(_text_values(point))
        found.append(point)
        yield _line({"point": _point(point)})
    if not found:
        yield _line(_text_values(None))
    yield _line({"balance": None if (best := balance(found)) is None else _point(best)})


def _line(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode() + b"\n"


def _text_values(summary: Summary | None) -> dict[str, Any]:
    if summary is None:
        return {"source": "", "words": [], "sentences": []}
    parts = summary.sentences or (summary,)
    return {
        "source": summary.source,
        "words": _words(summary),
        "sentences": [len(part.source.split()) for part in parts],
    }


def balance(points: Sequence[Summary]) -> Summary | None:
    """The length that the paper chooses (t* = argmax cr + rr, ties to the shorter; section 4.4), if rates are known."""
    rated = [
        (point.compression_rate + point.reconstruction_rate, point.compression_rate, number)
        for number, point in enumerate(points)
        if point.reconstruction_rate is not None and point.summary
    ]
    return points[max(rated)[-1]] if rated else None


def _words(summary: Summary) -> list[dict[str, Any]]:
    """Each word with the sentence it is in, and when and how it was decided on the whole walk.

    Words by their text and order, not by offsets: browsers count characters in another way. What stands between the
    sentences, such as the mark of a list, belongs to the next one, and nothing is decided on it.
    """
    words = [edit.word for edit in summary.edits]
    found: list[dict[str, Any]] = []
    for number, part in enumerate(summary.sentences or (summary,)):
        own = [edit.word for edit in part.edits]
        while len(found) + len(own) < len(words) and words[len(found) : len(found) + len(own)] != own:
            found.append(_word(words[len(found)], number, None))
        decided = {step.position: step for step in part.trace}
        found += [_word(word, number, decided.get(index)) for index, word in enumerate(own)]
    last = len(summary.sentences or (summary,)) - 1
    return found + [_word(word, last, None) for word in words[len(found) :]]


def _word(text: str, sentence: int, step: TraceStep | None) -> dict[str, Any]:
    return {
        "text": text,
        "sentence": sentence,
        "order": step.step if step else None,
        "action": step.action.name.lower() if step else None,
        "q_values": [round(value, 4) for value in step.q_values] if step else None,
        "stop_word": text.lower() in DELETED_WORDS,
    }


def _point(summary: Summary) -> dict[str, Any]:
    return {
        "summary": summary.summary,
        "words": len(summary.summary.split()),
        "bytes": len(summary.summary.encode()),
        "actions": "".join(_LETTERS[edit.action] for edit in summary.edits),
        "replacements": _replacements(summary.edits),
        "compression_rate": round(summary.compression_rate, 4),
        "reconstruction_rate": None if summary.reconstruction_rate is None else round(summary.reconstruction_rate, 4),
        "sentences": [len(part.summary.split()) for part in summary.sentences or (summary,)],
        "complete": summary.complete,
        "reason": summary.reason,
    }


def _replacements(edits: Sequence[Edit]) -> dict[str, str]:
    return {str(index): edit.replacement for index, edit in enumerate(edits) if edit.replacement is not None}
