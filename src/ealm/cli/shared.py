"""What several subcommands have in common: options, and mistakes told in one line."""

import math
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from ealm.common.config import ENGINES
from ealm.common.errors import EalmError

Command = TypeVar("Command", bound=Callable[..., Any])


def plain_errors(command: Command) -> Command:
    """Users' mistakes become one line on stderr and exit code 1."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except EalmError as error:
            raise click.ClickException(str(error)) from error
        except BrokenPipeError:  # whoever reads our output has had enough
            raise
        except OSError as error:
            raise click.ClickException(f"{error.filename or 'Input/output'}: {error.strerror or error}") from error

    return run  # type: ignore[return-value]


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
engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="torch",
    show_default=True,
    help="What runs the language model; int8 is faster on a CPU, but rounds.",
)
