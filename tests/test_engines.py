"""The compiled encoder gives what PyTorch gives, up to rounding."""

import builtins
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_models import save_tiny_bert, tiny_bert, tiny_roberta

from ealm.edits import Masked
from ealm.errors import LanguageModelError
from ealm.masked_lm import TransformersMaskedLM

QUESTIONS = [
    Masked((5, 6, 7), (8, None, 9, None)),
    Masked((), (None, 10, 11)),
    Masked(tuple(range(5, 25)), (None,) * 12),
]


@pytest.mark.parametrize("build", [tiny_bert, tiny_roberta])
def test_the_compiled_encoder_predicts_and_encodes_as_torch_does(build: Any) -> None:
    lm = build()
    compiled = lm.with_engine("openvino")
    torch.testing.assert_close(compiled.predict(QUESTIONS), lm.predict(QUESTIONS), atol=1e-4, rtol=1e-4)
    sentences = [tuple(range(5, 12)), (7,)]
    for mine, expected in zip(compiled.encode(sentences), lm.encode(sentences), strict=True):
        torch.testing.assert_close(mine, expected, atol=1e-4, rtol=1e-4)


def test_a_model_is_loaded_with_the_engine_asked_for(tmp_path: Path) -> None:
    save_tiny_bert(tmp_path)
    loaded = TransformersMaskedLM.load(tmp_path, engine="openvino")
    expected = TransformersMaskedLM.load(tmp_path)
    torch.testing.assert_close(loaded.predict(QUESTIONS), expected.predict(QUESTIONS), atol=1e-4, rtol=1e-4)


def test_an_engine_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(LanguageModelError, match=r"There is no engine 'steam'. Engines: torch, openvino"):
        tiny_bert().with_engine("steam")


def test_nothing_is_reported_to_the_makers_of_the_engine() -> None:
    code = """
import sys
from ealm.engines import _import_openvino
_import_openvino().convert_model
from openvino.tools.ovc import telemetry_utils
sys.exit(telemetry_utils.tm.__name__ != "openvino.tools.ovc.telemetry_stub")
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_openvino_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    really_import = builtins.__import__

    def without_openvino(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "openvino":
            raise ImportError(name)
        return really_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_openvino)
    with pytest.raises(LanguageModelError, match=r"pip install 'ealm\[openvino\]'"):
        tiny_bert().with_engine("openvino")
