"""Words that do not count in the reconstruction rate (W, appendix A.4).

They are stop words and infrequent words; words unknown to the language model join them where ids are known.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ealm.common.config import IgnoredWordsSettings
from ealm.common.extras import needs_extra
from ealm.text.word_lists import STOP_WORDS


class IgnoredWords:
    """The set W; membership does not depend on case."""

    def __init__(self, settings: IgnoredWordsSettings, frequent: frozenset[str] = frozenset()) -> None:
        """`frequent` are the words that are not infrequent; used with `infrequent = "corpus"` only."""
        self.settings = settings
        self.frequent = frequent
        self._zipf_frequency = _load_zipf_frequency() if settings.infrequent == "wordfreq" else None

    @classmethod
    def from_corpus(cls, sentences: Iterable[Sequence[str]], settings: IgnoredWordsSettings) -> "IgnoredWords":
        """Count the corpus if the settings ask for it."""
        if settings.infrequent != "corpus":
            return cls(settings)
        counts = Counter(word.lower() for sentence in sentences for word in sentence)
        return cls(settings, frozenset(word for word, count in counts.items() if count >= settings.min_count))

    def __contains__(self, word: str) -> bool:
        word = word.lower()
        if self.settings.stop_words and word in STOP_WORDS:
            return True
        if self._zipf_frequency is not None:
            return bool(self._zipf_frequency(word, "en") < self.settings.min_zipf)
        return self.settings.infrequent == "corpus" and word not in self.frequent


def _load_zipf_frequency() -> Callable[[str, str], float]:
    with needs_extra("wordfreq", "The setting ignored_words.infrequent = wordfreq"):
        from wordfreq import zipf_frequency
    frequency: Callable[[str, str], float] = zipf_frequency
    return frequency
