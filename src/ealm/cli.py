"""The `ealm` command. Its subcommands only parse, call and print; models load when one needs them."""

import click

from ealm import __version__
from ealm.commands.adapt import adapt
from ealm.commands.baseline import train_baseline
from ealm.commands.evaluate import evaluate
from ealm.commands.report import report
from ealm.commands.serve import serve
from ealm.commands.settings import settings
from ealm.commands.summarize import summarize
from ealm.commands.train import train
from ealm.commands.weigh import weigh


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="ealm")
def main() -> None:
    """Learn to shorten sentences from raw text, and shorten them.

    \b
    ealm summarize --words 8 "A sentence, or several, as people write them."
    ealm train corpus.txt --out runs/mine
    ealm summarize --model runs/mine -i texts.txt -o summaries.txt
    """


for command in (train, weigh, adapt, summarize, evaluate, train_baseline, report, serve, settings):
    main.add_command(command)


if __name__ == "__main__":
    main()
