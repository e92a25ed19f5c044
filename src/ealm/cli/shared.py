"""Shared by several subcommands: options, and errors in one line."""

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from ealm.common.config import AUTO, ENGINES
from ealm.common.errors import EalmError, EalmWarning, UsageError, with_names

Command = TypeVar("Command", bound=Callable[..., Any])


class _PlainUsageError(click.ClickException):
    """As click's own, but in one line."""

    exit_code = click.UsageError.exit_code


def plain_errors(command: Command) -> Command:
    """Errors become one line on stderr, warnings too; both name flags, not arguments.

    The exit code is 2 where another command line helps, as for errors that click finds, and 1 where work failed.
    """

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            with _plain_warnings():
                return command(*args, **kwargs)
        except EalmError as error:
            raise (_PlainUsageError if isinstance(error, UsageError) else click.ClickException)(
                as_flags(str(error))
            ) from error
        except BrokenPipeError:  # whoever reads our output has had enough
            raise
        except OSError as error:
            raise click.ClickException(f"{error.filename or 'Input/output'}: {error.strerror or error}") from error

    return run  # type: ignore[return-value]


def as_flags(message: str) -> str:
    """A message of the library in terms of the running command: `lm=` becomes `--lm`."""
    context = click.get_current_context(silent=True)
    names: dict[str, str] = {}
    for parameter in [] if context is None else context.command.params:
        shown = parameter.human_readable_name
        if isinstance(parameter, click.Option):
            shown = max(parameter.opts, key=len)
            names[shown.lstrip("-").replace("-", "_")] = shown
        names.setdefault(str(parameter.name), shown)
    return with_names(message, names)


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Our own warnings as one line on stderr, each of them; others as Python shows them."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", EalmWarning)
        others = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, EalmWarning):
                click.echo(f"Warning: {as_flags(str(message))}", err=True)
            else:
                others(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def finite(_context: click.Context, _parameter: click.Parameter, value: float | None) -> float | None:
    """A number that is one."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("expected a number, got nan.")
    return value


corpus_argument = click.argument("corpus", type=click.Path(exists=True, dir_okay=False, path_type=Path))
resume_option = click.option(
    "--resume", is_flag=True, help="Go on with the run in the folder; starts it if there is none."
)
checkpoint_option = click.option(
    "--checkpoint-seconds",
    type=click.FloatRange(min=0),
    default=120.0,
    show_default=True,
    help="Time between checkpoints: what a crash can lose.",
)
pretokenized_option = click.option(
    "--pretokenized",
    is_flag=True,
    help="The text is cut into words already, by spaces, as in the corpora of this field.",
)
device_option = click.option("--device", default="cpu", show_default=True, help="Where to compute: cpu, cuda, ...")
quiet_option = click.option("--quiet", is_flag=True, help="No progress bar.")
grammar_option = click.option(
    "--grammar",
    default="embedded",
    show_default=True,
    metavar="NAME",
    help="What parses sentences: embedded, the parser in the package; the name of an installed spaCy pipeline; or "
    "none, to plan over neighbouring words only.",
)
engine_option = click.option(
    "--engine",
    type=click.Choice([AUTO, *ENGINES]),
    default=AUTO,
    show_default=True,
    help="What runs the models: torch, in single precision; int8, faster on a CPU with VNNI, but it rounds; auto, "
    "the sentence encoder in 16 bits where the processor has such arithmetic.",
)
