"""Inflection of English verbs: irregular forms, and one finite form for a progressive one.

"is considering" can be "considers", "were planning" can be "planned". Only for listed verbs: "is interesting" is no
progressive, "was winning" is not "won", and in text without capitals "beijing" looks like a verb. Regular forms follow
the rules of spelling; irregular ones are in `irregular_forms.json.gz`, base form by base form. They come from the
exception lists of WordNet 2.0 (Princeton University; the WordNet licence allows use, copies and changes for any purpose
and without fee). WordNet 2.0 Copyright 2003 by Princeton University. All rights reserved.
"""

import gzip
import json
from functools import cache
from pathlib import Path

from ealm.text.word_lists import DURATIVE_VERBS, PRESENT_PROGRESSIVE_VERBS

_FORMS_FILE = Path(__file__).parent / "irregular_forms.json.gz"

_ARCHAIC = frozenset(["wrought"])
"""Forms that WordNet lists and people no longer use."""


@cache
def forms_by_base() -> dict[str, list[str]]:
    """Irregular forms of each base form, all in lower case."""
    listed: dict[str, str] = json.loads(gzip.decompress(_FORMS_FILE.read_bytes()))
    return {base: forms.split() for base, forms in listed.items()}


@cache
def irregular_forms() -> dict[str, str]:
    """Base form of each irregular form."""
    return {form: base for base, forms in forms_by_base().items() for form in forms}


@cache
def finite_forms() -> dict[tuple[str, str], str]:
    """The one verb for an auxiliary and a progressive form: ("is", "planning") has "plans"."""
    forms = {}
    for base in (*DURATIVE_VERBS, *PRESENT_PROGRESSIVE_VERBS):
        progressive = _progressive(base)
        forms["is", progressive] = _third_person(base)
        forms["are", progressive] = base
    for base in DURATIVE_VERBS:
        past = _past(base)
        if past is not None:
            forms |= {(auxiliary, _progressive(base)): past for auxiliary in ("was", "were")}
    return forms


def _progressive(base: str) -> str:
    doubled = [form for form in forms_by_base().get(base, []) if form.endswith("ing")]
    if doubled:
        return doubled[0]
    if base.endswith("ie"):
        return base[:-2] + "ying"
    return (base[:-1] if base.endswith("e") and base[-2:] not in ("ee", "oe", "ye") else base) + "ing"


def _third_person(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if _ends_in_consonant_and_y(base) else base + "s"


def _past(base: str) -> str | None:
    """None where the list does not tell the past tense from the participle."""
    listed = {form for form in forms_by_base().get(base, []) if form != base} - _ARCHAIC
    if not listed:
        if _ends_in_consonant_and_y(base):
            return base[:-1] + "ied"
        return base + ("d" if base.endswith("e") else "ed")
    past = [form for form in listed if not form.endswith(("ing", "n"))]
    return past[0] if len(past) == 1 else None


def _ends_in_consonant_and_y(base: str) -> bool:
    return base.endswith("y") and base[-2] not in "aeiou"
