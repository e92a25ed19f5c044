"""`python -m benchmarks.flat_memory FILE --model NAME [--words N]`: does the memory grow with the number of sentences?

Summarizes sentences of a file as a stream, keeps neither texts nor summaries, and prints the peak of the process after
the first tenth of them and after all.
"""

import argparse
import lzma
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchmarks.peak import peak_memory
from ealm import Summarizer
from ealm.text.words import split_words


def main() -> None:
    """One process for each combination of model and length: a peak never falls."""
    parser = argparse.ArgumentParser(prog="benchmarks.flat_memory", description=__doc__)
    parser.add_argument("file", type=Path, help="one sentence a line; may be .xz")
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--words", type=int, help="a fixed length [default: the model's own]")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--longest", type=int, default=40, help="words of the longest sentence that is taken")
    options = parser.parse_args()
    texts = islice(sentences_of(options.file, longest=options.longest), options.count)
    length = {} if options.words is None else {"words": options.words}
    first = early = done = 0
    for done, _ in enumerate(Summarizer(options.model).summarize(texts, **length), start=1):
        if done == options.count // 10:
            first, early = done, peak_memory()
    late = peak_memory()
    print(f"{options.model}, {options.words or 'own'} words: {early / 1024:.0f} MB after {first} sentences, ", end="")
    print(f"{late / 1024:.0f} MB after {done} ({late / early:.3f} times)")


def sentences_of(path: Path, *, longest: int) -> Iterator[str]:
    """Lines of a file, plain or compressed, of at least four words and at most `longest`."""
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        yield from (line.strip() for line in lines if 4 <= len(split_words(line)) <= longest)


if __name__ == "__main__":
    main()
