"""Words that a headline does without: articles, auxiliaries whose verb says enough, possessives.

Removing them changes neither who did what nor whether it happened. Where it would, they are no spare words: "the man
who was shot" is not "the man who shot", "a few" is not "few", and what may happen has not happened.
"""

from collections.abc import Sequence

from ealm.text.words import straight_apostrophes

_ARTICLES = frozenset("a an the".split())
_MATTERS_BEFORE = frozenset("few little lot lots bit number couple".split())
"""Words that mean something else with an article."""
_POSSESSIVES = frozenset("its his their".split())
_TO_BE = frozenset("am is are was were been".split())
_TO_HAVE = frozenset("has have had".split())
_TO_DO = frozenset("do does did".split())
_NOT = frozenset("not never".split())
_PRONOUNS = frozenset(
    "i you he she it we they who whom whose which that what there here this these those someone somebody something "
    "anyone anything everyone everybody everything one ones".split()
)
"""Behind these a passive without its auxiliary would be read as active."""
_BEFORE_INFINITIVES = frozenset("to will would can could may might must shall should 'll 'd".split())


_PARTICIPLES = frozenset(
    "beaten become been begun bought broken brought built caught chosen come cost cut dealt done drawn driven "
    "fallen felt flown fought found given gone got gotten grown heard held hit hurt kept known laid lain led left "
    "lent lit lost made meant met overtaken overthrown paid put quit read risen run said seen sent set shot shown "
    "shut sold sought spent split spoken spread stolen stood struck swept sworn taken taught thought thrown told "
    "torn undergone understood withdrawn woken won worn written".split()
)
"""The irregular ones that news has most; the others end in -ed."""


def spare_places(words: Sequence[str]) -> frozenset[int]:
    """Places of the words of a sentence that a headline does without."""
    plain = [straight_apostrophes(word).lower() for word in words]
    spare: set[int] = set()
    for place, word in enumerate(plain):
        before = plain[place - 1] if place else ""
        after = plain[place + 1] if place + 1 < len(plain) else ""
        if place and words[place][:1].isupper():  # a name or a title: The Hague, vitamin A
            continue
        if _is_spare(word, before=before, after=after, after_spare=place - 1 in spare):
            spare.add(place)
    return frozenset(spare)


def _is_spare(word: str, *, before: str, after: str, after_spare: bool) -> bool:
    if after == "n't":  # which leans on it
        return False
    if not after[:1].isalnum() and after[:1] not in _OPENING:  # what leans on nothing is no auxiliary, and no article
        return False
    if word in _ARTICLES:
        return after not in _MATTERS_BEFORE
    if word in _POSSESSIVES:
        return True
    if not before or before in _BEFORE_INFINITIVES:  # "to have gone", "will be closed", and questions
        return False
    if word in _TO_HAVE:
        return after in _NOT or _is_participle(after)
    if word in _TO_DO:
        return after in _NOT
    if word == "been":
        return after_spare
    return word in _TO_BE and before not in _PRONOUNS


_OPENING = ("#", "$", "€", "£", '"', "“", "``")


def _is_participle(word: str) -> bool:
    """Whether it looks like the past participle of a verb, as in "has closed", "has been" and "has taken"."""
    return word in _PARTICIPLES or (len(word) > 4 and word.endswith("ed"))
