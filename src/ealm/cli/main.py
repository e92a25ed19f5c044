"""The `ealm` command. Its subcommands only parse, call and print; models load when one needs them."""

import click

from ealm import __version__
from ealm.cli.adapt import adapt
from ealm.cli.baseline import train_baseline
from ealm.cli.evaluate import evaluate
from ealm.cli.help_pages import SectionedGroup
from ealm.cli.read import read
from ealm.cli.report import report
from ealm.cli.serve import serve
from ealm.cli.settings import settings
from ealm.cli.summarize import summarize
from ealm.cli.train import train
from ealm.cli.train_grammar import train_grammar
from ealm.cli.word_importance import weigh, word_importance

TO_TRY = """Try one of these:

  ealm summarize --words 8 "A sentence, or several, as people write them."
  ealm summarize -i texts.txt -o summaries.txt --words 8
  ealm serve

ealm --help lists all commands, ealm COMMAND --help explains one."""


@click.group(
    cls=SectionedGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="ealm")
@click.pass_context
def main(context: click.Context) -> None:
    """Shorten text to any length, and train what shortens it on raw sentences of your own."""
    if context.invoked_subcommand is None:
        click.echo(TO_TRY)


main.sections = {
    "Summarize": (summarize, serve),
    "Train": (train, adapt, word_importance, weigh, train_grammar, train_baseline, settings, report),
    "Evaluate": (evaluate, read),
}
for commands in main.sections.values():
    for command in commands:
        main.add_command(command)


if __name__ == "__main__":
    main()
