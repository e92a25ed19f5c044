"""Irregular forms of English words.

They come from the exception lists of WordNet 2.0 (Princeton University; the WordNet licence allows use, copies and
changes for any purpose and without fee). In `irregular_forms.json` each base form has its irregular forms.
WordNet 2.0 Copyright 2003 by Princeton University. All rights reserved.
"""

import json
from functools import cache
from pathlib import Path

_FORMS_FILE = Path(__file__).parent / "irregular_forms.json"


@cache
def forms_by_base() -> dict[str, list[str]]:
    """Irregular forms of each base form, all in lower case."""
    listed: dict[str, str] = json.loads(_FORMS_FILE.read_text(encoding="utf-8"))
    return {base: forms.split() for base, forms in listed.items()}


@cache
def irregular_forms() -> dict[str, str]:
    """Base form of each irregular form."""
    return {form: base for base, forms in forms_by_base().items() for form in forms}
