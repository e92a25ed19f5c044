"""The command line: every command explains itself, and settings can be read."""

import json
import shlex

import click
import pytest
from cli_runs import refused, run

import ealm
from ealm.cli.help_pages import GroupedCommand, first_sentence
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


def test_the_list_of_commands_has_whole_sentences() -> None:
    listed = run("-h").stdout
    assert "..." not in listed.partition("Summarize:")[2]
    for command in main.commands.values():
        sentence = first_sentence(command)
        assert sentence.endswith(".")
        assert command.hidden or sentence in " ".join(listed.split())


def test_alone_it_shows_three_commands_that_run(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run()
    assert (result.exit_code, result.stderr) == (0, "")
    tried = [shlex.split(line)[1:] for line in result.stdout.splitlines() if line.startswith("  ealm ")]
    assert len(tried) == 3
    for name, *arguments in tried:  # parsed, not run
        monkeypatch.setattr(main.commands[name], "invoke", lambda _: None)
        monkeypatch.setattr("click.Path.convert", lambda _self, value, _parameter, _context: value)
        assert run(name, *arguments).exit_code == 0


def test_help_fits_a_screen_and_the_rest_is_one_option_away() -> None:
    common, everything = run("summarize", "-h").stdout, run("summarize", "--help-all").stdout
    assert len(common.splitlines()) <= 60
    assert "--help-all" in common
    for title in ("Length:", "What stays:", "Style:", "Input:", "Output:", "Speed:"):
        assert title in common.splitlines()
    names = [option.opts[-1] for option in main.commands["summarize"].params if isinstance(option, click.Option)]
    assert all(f"{name} " in everything or f"{name}/" in everything or f"{name}\n" in everything for name in names)
    assert [name for name in names if f"{name} " not in common]
    assert "--restart" not in common


@pytest.mark.parametrize("name", ["summarize", "train", "evaluate"])
def test_no_option_is_without_a_group_and_no_group_without_options(name: str) -> None:
    command = main.commands[name]
    assert isinstance(command, GroupedCommand)
    grouped = [name for names in command.groups.values() for name in names]
    own = [str(option.name) for option in command.params if isinstance(option, click.Option) and not option.hidden]
    assert sorted(grouped) == sorted(set(own) - {"quiet", "help_all"} | set(grouped) & {"quiet"})


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
