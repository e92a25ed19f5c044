"""Systems, their scores, chance and spread, and what is counted beyond ROUGE."""

from pathlib import Path

import numpy as np
import pytest
from tiny_models import tiny_bert

from ealm.baselines.trivial import LeadBytes, LeadWords, StopWordDeletion
from ealm.common.errors import EalmError
from ealm.evaluation.bootstrap import difference, intervals, resampled_means
from ealm.evaluation.data import PairedTexts
from ealm.evaluation.qualities import qualities, sensible_new_words
from ealm.evaluation.results import Run, SystemResult, evaluate
from ealm.evaluation.rouge import LENGTH, PAPER
from ealm.evaluation.systems import SystemSpec, load_system, needed_seeds, parse_systems
from ealm.evaluation.words import copied_share, dangling_words, kept_places, lost, plain_words, relative_positions
from ealm.lm.masked_lm import MaskedLM

PAIRED = PairedTexts(
    "mine",
    ("the old bridge falls into the river .", "police find silver in a garden ."),
    (("old bridge falls",), ("police find silver",)),
)

# Systems --------------------------------------------------------------------------------------------------------------


def test_systems_are_had_by_the_names_of_the_table() -> None:
    text = "lead-8, lead-75b,stopwords,ealm,ealm:mine=runs/a,seq3=s,seq3+=s,cmatch=c,file:other=out.txt"
    assert parse_systems(text) == [
        SystemSpec("lead-8", "lead-8"),
        SystemSpec("lead-75b", "lead-75b"),
        SystemSpec("stopwords", "stopwords"),
        SystemSpec("ealm", "ealm"),
        SystemSpec("ealm", "mine", "runs/a"),
        SystemSpec("seq3", "seq3", "s"),
        SystemSpec("seq3+", "seq3+", "s"),
        SystemSpec("cmatch", "cmatch", "c"),
        SystemSpec("file", "other", "out.txt"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Name at least one system"),
        ("lead", "There is no system 'lead'"),
        ("bart", "There is no system 'bart'"),
        ("seq3", "seq3 needs to know where: seq3=DIR"),
        ("cmatch", "train-baseline cmatch"),
        ("file", "file:NAME=PATH"),
        ("lead-8=x", "leave =x out"),
        ("ealm=a,ealm=b", "Two systems are called ealm"),
        ("ealm=run-{seed}", "no seeds are given"),
    ],
)
def test_a_system_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(EalmError, match=message):
        parse_systems(text)


def test_a_system_with_a_seed_in_its_place_is_scored_for_each() -> None:
    specs = parse_systems("lead-8,file:x=out-{seed}.txt", seeds=[3, 5])
    assert needed_seeds(specs, [3, 5]) == [(specs[0], None), (specs[1], 3), (specs[1], 5)]
    assert specs[1].place(5) == Path("out-5.txt")


def test_trivial_systems_keep_to_the_length() -> None:
    texts = ["The old bridge falls, it is said.", "the and of"]
    assert load_system(SystemSpec("lead-3", ""), None) == LeadWords(3)
    assert load_system(SystemSpec("lead-9b", ""), None) == LeadBytes(9)
    assert LeadWords(3).summarize(texts) == ["The old bridge", "the and of"]
    assert LeadWords(3).summarize(texts, words=2) == ["The old", "the and"]
    assert LeadBytes(9).summarize(texts) == ["The old", "the and"]
    assert LeadBytes(9).summarize(texts, words=1) == ["The", "the"]
    assert StopWordDeletion().summarize(texts, pretokenized=False) == ["old bridge falls said", "and of"]
    assert StopWordDeletion().summarize(texts, words=2, pretokenized=False) == ["old bridge", "and of"]


def test_stop_word_deletion_never_leaves_nothing() -> None:
    assert StopWordDeletion().summarize(["it is"]) == ["it is"]
    assert StopWordDeletion().summarize(["it is"], words=1) == ["it"]


def test_an_agent_is_a_system(agent_folder: Path) -> None:
    system = load_system(SystemSpec("ealm", "mine", str(agent_folder)), None)
    (summary,) = system.summarize(["the police minister finds a silver bridge"], words=3)
    assert 1 <= len(summary.split()) <= 3


# Scores ---------------------------------------------------------------------------------------------------------------


def test_scores_of_each_sentence_by_hand() -> None:
    # 2 of 2 words right, of 3 wanted: F1 = 4/5; one common pair of 1 and 2: F1 = 2/3. Then the same, all right.
    run = Run.of(["bridge falls", "police find silver"], PAIRED, LENGTH)
    assert run.scores.tolist() == [pytest.approx([80, 200 / 3, 80]), pytest.approx([100, 100, 100])]
    assert (run.length, run.new_words) == (2.5, 0)


def test_evaluating_gives_every_system_its_row(tmp_path: Path) -> None:
    for seed, text in ((0, "bridge falls\npolice find silver\n"), (1, "bridge\nbold new words\n")):
        (tmp_path / f"out-{seed}.txt").write_text(text, encoding="utf-8")
    specs = parse_systems(f"lead-3,file:other={tmp_path}/out-{{seed}}.txt", seeds=[0, 1])
    heard: list[str] = []
    result = evaluate(PAIRED, specs, protocol=PAPER, pretokenized=True, seeds=[0, 1], say=heard.append)
    assert heard == ["lead-3", "other, seed 0", "other, seed 1"]
    lead, other = result.systems
    assert lead.spread is None
    assert len(other.runs) == 2
    assert other.scores == pytest.approx((other.runs[0].scores + other.runs[1].scores) / 2)
    assert other.length == (2.5 + 2.0) / 2
    assert other.new_words == (0 + 1.5) / 2
    (comparison,) = result.comparisons()
    assert (comparison.one, comparison.other) == ("other", "lead-3")
    assert comparison.differences[0].mean == pytest.approx(float((other.scores - lead.scores)[:, 0].mean()))
    assert result.comparisons("nobody") == []


