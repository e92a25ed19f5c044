"""The command line: every command explains itself, and settings can be read."""

import json

import pytest
from cli_runs import refused, run

import ealm
from ealm.cli.main import main
from ealm.common.config import PRESETS, Settings


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("command", [[], *([name] for name in sorted(main.commands))])
def test_every_command_explains_itself(command: list[str], option: str) -> None:
    result = run(*command, option)
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: ")
    assert result.stderr == ""


def test_the_commands_are_listed() -> None:
    expected = "adapt evaluate read report serve settings summarize train train-baseline train-grammar word-importance"
    assert sorted(name for name, command in main.commands.items() if not command.hidden) == expected.split()
    for name in expected.split():
        assert name in run("-h").stdout
    assert "weigh" not in run("-h").stdout  # an older name, which still runs


def test_the_version_is_that_of_the_package() -> None:
    assert run("--version").stdout == f"ealm, version {ealm.__version__}\n"


@pytest.mark.parametrize("name", [None, *PRESETS])
def test_settings_are_printed_as_json_that_can_be_read_back(name: str | None) -> None:
    result = run("settings", *(["--preset", name] if name else []))
    assert Settings.from_dict(json.loads(result.stdout)) == PRESETS[name or "paper"]
    assert result.stderr == ""


def test_an_unknown_command_and_an_unknown_preset_are_refused() -> None:
    refused(run("sumarize"), "No such command", "-h")
    refused(run("settings", "--preset", "best"), "'best' is not one of", "paper")
