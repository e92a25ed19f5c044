"""ROUGE of agents and trivial baselines on sentences with a reference, under the `paper` and `length` protocols.

References are for these numbers only: nothing is trained on them or chosen by them.

    python -m benchmarks.dev_scores --data DIR --model seed0=runs/a --model seed1=runs/b --out scores.json
"""

import json
from collections.abc import Callable
from pathlib import Path

import click

from ealm import Summarizer
from ealm.baselines.trivial import lead_words, without_stop_words
from ealm.rouge import LENGTH, PAPER, Protocol, mean_length, mean_novel_words, mean_scores, score

Row = dict[str, object]


@click.command()
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Folder with input.txt and ref0.txt.")
@click.option("--model", "models", multiple=True, metavar="NAME=FOLDER", help="An agent; may be repeated.")
@click.option("--sentences", type=int, help="Only the first so many.")
@click.option("--words", default=8, show_default=True, help="Length for the `length` protocol.")
@click.option("--raw", is_flag=True, help="The text is not cut into words.")
@click.option("--decoding", default="sequential", type=click.Choice(["sequential", "parallel"]))
@click.option("--out", type=click.Path(path_type=Path), help="Write the table as JSON too.")
def main(
    data: Path,
    models: tuple[str, ...],
    sentences: int | None,
    words: int,
    raw: bool,
    decoding: str,
    out: Path | None,
) -> None:
    sources = _lines(data / "input.txt")[:sentences]
    references = _lines(data / "ref0.txt")[:sentences]
    rows: list[Row] = []

    def add(name: str, protocol: Protocol, summaries: list[str]) -> None:
        rows.append(_row(name, protocol, summaries, sources, references))
        click.echo(_line(rows[-1]))

    baselines: dict[str, Callable[[str], str]] = {
        "Lead-8": lambda sentence: lead_words(sentence, 8),
        "Lead-15": lambda sentence: lead_words(sentence, 15),
        "without stop words": without_stop_words,
    }
    click.echo(f"{len(sources)} sentences of {data.name}; R-1, R-2, R-L in percent; words and new words a summary")
    for name, shorten in baselines.items():
        add(name, PAPER, [shorten(sentence) for sentence in sources])
    add(f"Lead-{words}", LENGTH, [lead_words(sentence, words) for sentence in sources])
    add("without stop words", LENGTH, [without_stop_words(sentence, words) for sentence in sources])
    for model in models:
        name, _, folder = model.partition("=")
        summarizer = Summarizer.from_pretrained(folder or name).with_decoding(decoding)
        add(name, PAPER, [str(s) for s in summarizer.summarize(sources, pretokenized=not raw)])
        add(name, LENGTH, [str(s) for s in summarizer.summarize(sources, words=words, pretokenized=not raw)])
    if out is not None:
        out.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _row(name: str, protocol: Protocol, summaries: list[str], sources: list[str], references: list[str]) -> Row:
    means = mean_scores(score(summaries, references, protocol=protocol))
    return {
        "system": name,
        "protocol": protocol.name,
        "rouge_1": round(100 * means.rouge_1, 2),
        "rouge_2": round(100 * means.rouge_2, 2),
        "rouge_l": round(100 * means.rouge_l, 2),
        "length": round(mean_length(summaries), 2),
        "new_words": round(mean_novel_words(summaries, sources), 2),
    }


def _line(row: Row) -> str:
    numbers = [f"{row[name]:6.2f}" for name in ("rouge_1", "rouge_2", "rouge_l", "length", "new_words")]
    return f"{row['system']:<24} {row['protocol']:<8} {' '.join(numbers)}"


if __name__ == "__main__":
    main()
