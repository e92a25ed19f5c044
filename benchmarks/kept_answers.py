"""Answers of a chat model on disk, so that a comparison that was interrupted goes on where it stopped."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ealm.baselines.chat.summarizer import ChatModel

TOGETHER = 16
"""Prompts that are asked before their answers are written."""


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """A chat model that is asked only what it has not answered yet."""

    model: ChatModel
    name: str
    path: Path

    def answer(self, prompts: Sequence[str], *, tokens: int) -> list[str]:
        known = self._read(tokens)
        missing = [prompt for prompt in dict.fromkeys(prompts) if prompt not in known]
        for start in range(0, len(missing), TOGETHER):
            some = missing[start : start + TOGETHER]
            said = self.model.answer(some, tokens=tokens)
            self._write(dict(zip(some, said, strict=True)), tokens)
        return list(map((self._read(tokens) if missing else known).__getitem__, prompts))

    def _read(self, tokens: int) -> dict[str, str]:
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        rows = map(json.loads, lines)
        return {row["prompt"]: row["answer"] for row in rows if (row["model"], row["tokens"]) == (self.name, tokens)}

    def _write(self, answers: dict[str, str], tokens: int) -> None:
        about = {"model": self.name, "tokens": tokens}
        rows = [{**about, "prompt": prompt, "answer": answer} for prompt, answer in answers.items()]
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
