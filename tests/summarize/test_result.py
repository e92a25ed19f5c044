"""What a user gets back, as values and as JSON."""

import json
import pickle
import re
from dataclasses import fields, replace

import pytest
from jsonschema import Draft202012Validator
from places import SUPPORT

from ealm.paper.edits import Action
from ealm.summarize.result import Edit, Summary, TraceStep

SCHEMA = Draft202012Validator(json.loads((SUPPORT / "summary.schema.json").read_text(encoding="utf-8")))

SUMMARY = Summary(
    source="the old Zürich bridge",
    summary="Zürich span",
    compression_rate=0.5,
    reconstruction_rate=None,
    step=3,
    edits=(
        Edit("the", Action.REMOVE, 1),
        Edit("old", Action.REMOVE, 3),
        Edit("Zürich", Action.KEEP, None),
        Edit("bridge", Action.REPLACE, 2, "span"),
    ),
    trace=(
        TraceStep(1, 0, "the", Action.REMOVE, (2.0, 1.0, 0.0), 0.25, "old Zürich bridge", "an old Zürich bridge", 1.0),
    ),
)


DROPPED = Summary(
    source="It rains.",
    summary="",
    compression_rate=1.0,
    reconstruction_rate=0.25,
    step=2,
    edits=(Edit("It", Action.REMOVE, 1), Edit("rains", Action.REMOVE, 2), Edit(".", Action.REMOVE, None)),
    trace=(),
)

TEXT = Summary(
    source="the old Zürich bridge It rains.",
    summary="Zürich span",
    compression_rate=5 / 7,
    reconstruction_rate=None,
    step=5,
    edits=(*SUMMARY.edits, *DROPPED.edits),
    trace=(),
    sentences=(SUMMARY, DROPPED),
)


def test_str_gives_the_summary() -> None:
    assert str(SUMMARY) == "Zürich span"


def test_json_has_every_field_and_actions_by_name() -> None:
    assert json.loads(json.dumps(SUMMARY.to_dict())) == {
        "source": "the old Zürich bridge",
        "summary": "Zürich span",
        "compression_rate": 0.5,
        "reconstruction_rate": None,
        "step": 3,
        "complete": True,
        "reason": None,
        "language": None,
        "decoding": None,
        "edits": [
            {"word": "the", "action": "remove", "order": 1, "replacement": None, "rebuilt": None, "recovered": None},
            {"word": "old", "action": "remove", "order": 3, "replacement": None, "rebuilt": None, "recovered": None},
            {
                "word": "Zürich",
                "action": "keep",
                "order": None,
                "replacement": None,
                "rebuilt": None,
                "recovered": None,
            },
            {
                "word": "bridge",
                "action": "replace",
                "order": 2,
                "replacement": "span",
                "rebuilt": None,
                "recovered": None,
            },
        ],
        "sentences": [],
    }


def test_the_trace_is_in_the_json_only_if_asked_for() -> None:
    values = json.loads(json.dumps(SUMMARY.to_dict(trace=True)))
    assert values.pop("trace") == [
        {
            "step": 1,
            "position": 0,
            "word": "the",
            "action": "remove",
            "q_values": [2.0, 1.0, 0.0],
            "compression_rate": 0.25,
            "summary": "old Zürich bridge",
            "reconstruction": "an old Zürich bridge",
            "reconstruction_rate": 1.0,
        }
    ]
    assert values == json.loads(json.dumps(SUMMARY.to_dict()))


@pytest.mark.parametrize("trace", [False, True])
def test_the_sentences_of_a_text_are_in_its_json_one_level_deep(trace: bool) -> None:
    values = json.loads(json.dumps(TEXT.to_dict(trace=trace)))
    parts = [json.loads(json.dumps(part.to_dict(trace=trace))) for part in (SUMMARY, DROPPED)]
    for part in parts:
        assert part.pop("sentences") == []
        assert ("trace" in part) is trace
    assert values.pop("sentences") == parts
    assert [edit["action"] for edit in values["edits"]] == ["remove", "remove", "keep", "replace", *["remove"] * 3]
    assert values.get("trace") == ([] if trace else None)


