"""Words that do not count in the reconstruction rate (W, appendix A.4).

They are stop words and infrequent words; words unknown to the language model join them where ids are known.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ealm.config import IgnoredWordsSettings
from ealm.errors import SettingsError

_FUNCTION_WORDS = """
a an the this that these those each every either neither some any all both few many much more most other another such
own same several no not nor only
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one who whom whose which what whoever whatever somebody anybody nobody
everybody someone anyone everyone something anything nothing everything
be am is are was were been being have has had having do does did doing done can could may might must shall should will
would ought
about above across after against along among around as at before behind below beneath beside besides between beyond but
by despite down during except for from in inside into near of off on onto out outside over past since than through
throughout till to toward towards under until up upon via with within without
and or so yet if because although though while whereas whether unless once
here there where when why how then now again also too very just ever never always still even quite rather almost already
's 't 're 've 'll 'd 'm n't s t
"""

_PUNCTUATION = ". , ; : ! ? ' \" ` `` '' -- - … ( ) [ ] { } / -lrb- -rrb- -lsb- -rsb- & *"

STOP_WORDS = frozenset(_FUNCTION_WORDS.split()) | frozenset(_PUNCTUATION.split())
"""Function words and punctuation marks, in lower case."""


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
    try:
        from wordfreq import zipf_frequency
    except ImportError as error:
        raise SettingsError(
            "infrequent = wordfreq needs the wordfreq package. Install it with: pip install 'ealm[wordfreq]'"
        ) from error
    frequency: Callable[[str, str], float] = zipf_frequency
    return frequency
