"""Headline style: articles, auxiliaries whose verb says enough, and possessives are omitted.

Omitting them changes neither who did what nor whether it happened. Where it would, they stay: "the man who was shot" is
not "the man who shot", "a few" is not "few", and what may happen has not happened.
"""

from collections.abc import Sequence

from ealm.text.word_lists import (
    ARTICLES,
    BEFORE_INFINITIVES,
    FORMS_OF_BE,
    FORMS_OF_DO,
    FORMS_OF_HAVE,
    FREE_NEGATIONS,
    HEADLINE_POSSESSIVES,
    IRREGULAR_PARTICIPLES,
    PRONOUNS_BEFORE_PASSIVES,
    QUANTITY_NOUNS,
)
from ealm.text.words import straight_apostrophes


def omissible_indices(words: Sequence[str]) -> frozenset[int]:
    """Indices of the words of a sentence that a headline omits."""
    plain = [straight_apostrophes(word).lower() for word in words]
    omissible: set[int] = set()
    for index, word in enumerate(plain):
        before = plain[index - 1] if index else ""
        after = plain[index + 1] if index + 1 < len(plain) else ""
        if index and words[index][:1].isupper():  # a name or a title: The Hague, vitamin A
            continue
        if _is_omissible(word, before=before, after=after, after_omissible=index - 1 in omissible):
            omissible.add(index)
    return frozenset(omissible)


def _is_omissible(word: str, *, before: str, after: str, after_omissible: bool) -> bool:
    if after == "n't":  # the clitic needs it
        return False
    if not after[:1].isalnum() and after[:1] not in _OPENING:  # nothing follows that it could belong to
        return False
    if word in ARTICLES:
        return after not in QUANTITY_NOUNS
    if word in HEADLINE_POSSESSIVES:
        return True
    if not before or before in BEFORE_INFINITIVES:  # "to have gone", "will be closed", and questions
        return False
    if word in FORMS_OF_HAVE:
        return after in FREE_NEGATIONS or _is_participle(after)
    if word in FORMS_OF_DO:
        return after in FREE_NEGATIONS
    if word == "been":
        return after_omissible
    return word in FORMS_OF_BE and before not in PRONOUNS_BEFORE_PASSIVES


_OPENING = ("#", "$", "€", "£", '"', "“", "``")


def _is_participle(word: str) -> bool:
    """Whether it looks like the past participle of a verb, as in "has closed", "has been" and "has taken"."""
    return word in IRREGULAR_PARTICIPLES or (len(word) > 4 and word.endswith("ed"))
