"""The same length, made in other ways: what the page shows beside a summary."""

import os
from pathlib import PurePath

from ealm.common.caching import cached_property
from ealm.lm import bundled
from ealm.summarize.summarizer import Summarizer
from ealm.text.word_lists import DELETED_WORDS

FIRST_WORDS, STOP_WORDS = "first words", "without stop words"
NONE = "none"
_MARKS = ".,;:!?()[]\"'“”‘’"


class Comparison:
    """Two simple ways, and another model if there is one: it is loaded when it is first asked for."""

    def __init__(self, summarizer: Summarizer, model: str | os.PathLike[str] | None = None) -> None:
        """`model`: a name or a folder, or "none"; by default the embedded agent that was trained as in the paper."""
        self._served = summarizer
        self._model = os.fspath(model or bundled.PAPER_AGENT)

    @property
    def systems(self) -> list[str]:
        """What can be asked for."""
        there = self._model != NONE and bundled.agent_folder(self._model).is_dir()
        # No path of this machine goes out.
        return [FIRST_WORDS, STOP_WORDS, *([f"model {PurePath(self._model).name}"] if there else [])]

    def summary(self, system: str, text: str, words: int) -> str:
        """At most so many words of a text, in one of these ways."""
        if system not in {FIRST_WORDS, STOP_WORDS}:
            return self._other.summarize(text, words=words).summary
        kept = text.split()
        if system == STOP_WORDS:
            kept = [word for word in kept if word.strip(_MARKS).lower() not in DELETED_WORDS]
        return " ".join(kept[:words])

    @cached_property
    def _other(self) -> Summarizer:
        shared = self._served.lm if self._served.lm.name == bundled.NAME else None
        return Summarizer(self._model, lm=shared)
