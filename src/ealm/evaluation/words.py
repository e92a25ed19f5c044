"""What became of the words of a source: copied, from where, dangling, lost. Plain counting, no model inside."""

from collections.abc import Sequence
from statistics import fmean

from ealm.text.protected_words import KINDS
from ealm.text.tokenizer import tokenize
from ealm.text.word_lists import DETERMINERS, FUNCTION_WORDS
from ealm.text.words import split_words


def plain_words(text: str, *, pretokenized: bool) -> tuple[str, ...]:
    """The words of a text in lower case, punctuation marks among them."""
    words = split_words(text) if pretokenized else tuple(token.text for token in tokenize(text))
    return tuple(word.lower() for word in words)


def kept_places(summary: Sequence[str], source: Sequence[str]) -> list[int]:
    """Places in the source of the summary's words, read from the left: each word is the next one like it.

    A word that does not come after the last one found is looked for from the beginning; a new word has no place.
    """
    places: list[int] = []
    after = 0
    for word in summary:
        place = next((place for place in range(after, len(source)) if source[place] == word), None)
        if place is None:
            place = next((place for place, other in enumerate(source) if other == word), None)
        if place is not None:
            places.append(place)
            after = place + 1
    return places


def copied_share(summary: Sequence[str], source: Sequence[str]) -> float:
    """Share of the summary's words that the source has; 1 for an empty summary."""
    known = set(source)
    return fmean(word in known for word in summary) if summary else 1.0


def relative_positions(summary: Sequence[str], source: Sequence[str]) -> list[float]:
    """Where the copied words stand in the source, from 0 (its first word) to 1 (its last)."""
    last = max(len(source) - 1, 1)
    return [place / last for place in kept_places(summary, source)]


def dangling_words(summary: Sequence[str]) -> list[str]:
    """Function words with nothing to belong to.

    Any function word before a punctuation mark or at the end; an article or possessive also before another function
    word; and a conjunction "and", "or", "but", "nor" at the beginning.
    """
    dangling = [word for word in summary[:1] if word in ("and", "or", "but", "nor")]
    for word, following in zip(summary, [*summary[1:], "."], strict=False):
        ends = not any(character.isalnum() or character in "#$£€" for character in following)
        bare = word in DETERMINERS and following in FUNCTION_WORDS
        if (word in FUNCTION_WORDS and ends) or bare:
            dangling.append(word)
    return dangling


def lost(kind: str, summary: Sequence[str], source: Sequence[str]) -> tuple[int, int]:
    """How many of the source's words of a kind ("negation", "numbers") the summary lacks, and how many there were."""
    is_kind = KINDS[kind]
    of_source = {word for word in source if is_kind(word, False)}
    return len(of_source - set(summary)), len(of_source)
