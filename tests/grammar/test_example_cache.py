from pathlib import Path

import pytest
import torch
from grammars import INPUTS, ChainGrammar, FakeWordEncoder

from ealm.common.errors import RunError
from ealm.grammar.training.example_cache import EXAMPLES_FILE, ExampleCache
from ealm.grammar.training.examples import Example

SENTENCES = [("rain", "fell"), ("the", "old", "bridge", "is", "closed"), ("go",)]


def filled(folder: Path) -> ExampleCache:
    cache = ExampleCache(folder, inputs=INPUTS)
    examples = [Example(words, parse) for words, parse in zip(SENTENCES, ChainGrammar().parse(SENTENCES), strict=True)]
    cache.add(examples, [states.layers for states in FakeWordEncoder().encode_layers(SENTENCES)])
    return cache


def test_states_come_back_normalized_but_for_rounding(tmp_path: Path) -> None:
    cache = filled(tmp_path)
    exact = FakeWordEncoder().states(SENTENCES[1])
    restored = cache.states(1) * cache.deviation + cache.mean
    assert torch.allclose(restored, exact, atol=0.05)


def test_a_cache_goes_on_where_it_was(tmp_path: Path) -> None:
    before = filled(tmp_path)
    after = ExampleCache(tmp_path, inputs=INPUTS)
    assert after.examples == before.examples
    assert all(torch.equal(after.states(number), before.states(number)) for number in range(3))
    assert torch.equal(after.mean, before.mean)


def test_what_a_kill_left_half_written_is_dropped(tmp_path: Path) -> None:
    filled(tmp_path)
    path = tmp_path / EXAMPLES_FILE
    path.write_text(path.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    assert len(ExampleCache(tmp_path, inputs=INPUTS)) == 2
    again = ExampleCache(tmp_path, inputs=INPUTS)
    again.add(again.examples[:1], [FakeWordEncoder().states(SENTENCES[0])])
    assert torch.equal(again.states(2), again.states(0))
    assert len(ExampleCache(tmp_path, inputs=INPUTS)) == 3


def test_states_that_are_gone_are_an_error(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "states.int8").unlink()
    with pytest.raises(RunError, match="cannot be resumed"):
        ExampleCache(tmp_path, inputs=INPUTS)
