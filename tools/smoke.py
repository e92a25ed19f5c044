"""Tries an installed ealm as its user would: every command's help, a summary each way, and the packages of extras.

python tools/smoke.py                  what `pip install ealm` promises
python tools/smoke.py serve evaluate   and that these extras are installed and can be imported

It needs nothing but the package, so any environment and any system can run it.
"""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import packages_distributions, requires

import click
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TEXT = "The harbour board agreed on Friday to repair the old lighthouse because its lamp had failed twice this winter."
WORDS = 7


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words after `ealm` that name each command, older names included."""
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


def ealm(*arguments: str, given: str | None = None) -> str:
    """What the command prints; it must succeed and be silent about errors."""
    line = [sys.executable, "-X", "utf8", "-m", "ealm", *arguments]
    done = subprocess.run(line, input=given, capture_output=True, text=True, check=False, encoding="utf-8")
    if done.returncode:
        sys.exit(f"error: ealm {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def check_help() -> int:
    """Every command explains itself."""
    from ealm.cli.main import main

    found = list(commands(main))
    for path in found:
        if "Usage:" not in ealm(*path, "--help"):
            sys.exit(f"error: ealm {' '.join(path)} --help shows no usage.")
    return len(found)


def check_summaries() -> str:
    """An argument, a pipe and Python give the same summary, within its length."""
    from ealm import Summarizer

    summary = ealm("summarize", "--words", str(WORDS), TEXT).strip()
    piped = ealm("summarize", "--words", str(WORDS), given=TEXT + "\n").strip()
    in_python = str(Summarizer().summarize(TEXT, words=WORDS))
    if not summary == piped == in_python or not 0 < len(summary.split()) <= WORDS:
        sys.exit(f"error: the summaries are {summary!r}, {piped!r} and {in_python!r}.")
    return summary


def check_extra(extra: str) -> int:
    """All packages that an extra names can be imported."""
    lines = [Requirement(line) for line in requires("ealm") or ()]
    named = [each for each in lines if each.marker and each.marker.evaluate({"extra": extra})]
    if not named:
        sys.exit(f"error: there is no extra {extra}.")
    modules = packages_distributions()
    for need in named:
        name = canonicalize_name(need.name)
        homes = [module for module, owners in modules.items() if name in map(canonicalize_name, owners)]
        if not homes:
            sys.exit(f"error: the extra {extra} needs {need}, which is not installed.")
        import_module(min(homes, key=len))
    return len(named)


def main(extras: list[str]) -> None:
    """Check all, and say what was checked."""
    import ealm as package

    print(f"ealm {package.__version__} in {package.__path__[0]}, Python {sys.version.split()[0]} on {sys.platform}")
    print(f"{check_help()} commands explain themselves")
    print(f"summary: {check_summaries()}")
    for extra in extras:
        print(f"extra {extra}: {check_extra(extra)} packages")


if __name__ == "__main__":
    main(sys.argv[1:])
