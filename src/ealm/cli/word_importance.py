"""`ealm word-importance`: measures the importance of each word of a corpus once for all training runs on it."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ealm.cli.shared import corpus_argument, device_option, finite, plain_errors, pretokenized_option, quiet_option
from ealm.common.config import DataSettings

if TYPE_CHECKING:
    from ealm.goal_agent.word_importance import WordImportance

_SENTENCES_AT_ONCE = 32
_SAVE_EVERY_SECONDS = 120.0


@click.command("word-importance")
@corpus_argument
@click.option(
    "--out", "path", required=True, type=click.Path(dir_okay=False, path_type=Path), help="File for the result."
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    callback=finite,
    help="Stop after so many minutes. [default: when all sentences are measured]",
)
@click.option("--similarity", default="embedded", show_default=True, help="Sentence-similarity model.")
@pretokenized_option
@device_option
@quiet_option
@plain_errors
def word_importance(
    corpus: Path, path: Path, minutes: float | None, similarity: str, pretokenized: bool, device: str, quiet: bool
) -> None:
    """Measure how important each word of CORPUS is to its sentence, for `ealm train --word-importance`.

    Training with the preset `reader` needs this and measures it by itself; do it beforehand where several runs
    (seeds, settings) share a corpus. If the file exists, only what is missing is added, and Ctrl-C loses nothing.
    """
    from tqdm import tqdm

    from ealm.goal_agent.word_importance import ImportanceModel, load_importance, save_importance, sentence_key
    from ealm.paper.assessment import SentenceSimilarity
    from ealm.text.corpus import read_corpus

    settings = DataSettings(pretokenized=pretokenized, max_sentences=None)
    sentences = read_corpus(corpus, settings=settings, longest=settings.max_words, seed=0).sentences
    known: dict[int, WordImportance] = load_importance(path, similarity) if path.exists() else {}
    new = list({sentence_key(words): words for words in sentences if sentence_key(words) not in known}.values())
    click.echo(f"{corpus}: {len(sentences):,} sentences, {len(new):,} to measure", err=True)
    model = ImportanceModel(SentenceSimilarity.load(similarity, device=device))
    started = saved = time.monotonic()
    with tqdm(total=len(new), unit=" sentences", disable=quiet, file=sys.stderr, dynamic_ncols=True) as bar:
        try:
            for start in range(0, len(new), _SENTENCES_AT_ONCE):
                if minutes is not None and time.monotonic() - started >= 60 * minutes:
                    break
                chunk = new[start : start + _SENTENCES_AT_ONCE]
                known.update(zip(map(sentence_key, chunk), model.measure(chunk), strict=True))
                bar.update(len(chunk))
                if time.monotonic() - saved >= _SAVE_EVERY_SECONDS:
                    save_importance(path, known, similarity)
                    saved = time.monotonic()
        finally:
            save_importance(path, known, similarity)
    use = f"ealm train --preset reader --word-importance {path}"
    click.echo(f"{path}: {len(known):,} sentences. Use it with: {use}", err=True)


weigh = click.Command(
    "weigh", callback=word_importance.callback, params=word_importance.params, help=word_importance.help, hidden=True
)
"""The older name of the command."""
