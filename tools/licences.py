"""Lists every package that ealm needs, directly or not, with its licence as its own metadata states it.

python tools/licences.py            write the list into docs/dependencies.md
python tools/licences.py --check    tell whether it is up to date there
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

DOCUMENT = Path(__file__).parent.parent / "docs" / "dependencies.md"
BEGIN, END = "<!-- licences: begin -->", "<!-- licences: end -->"
PROJECT = Path(__file__).parent.parent / "pyproject.toml"
NOT_FOR_USERS = frozenset({"dev", "docs"})
_LONG = 80


def run_time() -> list[Requirement]:
    """What the package itself asks for, without extras."""
    return [Requirement(line) for line in _project()["dependencies"]]


def required() -> list[Requirement]:
    """What the package itself asks for, with all that users can choose."""
    optional = _project()["optional-dependencies"]
    lines = [line for extra in sorted(optional.keys() - NOT_FOR_USERS) for line in optional[extra]]
    chosen = [need for need in map(Requirement, lines) if need.name != "ealm"]  # extras that name other extras
    return [*run_time(), *chosen]


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    return project


def needed(requirements: Iterable[Requirement]) -> dict[str, Distribution]:
    """Installed packages among these, and those that these need."""
    found: dict[str, Distribution] = {}
    waiting = [(canonicalize_name(need.name), frozenset(need.extras)) for need in requirements]
    done: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in done:
            continue
        done.add((name, extras))
        try:
            package = distribution(name)
        except PackageNotFoundError:  # for another system, or not installed here
            continue
        found[name] = package
        waiting += [(canonicalize_name(need.name), frozenset(need.extras)) for need in needs(package, extras)]
    return dict(sorted(found.items()))


def needs(package: Distribution, extras: frozenset[str]) -> Iterator[Requirement]:
    """Requirements that hold on this system with these extras."""
    for line in package.requires or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def licence(package: Distribution) -> str:
    """The expression, else the short text, else what the classifiers say."""
    values = package.metadata
    expression, text = (" ".join(values.get_all(name, [""])[0].split()) for name in ("License-Expression", "License"))
    kinds = [line.rpartition(" :: ")[2] for line in values.get_all("Classifier", []) if line.startswith("License ::")]
    if expression:
        return expression
    if text and len(text) <= _LONG and text != "UNKNOWN":
        return text
    return ", ".join(kinds) or (f"{text[:_LONG]}..." if text else "not stated")


def table() -> str:
    """As Markdown."""
    lines = ["| Package | Version | Licence |", "|---|---|---|"]
    for name, package in needed(required()).items():
        version = package.version.partition("+")[0]  # which build of torch it is changes nothing
        lines.append(f"| {name} | {version} | {licence(package).replace('|', '/')} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write or check the list; gives the exit code."""
    text = DOCUMENT.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(text):
        sys.stderr.write(f"error: {DOCUMENT} has no place for the list ({BEGIN} ... {END}).\n")
        return 1
    new = pattern.sub(lambda _: f"{BEGIN}\n{table()}{END}", text)
    if "--check" in arguments:
        if new != text:
            sys.stderr.write("error: the list of licences is not up to date. Write it with: make licences\n")
        return int(new != text)
    DOCUMENT.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
