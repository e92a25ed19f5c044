"""The `ealm` command. Its subcommands only parse, call and print; models load when one needs them."""

import click

from ealm import __version__
from ealm.cli.adapt import adapt
from ealm.cli.baseline import train_baseline
from ealm.cli.evaluate import evaluate
from ealm.cli.read import read
from ealm.cli.report import report
from ealm.cli.serve import serve
from ealm.cli.settings import settings
from ealm.cli.summarize import summarize
from ealm.cli.train import train
from ealm.cli.train_grammar import train_grammar
from ealm.cli.word_importance import weigh, word_importance


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="ealm")
def main() -> None:
    """Learn to shorten sentences from raw text, and shorten them.

    \b
    ealm summarize --words 8 "A sentence, or several, as people write them."
    ealm train corpus.txt --out runs/mine
    ealm summarize --model runs/mine -i texts.txt -o summaries.txt
    """


TRAINING = (train, word_importance, weigh, adapt, train_grammar, train_baseline, report)
USE = (summarize, serve, settings)
EVALUATION = (evaluate, read)
for command in (*TRAINING, *USE, *EVALUATION):
    main.add_command(command)


if __name__ == "__main__":
    main()
