"""sumy's rankings as systems: whole sentences of the text, in order, within the limit."""

import sys

import pytest

from ealm.baselines import sentence_ranking
from ealm.baselines.sentence_ranking import _Fitting, _Words
from ealm.common.extras import MissingExtraError
from ealm.evaluation.systems import load_system, parse_systems

TEXT = (
    "The ferry to Lokken is late. The harbour is closed because of the storm. A storm closed the harbour and stopped "
    "the ferry. Nobody was hurt. The ferry will sail again when the storm is over and the harbour is open."
)
SENTENCES = [f"{part.strip('.')}." for part in TEXT.split(". ")]


@pytest.mark.parametrize("name", ["sumy:lexrank", "sumy:lsa", "sumy:textrank"])
def test_whole_sentences_in_order_within_the_limit(name: str) -> None:
    pytest.importorskip("sumy", reason="extra sumy is not installed")
    (spec,) = parse_systems(name)
    assert spec.name == name
    system = load_system(spec, None)
    for limit in (8, 20, 1000):
        (summary,) = system.summarize([TEXT], words=limit, pretokenized=False)
        kept = [sentence for sentence in SENTENCES if sentence in summary]
        assert summary == " ".join(kept)
        assert 0 < len(summary.split()) <= limit
    assert system.summarize([TEXT], pretokenized=False) == [TEXT]
    assert system.summarize([TEXT], words=2, pretokenized=False) == ["The ferry"]


def test_without_sumy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sumy", "sumy.nlp.stemmers", "sumy.utils"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"Ranking sentences needs sumy.*pip install 'ealm\[sumy\]'"):
        sentence_ranking.lexrank()


def test_words_have_no_marks() -> None:
    assert _Words().to_words('"Yes," she said (twice) –  10.5!') == ("Yes", "she", "said", "twice", "–", "10.5")


def test_the_best_that_still_fit_are_taken() -> None:
    class Info:
        def __init__(self, sentence: str) -> None:
            self.sentence = sentence

    ranked = [Info("a b c"), Info("d e f"), Info("g h")]
    assert _Fitting(5)(ranked) == [ranked[0], ranked[2]]
    assert _Fitting(None)(ranked) == ranked
    assert _Fitting(1)(ranked) == []
