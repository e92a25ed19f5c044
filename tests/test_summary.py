"""What a user gets back, as values and as JSON."""

import json

from ealm.edits import Action
from ealm.summary import Edit, Summary, TraceStep

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


def test_str_gives_the_summary() -> None:
    assert str(SUMMARY) == "Zürich span"


def test_json_has_every_field_and_actions_by_name() -> None:
    assert json.loads(json.dumps(SUMMARY.to_dict())) == {
        "source": "the old Zürich bridge",
        "summary": "Zürich span",
        "compression_rate": 0.5,
        "reconstruction_rate": None,
        "step": 3,
        "edits": [
            {"word": "the", "action": "remove", "order": 1, "replacement": None},
            {"word": "old", "action": "remove", "order": 3, "replacement": None},
            {"word": "Zürich", "action": "keep", "order": None, "replacement": None},
            {"word": "bridge", "action": "replace", "order": 2, "replacement": "span"},
        ],
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


def test_making_a_dictionary_leaves_the_summary_as_it_was() -> None:
    SUMMARY.to_dict(trace=True)["edits"][0]["word"] = "a"
    assert SUMMARY.edits[0] == Edit("the", Action.REMOVE, 1)
    assert len(SUMMARY.trace) == 1
