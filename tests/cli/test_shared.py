"""What all commands do with errors and warnings."""

import warnings

import click
import pytest
from click.testing import CliRunner

from ealm.cli.shared import as_flags, plain_errors
from ealm.common.errors import EalmWarning, SettingsError


@click.command()
@click.argument("corpus")
@click.option("--model", "folder")
@click.option("-o", "--out", "target")
@click.option("--checkpoint-seconds", type=float)
@plain_errors
def toy(corpus: str, folder: str | None, target: str | None, checkpoint_seconds: float | None) -> None:
    if corpus == "warn":
        warnings.warn("out= is odd", EalmWarning, stacklevel=1)
        warnings.warn("out= is odd", EalmWarning, stacklevel=1)
    elif corpus == "other":
        warnings.warn("out= is old", DeprecationWarning, stacklevel=1)
    else:
        raise SettingsError("corpus= and model= need out=, checkpoint_seconds=3 and settings=; folder=a.")


def test_errors_name_the_flags_of_the_command_that_runs() -> None:
    result = CliRunner().invoke(toy, ["file"])
    assert result.exit_code == 2
    assert result.stderr == ("Error: CORPUS and --model need --out, --checkpoint-seconds 3 and settings=; --model a.\n")


def test_our_warnings_are_lines_and_those_of_others_stay() -> None:
    assert CliRunner().invoke(toy, ["warn"]).stderr == "Warning: --out is odd\n" * 2
    with pytest.warns(DeprecationWarning, match="out= is old"):
        CliRunner().invoke(toy, ["other"], catch_exceptions=False)


def test_without_a_command_messages_stay_as_they_are() -> None:
    assert as_flags("lm= is missing") == "lm= is missing"
