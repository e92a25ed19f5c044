"""The systems that are compared, by the names that a user gives them.

    ealm  ealm=DIR  ealm:NAME=DIR  ealm+walk=DIR  ealm+plain=DIR  ealm+chain (without grammar)  file:NAME=PATH
    and the baselines (baselines/table.py), among them llm:WHERE and llm:NAME=WHERE

DIR and PATH may hold {seed}: such a system is scored once for each seed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ealm.baselines.table import AnySummarizer, HasOverrun, Overrun, baseline_list, find_baseline
from ealm.common.errors import EalmError
from ealm.evaluation.data import read_summaries

if TYPE_CHECKING:
    from ealm.summarize.summarizer import Summarizer

SEED = "{seed}"
STYLES = ("plain", "headline")
_SPEC = re.compile(r"(?P<kind>[^:=]+)(?::(?P<name>[^=]+))?(?:=(?P<path>.+))?")
_EALM = re.compile(r"ealm(?:\+(?:walk|plan|search|plain|headline|chain))*")
_CHAT = "llm:"
_FILE = "file:NAME=PATH"


class UnknownSystemError(EalmError, ValueError):
    """A system was named that there is not, or that lacks its folder."""


@runtime_checkable
class HasCurve(Protocol):
    """A system that gives all lengths of a text at once, the same summaries as length by length."""

    def curve(self, text: str) -> list[str]:
        """Summaries at every length."""
        ...


@dataclass(frozen=True, slots=True)
class SystemSpec:
    """A system as the user named it."""

    kind: str
    name: str
    path: str | None = None

    def seeds(self, seeds: Sequence[int]) -> list[int | None]:
        """The seeds for which this system is scored; a system without {seed} is the same for all."""
        return list(seeds) if self.path is not None and SEED in self.path else [None]

    def where(self, seed: int | None) -> str | None:
        """What stands behind the `=`, for a seed."""
        return self.path if self.path is None or seed is None else self.path.replace(SEED, str(seed))

    def place(self, seed: int | None) -> Path:
        """Folder or file for a seed."""
        where = self.where(seed)
        assert where is not None
        return Path(where)


def parse_systems(text: str, *, seeds: Sequence[int] = ()) -> list[SystemSpec]:
    """Systems from a list with commas; names must differ."""
    specs = [_parse(part.strip()) for part in text.split(",") if part.strip()]
    if not specs:
        raise UnknownSystemError("Name at least one system, for example: --systems lead-8,stopwords,ealm")
    for spec in specs:
        if sum(other.name == spec.name for other in specs) > 1:
            raise UnknownSystemError(
                f"Two systems are called {spec.name}. Name them apart, for example: ealm:first=DIR"
            )
        if spec.path is not None and SEED in spec.path and not seeds:
            raise UnknownSystemError(f"{spec.path} has {SEED}, but no seeds are given. Add, for example: --seeds 0,1,2")
    return specs


def _parse(part: str) -> SystemSpec:
    kind, name, path = _parts(part)
    baseline = find_baseline(kind)
    if baseline is None and kind != "file" and not _EALM.fullmatch(kind):
        raise UnknownSystemError(
            f"There is no system {part!r}. Systems: ealm, ealm=DIR, ealm:NAME=DIR, ealm+walk=DIR, ealm+plain=DIR, "
            f"ealm+chain (without grammar), "
            f"{baseline_list(about=False)}, {_FILE}."
        )
    if path is None and kind == "file":
        raise UnknownSystemError(f"file needs to know where: {_FILE}, a file with one summary a line.")
    if path is None and baseline is not None and baseline.needs_folder:
        raise UnknownSystemError(f"{kind} needs to know where: {baseline.usage} ({baseline.about}).")
    if path is not None and baseline is not None and not baseline.needs_folder:
        raise UnknownSystemError(f"{kind} has no folder: leave ={path} out.")
    return SystemSpec(kind, name or kind, path)


def _parts(part: str) -> tuple[str, str | None, str | None]:
    """Kind, name and path; a name like sumy:lsa is a kind, and what stands behind llm: alone is a path."""
    if find_baseline(part) is not None:
        return part, None, None
    if part.startswith(_CHAT) and ("=" not in part or "://" in part.partition("=")[0]):
        where = part.removeprefix(_CHAT)
        return "llm", re.split(r"[#/\\]", where.rstrip("/\\"))[-1], where or None
    found = _SPEC.fullmatch(part)
    kind, name, path = found.groups() if found else ("", None, None)
    return kind, name, path


def load_system(spec: SystemSpec, seed: int | None) -> AnySummarizer:
    """A system that is ready to summarize."""
    baseline = find_baseline(spec.kind)
    if baseline is not None:
        return baseline.load(spec.kind, spec.where(seed))
    if spec.kind == "file":
        return _FromFile(spec.place(seed))
    from ealm.grammar.loading import EMBEDDED, NONE
    from ealm.lm.bundled import NAME
    from ealm.summarize.summarizer import Summarizer

    variants = spec.kind.split("+")[1:]
    model, grammar = NAME if spec.path is None else spec.place(seed), NONE if "chain" in variants else EMBEDDED
    return _Ealm(_varied(Summarizer(model, grammar=grammar), [own for own in variants if own != "chain"]))


def _varied(summarizer: "Summarizer", variants: Iterable[str]) -> "Summarizer":
    """With other efforts or styles than it comes with."""
    for variant in variants:
        summarizer = summarizer.with_style(variant) if variant in STYLES else summarizer.with_effort(variant)
    return summarizer


@dataclass(frozen=True, slots=True)
class _FromFile:
    path: Path

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:  # noqa: ARG002 - written already
        """What the file has, as it stands: another system's length is its own."""
        return read_summaries(self.path, expected=len(texts))


@dataclass(frozen=True, slots=True)
class _Ealm:
    summarizer: "Summarizer"

    def summarize(self, texts: Sequence[str], *, words: int | None = None, pretokenized: bool = True) -> list[str]:
        """Summaries as plain texts."""
        return [summary.summary for summary in self.summarizer.summarize(texts, words=words, pretokenized=pretokenized)]

    def curve(self, text: str) -> list[str]:
        """A raw text at every length, the longest first, for one forward pass."""
        return [summary.summary for summary in self.summarizer.curve(text, recoverability=False)]


def overrun_of(system: AnySummarizer) -> Overrun | None:
    """How often a system was over the limit, if it does not keep to it by itself and was given one."""
    overrun = system.overrun if isinstance(system, HasOverrun) else None
    return overrun if overrun is not None and overrun.answers else None


def needed_seeds(specs: Iterable[SystemSpec], seeds: Sequence[int]) -> list[tuple[SystemSpec, int | None]]:
    """Every system with every seed for which it is scored."""
    return [(spec, seed) for spec in specs for seed in spec.seeds(seeds)]
