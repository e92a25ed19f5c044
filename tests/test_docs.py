"""What the pages for people name exists: links, headings, files, commands, options, targets and extras."""

import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

import ealm
import ealm.ray
from ealm.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "ealm"
PAGES = {path.relative_to(ROOT).as_posix(): path for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])}
CURRENT = sorted(PAGES.keys() - {"CHANGELOG.md"})
"""Pages that speak of the present; a changelog also names what is gone."""

LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"`+([^`]+)`+")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
PACKAGES = "|".join(sorted(path.name for path in PACKAGE.iterdir() if path.is_dir()))
FILE = re.compile(
    rf"(?<![\w./*-])((?:src|tests|benchmarks|tools|examples|{PACKAGES})/[\w./-]*\w/?|\w+\.py)\b(?![\w/*])"
)
FOLDERS = (ROOT, PACKAGE, ROOT / "docs", *(PACKAGE / "baselines").iterdir())
"""What a path on a page may start from."""
NAMES = {
    path.name
    for folder in ("src", "tests", "benchmarks", "tools", "examples")
    for path in (ROOT / folder).rglob("*.py")
}


def shown(parameter: click.Parameter) -> bool:
    return not (isinstance(parameter, click.Option) and parameter.hidden)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Commands by name; hidden ones are older names, which pages no longer use."""
    for name, command in main.commands.items():
        if not command.hidden:
            yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {below}", each) for below, each in command.commands.items())


COMMANDS = dict(commands())
OPTIONS = {
    name: {
        "-h",
        "--help",
        *(flag for each in command.params if shown(each) for flag in (*each.opts, *each.secondary_opts)),
    }
    for name, command in COMMANDS.items()
}
ALL_OPTIONS = set().union(*OPTIONS.values())


def text(page: str) -> str:
    return PAGES[page].read_text(encoding="utf-8")


def anchors(path: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", FENCED.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def command_lines(page: str) -> Iterator[str]:
    """What a page lets its reader type, from `ealm` on: in blocks, in backticks and in comments for the editors."""
    joined = re.sub(r"\\\n\s*", " ", text(page))
    lines = [line.strip(" $") for line in joined.splitlines() if line.startswith("    ")]
    lines += [line for block in FENCED.findall(joined) for line in block.splitlines()[1:-1]]
    lines += [" ".join(span.split()) for span in CODE.findall(FENCED.sub("", joined))]
    lines += re.findall(r"<!-- run: (.+?) -->", joined)
    for line in lines:
        found = re.search(r"(?:^|[|;&] *)(ealm [a-z].*)$", re.sub(r"\s#\s.*", "", line))
        if found:
            yield re.sub(r"'[^']*'|\"[^\"]*\"|\|.*", "", found[1]).strip()


def unknown_parts(line: str) -> list[str]:
    """Commands and options in a command line that do not exist."""
    words = line.split()[1:]
    name = next((name for name in (" ".join(words[:2]), words[0]) if name in COMMANDS), None)
    if name is None:
        return words[:1]
    return [flag for flag in OPTION.findall(line) if flag not in OPTIONS[name]]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    dead = []
    for target in LINK.findall(FENCED.sub("", text(page))):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        file = PAGES[page].parent / path if path else PAGES[page]
        if not file.exists() or (anchor and anchor not in anchors(file)):
            dead.append(target)
    assert dead == []


@pytest.mark.parametrize("page", CURRENT)
def test_files_exist(page):
    def exists(name):
        return name in NAMES if "/" not in name else any((folder / name).exists() for folder in FOLDERS)

    assert sorted({name for name in FILE.findall(text(page)) if not exists(name)}) == []


@pytest.mark.parametrize("page", CURRENT)
def test_commands_and_their_options_exist(page):
    assert {line: parts for line in command_lines(page) if (parts := unknown_parts(line))} == {}


@pytest.mark.parametrize("page", CURRENT)
def test_options_named_alone_belong_to_some_command(page):
    spans = [span for span in CODE.findall(FENCED.sub("", text(page))) if span.startswith("--")]
    assert [flag for span in spans for flag in OPTION.findall(span) if flag not in ALL_OPTIONS] == []


@pytest.mark.parametrize("page", CURRENT)
def test_other_commands_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^ {4})make ([a-z][a-z-]*)", text(page), re.MULTILINE)) <= targets
    modules = set(re.findall(r"python -m (benchmarks[\w.]*\w)", text(page)))
    assert {module for module in modules if find_spec(module) is None} == set()


@pytest.mark.parametrize("page", CURRENT)
def test_imports_exist(page):
    for module, names in re.findall(r"^[> ]*from (ealm[\w.]*) import ([\w, ]+)", text(page), re.MULTILINE):
        for name in names.split(","):
            assert hasattr(import_module(module), name.strip()), f"{module} has no {name}"


@pytest.mark.parametrize("page", CURRENT)
def test_extras_exist(page):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {extra.strip() for group in re.findall(r"ealm\[([\w, ]+)\]", text(page)) for extra in group.split(",")}
    assert named <= set(project["optional-dependencies"])


def test_the_index_lists_every_page():
    listed = set(LINK.findall(text("docs/README.md")))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} <= listed


def test_the_reference_has_every_public_name():
    entries = re.findall(r"^::: ([\w.]+)\.(\w+)$", text("docs/api.md"), re.MULTILINE)
    assert {name for _, name in entries} == {*ealm.__all__, *ealm.ray.__all__}
    assert all(hasattr(import_module(module), name) for module, name in entries)


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("ealm summarize --words 8", []),
        ("ealm summarize --wrds 8", ["--wrds"]),
        ("ealm read prepare --texts a --words 8", []),
        ("ealm read count --texts a", ["--texts"]),
        ("ealm sumarize", ["sumarize"]),
        ("ealm weigh raw.txt", ["weigh"]),
        ("ealm adapt raw.txt --heldout a", ["--heldout"]),
    ],
)
def test_unknown_parts_are_found(line, parts):
    assert unknown_parts(line) == parts
