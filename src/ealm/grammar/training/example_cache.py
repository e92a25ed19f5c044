"""Examples with the encoder's states, on disk: the encoder is frozen, so each sentence is encoded once for all epochs.

States are stored in 8 bits, as deviations from the mean of each dimension.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ealm.common.errors import RunError
from ealm.common.storage import read_tensors, write_tensors
from ealm.grammar.protocol import Parse
from ealm.grammar.training.examples import Example

EXAMPLES_FILE = "examples.jsonl"
_STATES_FILE = "states.int8"
_SCALE_FILE = "states.safetensors"
_STEPS = 127 / 5
"""Steps of a standard deviation; five deviations are the largest that count."""


class ExampleCache:
    """Grows by batches of examples; what a kill left half-written is dropped."""

    def __init__(self, folder: Path, *, inputs: int) -> None:
        """`inputs` is the width of the states."""
        self._folder = folder
        self._inputs = inputs
        self.examples: list[Example] = []
        self._starts = [0]
        self.mean, self.deviation = torch.zeros(inputs), torch.ones(inputs)
        if (folder / EXAMPLES_FILE).exists():
            self._restore()

    def __len__(self) -> int:
        return len(self.examples)

    def add(self, examples: Sequence[Example], layers: Sequence[Tensor]) -> None:
        """Store examples; the first batch decides mean and deviation for all."""
        if not self.examples:
            self.deviation, self.mean = torch.std_mean(torch.cat(list(layers)), dim=0)
            self.deviation.clamp_min_(1e-6)
            scale = {"mean": self.mean, "deviation": self.deviation}
            write_tensors(self._folder / _SCALE_FILE, scale)
        with (self._folder / _STATES_FILE).open("ab") as states:
            for each in layers:
                steps = ((each - self.mean) / self.deviation * _STEPS).round().clamp(-127, 127)
                states.write(steps.to(torch.int8).numpy().tobytes())
        with (self._folder / EXAMPLES_FILE).open("a", encoding="utf-8") as file:
            file.writelines(
                json.dumps([e.words, e.parse.heads, e.parse.relations, e.parse.tags]) + "\n" for e in examples
            )
        for example in examples:
            self._append(example)

    def states(self, number: int) -> Tensor:
        """Normalized states of the words of an example: (words, inputs)."""
        start, end = self._starts[number], self._starts[number + 1]
        with (self._folder / _STATES_FILE).open("rb") as file:
            file.seek(start * self._inputs)
            flat = np.frombuffer(file.read((end - start) * self._inputs), dtype=np.int8)
        return torch.from_numpy(flat.astype(np.float32)).view(end - start, self._inputs) / _STEPS

    def _append(self, example: Example) -> None:
        self.examples.append(example)
        self._starts.append(self._starts[-1] + len(example.words))

    def _restore(self) -> None:
        path = self._folder / _STATES_FILE
        try:
            words = path.stat().st_size // self._inputs
            for line in (self._folder / EXAMPLES_FILE).read_text(encoding="utf-8").splitlines():
                example = _example(line)
                if example is None or self._starts[-1] + len(example.words) > words:
                    break
                self._append(example)
            scale = read_tensors(self._folder / _SCALE_FILE)
            self.mean, self.deviation = scale["mean"], scale["deviation"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{self._folder} cannot be resumed: {error!r}. Choose another --out.") from error
        os.truncate(path, self._starts[-1] * self._inputs)
        self._rewrite_examples()

    def _rewrite_examples(self) -> None:
        lines = (self._folder / EXAMPLES_FILE).read_text(encoding="utf-8").splitlines(keepends=True)
        if len(lines) > len(self.examples):
            (self._folder / EXAMPLES_FILE).write_text("".join(lines[: len(self.examples)]), encoding="utf-8")


def _example(line: str) -> Example | None:
    """An example of a line; None if it was cut off."""
    try:
        words, heads, relations, tags = json.loads(line)
    except json.JSONDecodeError:
        return None
    return Example(tuple(words), Parse(tuple(heads), tuple(relations), tuple(tags)))
