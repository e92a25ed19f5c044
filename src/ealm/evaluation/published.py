"""The paper's table of results (section 5): which systems are its rows, and the figures that it prints.

These are of its own test sets, so they compare with the rows of a table on the same set only.
"""

import re
from pathlib import Path

from ealm.evaluation.systems import SEED, UnknownSystemError

PUBLISHED: dict[str, dict[str, tuple[float, float, float]]] = {
    "Lead-8": {"GIGA": (21.78, 7.62, 20.40), "DUC 2003": (18.34, 5.76, 16.92), "DUC 2004": (18.85, 4.88, 17.05)},
    "Lead-15": {"GIGA": (24.22, 8.20, 22.00), "DUC 2003": (20.94, 6.20, 18.54), "DUC 2004": (22.14, 6.25, 19.30)},
    "SEQ3+": {"GIGA": (23.15, 7.56, 21.11), "DUC 2003": (20.09, 5.53, 17.76), "DUC 2004": (21.69, 5.87, 18.81)},
    "SEQ3-": {"GIGA": (22.09, 6.59, 20.02), "DUC 2003": (19.57, 5.17, 17.25), "DUC 2004": (21.25, 5.64, 18.32)},
    "CMatch": {"GIGA": (26.71, 10.12, 24.67), "DUC 2003": (17.50, 4.84, 16.35), "DUC 2004": (18.62, 5.60, 17.16)},
    "EALM": {"GIGA": (25.00, 7.61, 22.48), "DUC 2003": (21.69, 5.25, 18.88), "DUC 2004": (22.50, 5.80, 19.47)},
}
"""R-1, R-2 and R-L by system and test set; F1 of the first 75 bytes."""

HEADINGS = ("system (paper)", *next(iter(PUBLISHED.values())))


_TRAINED = {"seq3": ("seq3+:SEQ3+", "seq3:SEQ3-"), "cmatch": ("cmatch:CMatch",), "ealm": ("ealm:EALM",)}
"""Folders of trained systems by the beginning of their names, with the rows that each gives."""


def published_rows() -> list[list[str]]:
    """One row for each system, under `HEADINGS`."""
    return [[name, *map(_scores, row.values())] for name, row in PUBLISHED.items()]


def _scores(scores: tuple[float, float, float]) -> str:
    return "/".join(f"{value:.2f}" for value in scores)


def table_systems(runs: Path) -> tuple[str, list[int], list[str]]:
    """Systems and seeds of the paper's table with our default below it, and the kinds that were not found.

    `runs` holds trained systems in folders such as ealm-0, ealm-1, seq3-0, cmatch-0: kind and seed.
    """
    seeds = {kind: _seeds(runs, kind) for kind in _TRAINED}
    found = {kind: numbers for kind, numbers in seeds.items() if numbers}
    if not found:
        raise UnknownSystemError(f"{runs} holds no trained systems: folders such as ealm-0, seq3-0 or cmatch-0.")
    common = sorted(set.intersection(*found.values()))
    if not common:
        raise UnknownSystemError(f"The systems in {runs} have no seed in common: {_described(found)}.")
    rows = [f"{row}={runs}/{kind}-{SEED}" for kind in found for row in _TRAINED[kind]]
    return ",".join(["lead-8", "lead-15", "stopwords", *rows, "ealm:default"]), common, sorted(set(seeds) - set(found))


def _seeds(runs: Path, kind: str) -> set[int]:
    numbers = (re.fullmatch(rf"{kind}-(\d+)", path.name) for path in runs.iterdir() if path.is_dir())
    return {int(number[1]) for number in numbers if number}


def _described(found: dict[str, set[int]]) -> str:
    return ", ".join(f"{kind} {sorted(numbers)}" for kind, numbers in found.items())
