"""The table of summarize options as options of a command."""

from collections.abc import Mapping
from typing import Any

import click

from ealm.cli.shared import Command
from ealm.summarize.options import OPTIONS, Option, SummarizeOptions


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
    text = option.help if option.unset is None else f"{option.help} [default: {option.unset}]"
    if option.kind == "flag":
        return click.option(f"{flag}/--no-{flag[2:]}", option.name, default=option.default, help=text)
    if option.kind == "words":
        return click.option(flag, option.name, multiple=True, metavar="WORD", help=f"{text} May be repeated.")
    if option.kind == "choices":
        return click.option(flag, option.name, metavar="KINDS", help=f"{text} Separated by commas.")
    return click.option(flag, option.name, type=_click_type(option), default=option.default, help=text)


def _click_type(option: Option) -> "click.ParamType[Any]":
    if option.kind == "choice":
        return click.Choice(option.choices)
    return click.IntRange(min=1) if option.kind == "count" else click.FloatRange(0, 1, min_open=True)


def _split(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]
