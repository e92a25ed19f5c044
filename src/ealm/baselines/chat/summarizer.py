"""A chat model asked for a shorter text: what it is asked, and what is made of its answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ealm.baselines.table import Overrun
from ealm.baselines.trivial import lead_words
from ealm.text.words import join_words, split_words

LIMITED = "Shorten this text to at most {words} words. Say only what it says. Answer with the shortened text alone."
FREE = "Shorten this text. Say only what it says. Answer with the shortened text alone."
"""What is asked with a limit and without one; the text follows after an empty line."""
TOKENS_A_WORD = 3
SPARE_TOKENS = 16
FREE_TOKENS = 512
"""An answer may have so many tokens for each word of the limit and so many more, or so many without a limit: enough to
be over the limit, and not for ever."""
_QUOTES = {'"': '"', "“": "”", "'": "'"}


class ChatModel(Protocol):
    """What answers."""

    def answer(self, prompts: Sequence[str], *, tokens: int) -> list[str]:
        """The likeliest answer to each prompt (temperature 0), of at most so many tokens."""
        ...


@dataclass(slots=True)
class ChatSummarizer:
    """A chat model as a summarizer; it counts how often an answer was too long."""

    model: ChatModel
    overrun: Overrun = field(default_factory=Overrun)

    @classmethod
    def load(cls, where: str) -> "ChatSummarizer":
        """Of an address (`http://127.0.0.1:8080/v1#model`), a folder of transformers, or a GGUF file."""
        if "://" in where:
            from ealm.baselines.chat.server import ChatServer

            return cls(ChatServer.of(where))
        from ealm.baselines.chat.local import LocalChat

        return cls(LocalChat.load(Path(where)))

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:  # noqa: ARG002 - a chat model gets the text as it is
        """The answers; one with more words than the limit is cut there."""
        asked = FREE if words is None else LIMITED.format(words=words)
        tokens = FREE_TOKENS if words is None else TOKENS_A_WORD * words + SPARE_TOKENS
        answers = self.model.answer([f"{asked}\n\n{text}" for text in texts], tokens=tokens)
        summaries = [plain(answer) for answer in answers]
        if words is None:
            return summaries
        self.overrun.answers += len(summaries)
        self.overrun.over += sum(len(split_words(summary)) > words for summary in summaries)
        return [lead_words(summary, words) for summary in summaries]


def plain(answer: str) -> str:
    """An answer in one line, without quotation marks around it."""
    line = join_words(split_words(answer))
    if len(line) > 1 and _QUOTES.get(line[0]) == line[-1] and line[0] not in line[1:-1]:
        return line[1:-1].strip()
    return line
