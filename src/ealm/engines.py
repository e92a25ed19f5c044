"""Other ways to run the encoder of a language model: the same weights through a graph compiler.

Opt-in, because the last bits of its floats differ from PyTorch's, so that a near tie may fall the other way;
`docs/performance.md` has the measured gain and agreement.
"""

import sys
import warnings
from typing import Any

import torch
from torch import Tensor

from ealm.errors import LanguageModelError
from ealm.quiet import quiet_transformers

ENGINES = ("torch", "openvino")


class OpenVinoEncoder:
    """The encoder of a BERT-style model, compiled by OpenVINO for this processor."""

    def __init__(self, model: Any) -> None:
        """`model` is a masked language model of `transformers`, on the CPU."""
        openvino = _import_openvino()
        example = {
            "input_ids": torch.ones(2, 8, dtype=torch.long),
            "attention_mask": torch.ones(2, 8, dtype=torch.long),
        }
        if getattr(model.config, "type_vocab_size", 0) > 1:
            example["token_type_ids"] = torch.zeros(2, 8, dtype=torch.long)
        self._inputs = list(example)
        with warnings.catch_warnings(), quiet_transformers():
            warnings.simplefilter("ignore")  # tracing warns of branches that our inputs never take
            graph = openvino.convert_model(_Encoder(model.base_model), example_input=tuple(example.values()))
        # Full precision: on processors that have bfloat16, OpenVINO would round to it.
        precision = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": torch.get_num_threads()}
        self._compiled = openvino.compile_model(graph, "CPU", precision)

    def __call__(self, **inputs: Tensor) -> tuple[Tensor]:
        """Last layer, as `model.base_model(**inputs)` gives it first."""
        values = [inputs[name].numpy() for name in self._inputs]
        return (torch.from_numpy(self._compiled(values)[0].copy()),)


def _import_openvino() -> Any:
    # OpenVINO reports its use to its makers if it finds this package; without it, it uses a stub that does nothing.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    try:
        import openvino
    except ImportError as error:
        raise LanguageModelError(
            "The openvino engine is not installed. Install it with: pip install 'ealm[openvino]'"
        ) from error
    return openvino


class _Encoder(torch.nn.Module):
    """The base model with one output and its inputs by place, as the converter to a graph wants it."""

    def __init__(self, base_model: Any) -> None:
        super().__init__()
        self._base_model = base_model

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None) -> Tensor:
        segments = {} if token_type_ids is None else {"token_type_ids": token_type_ids}
        hidden: Tensor = self._base_model(input_ids=input_ids, attention_mask=attention_mask, **segments)[0]
        return hidden