@pytest.mark.parametrize("summary", [SUMMARY, DROPPED, TEXT])
@pytest.mark.parametrize("trace", [False, True])
def test_the_json_of_any_summary_follows_its_schema(summary: Summary, trace: bool) -> None:
    SCHEMA.validate(json.loads(json.dumps(summary.to_dict(trace=trace))))


def test_a_sentence_has_no_sentences_unless_it_is_a_text() -> None:
    assert SUMMARY.sentences == ()
    assert str(TEXT) == "Zürich span"


def test_making_a_dictionary_leaves_the_summary_as_it_was() -> None:
    SUMMARY.to_dict(trace=True)["edits"][0]["word"] = "a"
    assert SUMMARY.edits[0] == Edit("the", Action.REMOVE, 1)
    assert len(SUMMARY.trace) == 1
    TEXT.to_dict()["sentences"][0]["edits"][0]["word"] = "a"
    assert TEXT.sentences[0].edits[0] == Edit("the", Action.REMOVE, 1)


# In a terminal and in a notebook --------------------------------------------------------------------------------------


def test_repr_is_one_line() -> None:
    assert repr(SUMMARY) == "Summary('Zürich span', 2 of 4 words)"
    long = replace(SUMMARY, source="a b", summary="river\n\n" * 40)
    assert repr(long) == f"Summary('{'river ' * 9}river…', 40 of 2 words)"
    assert str(long) == "river\n\n" * 40


def test_a_notebook_shows_the_edits() -> None:
    shown = re.sub(' style="[^"]*"', "", SUMMARY._repr_html_())
    assert "<p><strong>Zürich span</strong></p><p>" in shown
    assert "<del>the</del> <del>old</del> Zürich" in shown
    assert "<del>bridge</del> <ins>span</ins>" in shown
    assert "<p>2 of 4 words" in shown


def test_a_notebook_says_what_is_known() -> None:
    phrase = replace(SUMMARY, reconstruction_rate=0.625, complete=False, reason="Nothing <true> fits.")
    assert "2 of 4 words · 62% recoverable · Nothing &lt;true&gt; fits.</p>" in phrase._repr_html_()


def test_nothing_of_a_text_becomes_markup() -> None:
    edits = (Edit("<script>", Action.KEEP, None), Edit("<b>", Action.REPLACE, 1, "<i>"), Edit("<u>", Action.REMOVE, 2))
    summary = replace(SUMMARY, source="<script> <b> <u> &", summary="<script> <i>", edits=edits)
    shown = summary._repr_html_()
    assert all(tag not in shown for tag in ("<script", "<b>", "<i>", "<u>"))
    assert "&lt;script&gt; <del" in shown
    assert shown.count("&lt;i&gt;") == 2
    assert "</del> &amp;</p>" in shown


def test_the_source_is_the_edits_and_what_is_between() -> None:
    pieces = [piece if isinstance(piece, str) else piece.word for piece in TEXT.marked_source()]
    assert "".join(pieces) == TEXT.source


def _later(calls: list[str]) -> Summary:
    def edits() -> tuple[Edit, ...]:
        calls.append("edits")
        return SUMMARY.edits

    def trace() -> tuple[TraceStep, ...]:
        calls.append("trace")
        return SUMMARY.trace

    known = {field.name: getattr(SUMMARY, field.name) for field in fields(SUMMARY)}
    return Summary.later(**{**known, "edits": edits, "trace": trace})


def test_edits_and_trace_are_worked_out_once_and_only_if_somebody_reads_them() -> None:
    calls: list[str] = []
    summary = _later(calls)
    other = summary.but(language="en")
    assert (str(summary), summary.step, other.language) == (SUMMARY.summary, SUMMARY.step, "en")
    assert calls == []
    assert (summary.edits, summary.edits, calls) == (SUMMARY.edits, SUMMARY.edits, ["edits"])
    assert (other.trace, summary) == (SUMMARY.trace, SUMMARY)
    assert not hasattr(summary, "steps")


def test_a_copy_for_another_process_has_everything() -> None:
    assert pickle.loads(pickle.dumps(_later([]))) == SUMMARY
    assert _later([]).to_dict(trace=True) == SUMMARY.to_dict(trace=True)
