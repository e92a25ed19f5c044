"""`python -m benchmarks.memory COUNT`: summarize so many sentences to 8 words, print the peak memory in KiB."""

import sys
from itertools import cycle, islice

import torch

from benchmarks.peak import peak_memory
from benchmarks.setting import raw_sentences
from ealm import Summarizer


def main() -> None:
    """Stream the sentences, the same ones again and again: neither texts nor summaries are kept."""
    torch.set_num_threads(1)
    count = int(sys.argv[1])
    texts = islice(cycle(raw_sentences()), count)
    done = sum(1 for _ in Summarizer(engine="torch").summarize(texts, words=8))
    print(done, peak_memory())


if __name__ == "__main__":
    main()
