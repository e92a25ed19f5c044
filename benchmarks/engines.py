"""`python -m benchmarks.engines`: the same encoder through other engines, as far as they are installed.

The package keeps one of them (see docs/performance.md); the others need `pip install onnx onnxruntime onnxscript`.
"""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch

from benchmarks.figures import seconds
from benchmarks.setting import language_model
from benchmarks.text import sentences
from ealm.edits import Masked
from ealm.engines import OpenVinoEncoder
from ealm.masked_lm import TransformersMaskedLM
from ealm.text import split_words

Encoder = Callable[..., torch.Tensor]


def main() -> None:
    """Time each engine on one batch and compare the best words at its holes."""
    warnings.filterwarnings("ignore")
    lm = language_model(fit_steps=60)
    questions = _questions(lm)
    inputs = lm.inputs(questions)
    holes = inputs["input_ids"] == lm.mask_id
    print(f"{len(questions)} rows, {inputs['input_ids'].shape[1]} tokens, {int(holes.sum())} holes")
    base_time, base_words = 0.0, torch.empty(0)
    for name, encode in _engines(lm):
        with torch.no_grad():
            encode(**inputs)
            time = seconds(lambda e=encode: e(**inputs), repeat=5)
            words = lm.model.cls(encode(**inputs)[holes]).argmax(dim=-1)
        if name == "torch":
            base_time, base_words = time, words
        same = float((words == base_words).float().mean())
        print(f"{name:24} {1000 * time:7.1f} ms   gain {base_time / time:5.2f}   same best word {same:.3f}", flush=True)


def _questions(lm: TransformersMaskedLM) -> list[Masked[int]]:
    rng = np.random.default_rng(0)
    questions = []
    for text in sentences(32, (24, 32), seed=9):
        ids = lm.word_ids(split_words(text))
        gone = rng.random(len(ids)) < 0.4
        left = tuple(word for word, hidden in zip(ids, gone, strict=True) if not hidden)
        questions.append(Masked(left, tuple(None if h else w for w, h in zip(ids, gone, strict=True))))
    return questions


def _engines(lm: TransformersMaskedLM) -> Iterator[tuple[str, Encoder]]:
    base = lm.model.base_model
    yield "torch", lambda **inputs: base(**inputs)[0]
    quantised = torch.ao.quantization.quantize_dynamic(base, {torch.nn.Linear}, dtype=torch.qint8)
    yield "torch, dynamic int8", lambda **inputs: quantised(**inputs)[0]
    compiled = OpenVinoEncoder(lm.model)
    yield "OpenVINO, float32", lambda **inputs: compiled(**inputs)[0]
    try:
        yield from _onnx(base)
    except ImportError as error:
        print(f"ONNX Runtime left out: {error}")


def _onnx(base: torch.nn.Module) -> Iterator[tuple[str, Encoder]]:
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic

    class LastLayer(torch.nn.Module):
        def forward(self, ids: torch.Tensor, attention: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
            return base(input_ids=ids, attention_mask=attention, token_type_ids=segments)[0]

    names = ["ids", "attention", "segments"]
    example = tuple(torch.ones(2, 8, dtype=torch.long) for _ in names)
    with tempfile.TemporaryDirectory() as folder:
        plain, int8 = Path(folder) / "plain.onnx", Path(folder) / "int8.onnx"
        shapes = {name: {0: "rows", 1: "tokens"} for name in names}
        torch.onnx.export(
            LastLayer(), example, plain, input_names=names, dynamic_shapes=shapes, dynamo=True, verbose=False
        )
        quantize_dynamic(plain, int8, weight_type=QuantType.QInt8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        for name, path in (("float32", plain), ("dynamic int8", int8)):
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

            def run(session: onnxruntime.InferenceSession = session, **inputs: torch.Tensor) -> torch.Tensor:
                order = (inputs["input_ids"], inputs["attention_mask"], inputs["token_type_ids"])
                values = {key: tensor.numpy() for key, tensor in zip(names, order, strict=True)}
                return torch.from_numpy(session.run(None, values)[0])

            yield f"ONNX Runtime, {name}", run


if __name__ == "__main__":
    main()
