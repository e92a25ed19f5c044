"""Random marked-up texts with the model in the package: nothing is torn at any length.

`EALM_FUZZ_INPUTS=1000 pytest tests/summarize/test_torn_markup.py` tries so many instead of a few.
"""

import os
from functools import cache
from random import Random

import pytest
from marked_texts import MAKERS, torn

from ealm import Summarizer

INPUTS = int(os.environ.get("EALM_FUZZ_INPUTS", "30"))


@cache
def summarizer() -> Summarizer:
    return Summarizer()


@pytest.mark.parametrize("markup", MAKERS)
def test_nothing_is_torn(markup: str) -> None:
    for number in range(-(-INPUTS // len(MAKERS))):
        random = Random(f"{markup} {number}")
        source = MAKERS[markup](random)
        ratio = random.choice((0.15, 0.3, 0.5, 0.8))
        summary = summarizer().summarize(source, ratio=ratio, markup=markup).summary
        assert not torn(source, summary, markup), f"{number}, {ratio}:\n{source}\n-----\n{summary}"
