"""`ealm settings`: what can be set."""

import json

import click

from ealm.cli.shared import plain_errors
from ealm.common.config import PRESETS, preset


@click.command()
@click.option("--preset", "preset_name", type=click.Choice(sorted(PRESETS)), default="paper", show_default=True)
@plain_errors
def settings(preset_name: str) -> None:
    """Print all settings of a preset as JSON; each can be changed with `ealm train --set NAME=VALUE`."""
    click.echo(json.dumps(preset(preset_name).to_dict(), indent=2))
