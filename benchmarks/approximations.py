"""`python -m benchmarks.approximations`: what each way of trading exactness for time gains, and how often it agrees.

The work is what the package spends its time on: rows of many lengths, filled hole by hole. Engines that the package
does not offer are measured too, if they are installed: `pip install openvino onnx onnxruntime onnxscript`.
"""

import argparse
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.figures import seconds
from benchmarks.setting import language_model, sentences_of_length
from ealm.common.config import DecodingSettings
from ealm.lm.loading import on_engine
from ealm.lm.masked_lm import TransformersMaskedLM
from ealm.paper.converter import Conversion, Converter
from ealm.paper.edits import Action
from ealm.text.words import split_words

Encoder = Callable[..., tuple[torch.Tensor]]


def main() -> None:
    """The same work in every way."""
    parser = argparse.ArgumentParser(prog="benchmarks.approximations", description=__doc__)
    parser.add_argument("--lm", help="folder of a masked language model [default: the one in the package]")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("approximations.json"))
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    lm = language_model(options.lm)
    exact = _work(lm)
    base = seconds(lambda: Converter(lm).finish(exact))
    recovered = np.mean(
        [r < 10 for c in exact for r, a in zip(c.source_ranks, c.actions, strict=True) if a != Action.KEEP]
    )
    print(f"exact: {base:.1f} s for {len(exact)} conversions; {recovered:.2f} of the holes recovered", flush=True)
    results = {}
    for name, converter in _ways(lm):
        approximate = _work(lm)
        converter.finish(_work(lm)[:8])  # warm up
        time = seconds(lambda c=converter, work=approximate: c.finish(work))
        results[name] = {"gain": base / time, **_agreement(exact, approximate)}
        print(name, json.dumps({key: round(value, 4) for key, value in results[name].items()}), flush=True)
    options.out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def _work(lm: TransformersMaskedLM) -> list[Conversion]:
    """Sentences of many lengths under actions like those of a trained agent: many removed, few replaced."""
    rng = np.random.default_rng(0)
    conversions = []
    for text in sentences_of_length(48, (12, 32)):
        ids = lm.word_ids(split_words(text))
        actions = [Action(int(a)) for a in rng.choice(3, size=len(ids), p=[0.4, 0.57, 0.03])]
        conversions.append(Conversion(ids, actions))
    return conversions


def _agreement(exact: list[Conversion], other: list[Conversion]) -> dict[str, float]:
    pairs = list(zip(exact, other, strict=True))
    ranks = [(a, b) for x, y in pairs for a, b in zip(x.source_ranks, y.source_ranks, strict=True)]
    return {
        "same summary": float(np.mean([x.summary == y.summary for x, y in pairs])),
        "same reconstruction": float(np.mean([x.reconstruction == y.reconstruction for x, y in pairs])),
        "same recovered or not, a word": float(np.mean([(a < 10) == (b < 10) for a, b in ranks])),
    }


def _ways(lm: TransformersMaskedLM) -> Iterator[tuple[str, Converter]]:
    for confidence in (0.9, 0.7, 0.5):
        settings = DecodingSettings(mode="parallel", parallel_confidence=confidence)
        yield f"parallel decoding, confidence {confidence}", Converter(lm, settings)
    for name, encoder in _engines(lm):
        yield name, Converter(_Replaced(lm, encoder))


class _Replaced(TransformersMaskedLM):
    """A language model whose encoder is run by somebody else."""

    def __init__(self, lm: TransformersMaskedLM, encoder: Encoder) -> None:
        vars(self).update(vars(lm))
        self._encoder = encoder


def _engines(lm: TransformersMaskedLM) -> Iterator[tuple[str, Encoder]]:
    yield "torch, dynamic int8", on_engine("int8", lm.model.base_model)
    for engine in (_openvino, _onnx):
        try:
            yield from engine(lm.model.base_model)
        except ImportError as error:
            print(f"left out: {error}")


class LastLayer(torch.nn.Module):
    """The encoder with one output and its inputs by place, as converters want it."""

    def __init__(self, base: torch.nn.Module) -> None:
        super().__init__()
        self._base = base

    def forward(self, ids: torch.Tensor, attention: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        return self._base(input_ids=ids, attention_mask=attention, token_type_ids=segments)[0]


NAMES = ["ids", "attention", "segments"]


def _example() -> tuple[torch.Tensor, ...]:
    return tuple(torch.ones(2, 8, dtype=torch.long) for _ in NAMES)


def _arrays(inputs: dict[str, torch.Tensor]) -> list[Any]:
    return [inputs[name].numpy() for name in ("input_ids", "attention_mask", "token_type_ids")]


def _openvino(base: torch.nn.Module) -> Iterator[tuple[str, Encoder]]:
    import openvino

    graph = openvino.convert_model(LastLayer(base), example_input=_example())
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": torch.get_num_threads()}
    compiled = openvino.compile_model(graph, "CPU", options)
    yield "OpenVINO, float32", lambda **inputs: (torch.from_numpy(compiled(_arrays(inputs))[0].copy()),)


def _onnx(base: torch.nn.Module) -> Iterator[tuple[str, Encoder]]:
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        plain, int8 = Path(folder) / "plain.onnx", Path(folder) / "int8.onnx"
        shapes = {name: {0: "rows", 1: "tokens"} for name in NAMES}
        torch.onnx.export(
            LastLayer(base), _example(), plain, input_names=NAMES, dynamic_shapes=shapes, dynamo=True, verbose=False
        )
        quantize_dynamic(plain, int8, weight_type=QuantType.QInt8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        for name, path in (("float32", plain), ("dynamic int8", int8)):
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

            def run(session: onnxruntime.InferenceSession = session, **inputs: torch.Tensor) -> tuple[Any]:
                values = dict(zip(NAMES, _arrays(inputs), strict=True))
                return (torch.from_numpy(session.run(None, values)[0]),)

            yield f"ONNX Runtime, {name}", run


if __name__ == "__main__":
    main()
