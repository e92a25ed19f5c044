"""What `--help` shows: commands with whole sentences, options in groups, and the rare ones only on demand."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

OTHERS = "Other options"


class GroupedCommand(click.Command):
    """A command whose `--help` fits a screen: its options in groups, and of these the common ones."""

    def __init__(
        self, *args: Any, groups: Mapping[str, Sequence[str]], common: Sequence[str] | None = None, **more: Any
    ) -> None:
        """`groups`: names of parameters by the title of their group; `common`: those that `--help` shows, None for all.

        A parameter in no group is shown among the others, so that none can be forgotten.
        """
        super().__init__(*args, **more)
        self.groups = groups
        self._common = None if common is None else frozenset(common)
        if common is not None:
            text = "Show all options."
            self.params.append(
                click.Option(
                    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help=text
                )
            )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Group by group."""
        everything = self._common is None or ctx.meta.get(_EVERYTHING, False)
        titles = {name: title for title, names in self.groups.items() for name in names}
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in (*self.groups, OTHERS)}
        hidden = 0
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None or not isinstance(parameter, click.Option):
                continue
            name = str(parameter.name)
            if everything or name in (self._common or ()) or parameter.is_eager:  # the last: those for help
                sections[titles.get(name, OTHERS)].append(record)
            else:
                hidden += 1
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        if hidden:
            formatter.write_paragraph()
            formatter.write_text(f"{hidden} more options: {ctx.command_path} --help-all")


_EVERYTHING = "ealm.help.everything"


def _show_all(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_EVERYTHING] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


class SectionedGroup(click.Group):
    """A group of commands in sections, each with the whole first sentence of its help."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.sections: dict[str, Sequence[click.Command]] = {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Section by section."""
        del ctx
        for title, commands in self.sections.items():
            rows = [(str(command.name), first_sentence(command)) for command in commands if not command.hidden]
            with formatter.section(title):
                formatter.write_dl(rows)


def first_sentence(command: click.Command) -> str:
    """What a command does."""
    text = " ".join((command.help or "").partition("\n\n")[0].split())
    sentence, found, _ = text.partition(". ")
    return sentence + "." if found else text
