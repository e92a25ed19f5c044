"""`python -m benchmarks.memory COUNT [LM]`: summarize many sentences, print the peak memory in KiB."""

import sys
from itertools import islice

import numpy as np

from benchmarks.peak import peak_memory
from benchmarks.setting import SETTINGS, language_model
from benchmarks.text import sentence
from ealm.paper.ignored_words import IgnoredWords
from ealm.paper.learner import new_agent
from ealm.summarize.summarizer import Summarizer


def main() -> None:
    """Stream the sentences: neither texts nor summaries are kept."""
    count, folder = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    lm = language_model(folder)
    # An agent that never replaces, so that the time is short.
    agent = new_agent(lm.width, SETTINGS.agent, 0)
    agent.output.bias.data[2] = -100.0
    summarizer = Summarizer.from_parts(agent, lm, ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS)
    rng = np.random.default_rng(0)
    texts = (sentence(int(rng.integers(10, 41)), rng) for _ in range(count))
    done = sum(1 for _ in islice(summarizer.summarize(texts, pretokenized=True), count))
    print(done, peak_memory())


if __name__ == "__main__":
    main()
