"""What was learned from raw text about verbs: the phrases that belong to them, and that they do not stand alone.

`tools/learn_valency.py` wrote the table.
"""

from functools import cache
from pathlib import Path
from typing import Any

from ealm.common.storage import parse_json, read_text_or_packed

_TABLE = Path(__file__).parent / "valency.json"


@cache
def _table() -> dict[str, Any]:
    return {
        name: {form: frozenset(own) for form, own in part.items()} if isinstance(part, dict) else frozenset(part)
        for name, part in parse_json(read_text_or_packed(_TABLE)).items()
    }


def belongs(verb: str, frame: str, preposition: str) -> bool:
    """Whether a phrase belongs to a verb (any form) with an "object" or in the "passive"."""
    return preposition in _table()[frame].get(verb, ())


def is_never_bare(verb: str, *, passive: bool) -> bool:
    """Whether something nearly always stands behind a verb (any form)."""
    return verb in _table()["never_bare_passive" if passive else "never_bare"]
