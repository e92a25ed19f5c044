"""A source as the language model sees it, and what is written for people."""

from dataclasses import replace

from walk_cases import IGNORED, K, R, X, language_model

from ealm.paper.converter import Conversion, Converter
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.source import Source, written_reconstruction, written_summary, written_words


def test_kept_words_are_written_as_the_source_has_them_and_new_ones_as_the_model_has_them() -> None:
    lm = language_model()
    source = Source.prepare(("Zebra", "RIVER", "rises", "late"), lm, IGNORED)
    conversion = Conversion(source.ids, (K, K, X, R))
    assert written_summary(source, conversion, lm) is None
    Converter(lm).finish([conversion])
    assert conversion.summary is not None
    assert conversion.reconstruction is not None
    assert written_summary(source, conversion, lm) == ("Zebra", "RIVER", *lm.words(conversion.summary[2:]))
    assert written_reconstruction(source, conversion, lm) == (
        "Zebra",
        "RIVER",
        *lm.words(conversion.reconstruction[2:]),
    )


def test_new_words_are_known_by_their_places_once_they_are_filled() -> None:
    lm = language_model()
    source = Source.prepare(("Zebra", "RIVER", "rises", "late"), lm, IGNORED)
    conversion = Conversion(source.ids, (R, X, K, X))
    assert written_words(conversion, lm) == {}
    Converter(lm).finish([conversion])
    assert conversion.summary is not None
    first, _, last = lm.words(conversion.summary)
    assert written_words(conversion, lm) == {1: first, 3: last}
    assert written_words(Conversion(source.ids, (R, K, K, K)), lm) == {}


def test_an_unknown_number_is_looked_up_by_its_shape_but_does_not_count() -> None:
    lm = language_model()
    source = Source.prepare(("5", "river", "55.31", "zebra5"), lm, IGNORED)
    assert source.ids == (*lm.word_ids(["#", "river"]), lm.unknown_id, lm.unknown_id)
    assert source.counted == (False, True, False, False)
    assert source.words == ("5", "river", "55.31", "zebra5")


def test_ignored_and_unknown_words_do_not_count() -> None:
    source = Source.prepare(("The", "river", "zebra", "."), language_model(), IGNORED)
    assert source.counted == (False, True, False, False)


def test_unknown_words_count_where_the_settings_say_so() -> None:
    lm = language_model()
    ignored = IgnoredWords(replace(IGNORED.settings, unknown=False), IGNORED.frequent)
    words = ("The", "river", "zebra", ".")
    counted = dict(zip(words, Source.prepare(words, lm, ignored).counted, strict=True))
    assert counted == {"The": False, "river": True, "zebra": "zebra" not in ignored, ".": False}
    assert counted["zebra"]
