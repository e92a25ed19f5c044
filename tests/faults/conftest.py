"""What the fault tests share: a language model that loads at once, and the count at the end."""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fault_tools import COUNTS, FIGURES
from killed_training import whole
from tiny_models import WORDS, tiny_bert_model

from ealm.lm.adapt.start import stored_weights
from ealm.lm.int8_weights import write_compact

__all__ = ["whole"]


@pytest.fixture(scope="session")
def light_folder(tmp_path_factory: pytest.TempPathFactory, bert_folder: Path) -> Path:
    """The tiny model in the compact form, which needs no library of seconds to load."""
    folder = tmp_path_factory.mktemp("lm") / "light"
    folder.mkdir()
    write_compact(folder, stored_weights(tiny_bert_model().state_dict()))
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(bert_folder / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Sentences that the tiny model knows, each with a number of its own."""
    rng = np.random.default_rng(11)
    return [" ".join(["x", *rng.choice(WORDS, size=int(rng.integers(4, 10)))]) for _ in range(400)]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The hour of stress begins first, so that other processes do the rest beside it."""
    items.sort(key=lambda item: "troublemakers" not in item.name)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In a process of pytest-xdist: send the counts to the one that tells them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput |= {"counts": dict(COUNTS), "figures": FIGURES}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """One of these processes has ended."""
    told = getattr(node, "workeroutput", {})
    COUNTS.update(told.get("counts", {}))
    FIGURES.extend(told.get("figures", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what was survived, as the documentation has it."""
    counts = [f"| {name} | {n:,} |" for name, n in sorted(COUNTS.items())]
    faults = ["| Fault | Survived |", "|---|---|", *counts] if counts else []
    parts = {"faults survived": faults, "a service under stress": FIGURES}
    told = [", ".join(f"{len(terminalreporter.getreports(kind))} {kind}" for kind in ("passed", "failed", "skipped"))]
    for title, lines in parts.items():
        if not lines:
            continue
        terminalreporter.section(title)
        for line in lines:
            terminalreporter.write_line(line)
        told += ["", f"## {title}", "", *lines]
    if "EALM_FAULTS_OUT" in os.environ:  # a terminal may be gone after an hour
        out = Path(os.environ["EALM_FAULTS_OUT"])
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("\n".join(told) + "\n", encoding="utf-8")
