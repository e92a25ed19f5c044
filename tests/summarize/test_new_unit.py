"""A unit of length is a module and a row of `UNITS`: option, flag, field and fitting follow from the row."""

import json
import re
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest
from fakes import TableMaskedLM

from ealm.common.config import IgnoredWordsSettings
from ealm.paper.edits import Action
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.rollout import Step, Walk
from ealm.summarize.documents import LengthPlanner, assembled
from ealm.summarize.options import SummarizeOptions
from ealm.summarize.prepared_sentence import PreparedSentence
from ealm.text.lengths import UNITS, LengthUnit, Limit, measure
from ealm.text.sentences import split_sentences

TEXT = "The river rises in the valley. Police find silver and gold in a garden."


def count_vowels(text: str) -> int:
    """A toy."""
    return len(re.findall("[aeiou]", text.lower()))


def walk_over(prepared: PreparedSentence) -> Walk:
    """All words from left to right."""
    length = len(prepared.sentence.words)
    free = [index for index in range(length) if index not in prepared.locked]
    return Walk(length, tuple(Step(index, Action.REMOVE, (0.0, 0.0, 0.0)) for index in free))


@pytest.mark.parametrize("size", range(1, count_vowels(TEXT) + 1))
def test_a_text_is_fitted_to_a_new_unit(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    module = ModuleType("ealm.text.vowels")
    module.count = count_vowels  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(UNITS, "vowels", LengthUnit("vowels:count", "At most so many vowels."))
    ignored = IgnoredWords(IgnoredWordsSettings(infrequent="none"))
    sentences = [
        PreparedSentence.prepare(sentence, TableMaskedLM({}, ["river"]), ignored, SummarizeOptions())
        for sentence in split_sentences(TEXT)
    ]
    planner = LengthPlanner(sentences, [walk_over(own) for own in sentences], np.eye(len(sentences)))
    parts = [
        own.text(chosen.actions) for own, chosen in zip(sentences, planner.plan(Limit(size, "vowels")), strict=True)
    ]
    summary = assembled([own.sentence for own in sentences], parts)
    assert (measure(TEXT, "vowels"), measure("silver", "vowels")) == (count_vowels(TEXT), 2)
    assert count_vowels(summary) <= size
    assert summary == TEXT or count_vowels(summary) > size - 5  # a new sentence has four words at least


REGISTERED = """
import json
from ealm.text.lengths import UNITS, LengthUnit
UNITS["vowels"] = LengthUnit("vowels:count", "At most so many vowels.")
from ealm.cli.summarize import summarize
from ealm.service.schemas import BatchLine, SummarizeRequest
from ealm.summarize.options import OPTIONS, SummarizeOptions
import pickle
options = SummarizeRequest(text="a", vowels=3).options()
assert pickle.loads(pickle.dumps(options)) == options != SummarizeOptions()
print(json.dumps({
    "last_length": [name for name, option in OPTIONS.items() if option.group == "length"][-1],
    "after": list(OPTIONS)[list(OPTIONS).index("vowels") + 1],
    "flag": [parameter.help for parameter in summarize.params if "--vowels" in parameter.opts],
    "field": BatchLine.model_json_schema()["properties"]["vowels"]["description"],
    "limit": [options.limit("a b c").size, options.limit("a b c").unit],
}))
"""


def test_a_new_row_is_an_option_a_flag_and_a_field() -> None:
    """In a process of its own, because options are made when their module is imported."""
    done = subprocess.run([sys.executable, "-c", REGISTERED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "last_length": "vowels",
        "after": "whole_sentences",
        "flag": ["At most so many vowels."],
        "field": "At most so many vowels.",
        "limit": [3, "vowels"],
    }
