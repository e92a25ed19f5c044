"""The table of summarize options as options of a command."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from ealm.cli.shared import Command
from ealm.summarize.options import OPTIONS, Group, Option, SummarizeOptions

NEED_JSON = ("reconstruction", "trace")
"""Options whose result only JSON can show."""


def names_of(group: Group) -> list[str]:
    """The options of a group of the table."""
    return [option.name for option in OPTIONS.values() if option.group == group]


def summarize_options(command: Command) -> Command:
    """Add an option for each row of the table."""
    for option in reversed(OPTIONS.values()):
        command = _click_option(option)(command)
    return command


def chosen_options(values: Mapping[str, Any], **more: Any) -> SummarizeOptions:
    """The options among the values of a command's parameters, with some that others imply."""
    given = {name: value for name, value in values.items() if name in OPTIONS}
    lists = {name: _split(given[name]) for name, option in OPTIONS.items() if option.kind == "choices"}
    return SummarizeOptions.of({**given, **lists, **more})


def _click_option(option: Option) -> Any:
    flag = f"--{option.name.replace('_', '-')}"
    text = " ".join([option.help, *_remarks(option)])
    if option.kind == "flag":
        return click.option(f"{flag}/--no-{flag[2:]}", option.name, default=option.default, help=text)
    if option.kind == "words":
        return click.option(flag, option.name, multiple=True, metavar="WORD", help=text)
    if option.kind == "choices":
        return click.option(flag, option.name, metavar="KINDS", help=text)
    if option.kind == "name":
        return click.option(flag, option.name, default=option.default, metavar="NAME", help=text)
    metavar = None if option.kind == "choice" else "N"
    return click.option(flag, option.name, type=_click_type(option), default=option.default, metavar=metavar, help=text)


def _remarks(option: Option) -> Iterator[str]:
    """What the help of a command says beyond the table."""
    if option.kind == "words":
        yield "May be repeated."
    if option.kind == "choices":
        yield "Separated by commas."
    if option.name in NEED_JSON:
        yield "With --json."
    if option.unset is not None:
        yield f"[default: {option.unset}]"


def _click_type(option: Option) -> "click.ParamType[Any]":
    if option.kind == "choice":
        return click.Choice(option.choices)
    return click.IntRange(min=1) if option.kind == "count" else click.FloatRange(0, 1, min_open=True)


def _split(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]