def test_the_spread_is_the_standard_deviation_over_seeds() -> None:
    runs = tuple(Run(seed, ("a",), np.full((1, 3), value), 1.0, 0.0) for seed, value in enumerate((10.0, 12.0, 14.0)))
    assert SystemResult("x", "file", runs).spread == pytest.approx([2, 2, 2])


# Chance ---------------------------------------------------------------------------------------------------------------


def test_the_interval_holds_the_mean_and_narrows_with_sentences() -> None:
    rng = np.random.default_rng(0)
    few, many = rng.normal(5, 1, (50, 1)), rng.normal(5, 1, (5_000, 1))
    (wide,), (narrow,) = intervals(few), intervals(many)
    assert wide.lower < wide.mean < wide.upper
    # 1.96 standard errors on each side.
    assert wide.upper - wide.lower == pytest.approx(2 * 1.96 * few.std() / 50**0.5, rel=0.1)
    assert narrow.upper - narrow.lower == pytest.approx(2 * 1.96 * many.std() / 5_000**0.5, rel=0.1)


def test_a_paired_difference_is_far_narrower_than_its_parts() -> None:
    rng = np.random.default_rng(1)
    hard = rng.normal(30, 10, 400)
    better = hard + 0.5 + rng.normal(0, 0.1, 400)
    assert difference(better, hard).excludes_zero
    apart = intervals(np.stack([better, hard], axis=1))
    assert apart[0].lower < apart[1].upper
    assert not difference(hard, hard).excludes_zero


def test_draws_do_not_depend_on_their_number_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).random((40, 2))
    whole = resampled_means(values, resamples=50)
    monkeypatch.setattr("ealm.evaluation.bootstrap._SENTENCES_TIMES_RESAMPLES", 7 * 40)
    assert np.allclose(resampled_means(values, resamples=50), whole, rtol=1e-12)


# Beyond ROUGE ---------------------------------------------------------------------------------------------------------


def test_words_of_raw_and_of_cut_text() -> None:
    assert plain_words("It isn't 5%.", pretokenized=False) == ("it", "isn't", "5", "%", ".")
    assert plain_words("It isn't 5%.", pretokenized=True) == ("it", "isn't", "5%.")


def test_kept_words_are_found_in_order() -> None:
    source = "the old man and the sea".split()
    assert kept_places("the sea".split(), source) == [0, 5]
    assert kept_places("old the sea".split(), source) == [1, 4, 5]
    assert kept_places("sea old whale".split(), source) == [5, 1]
    assert relative_positions("the sea".split(), source) == [0, 1]
    assert relative_positions(["one"], ["one"]) == [0]


def test_copied_share() -> None:
    assert copied_share("old whale".split(), "the old man".split()) == 0.5
    assert copied_share([], ["a"]) == 1


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("police find the silver", []),
        ("police find the", ["the"]),
        ("police look for .", ["for"]),
        ("the of silver", ["the"]),
        ("from behind the bridge", []),
        ("and police find silver", ["and"]),
        ("police and", ["and"]),
        ("silver is", ["is"]),
        ("silver is ## ounces", []),
        ("a , the river", ["a"]),
        ("", []),
    ],
)
def test_dangling_function_words(summary: str, expected: list[str]) -> None:
    assert dangling_words(summary.split()) == expected


def test_lost_words_of_a_kind() -> None:
    source = "it did not rain 5 days and not 6".split()
    assert lost("negation", "it rained 5 days".split(), source) == (1, 1)
    assert lost("numbers", "it rained 5 days".split(), source) == (1, 2)
    assert lost("negation", [], ["rain"]) == (0, 0)


def test_sensible_new_words_are_those_that_the_language_model_expects() -> None:
    lm: MaskedLM = tiny_bert()
    source = "the river rises".split()
    ids = lm.word_ids(source)
    from ealm.lm.cloze import Masked

    scores = lm.predict([Masked((), (ids[0], None, ids[2]))])[0]
    best = lm.words([int(scores.argmax())])[0]
    worst = lm.words([int(scores.masked_fill(scores.isinf(), float("inf")).argmin())])[0]
    pairs = [(["the", word, "rises"], source) for word in (best, worst)]
    assert sensible_new_words(lm, pairs[:1]) == 1
    assert sensible_new_words(lm, pairs) == 0.5
    assert sensible_new_words(lm, [(source, source), (["zebra"], source)]) is None  # no new word, an unknown one


def test_qualities_of_a_system() -> None:
    found = qualities(["the river rises", "police find the"], list(PAIRED.sources), pretokenized=True, lm=tiny_bert())
    assert found.copied == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert found.dangling == 0.5
    assert found.lost_negations is None
    assert found.similarity is None
    assert found.fluency is not None
    assert 0 < found.fluency < 1
    assert found.to_dict()["copied"] == found.copied
