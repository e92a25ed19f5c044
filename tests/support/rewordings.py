"""Sentences in shorter words, for several tests."""

from hypothesis import strategies as st

from ealm.summarize.paraphrase_alignment import ParaphrasedSentence
from ealm.text.sentences import Sentence
from ealm.text.tokenizer import tokenize

VOCABULARY = (
    *"the prime minister united states is are was not no never considering planning going to in order percent".split(),
    *"7.4 #.# more than 300 a number of , . ' 's Prime Minister United States TV television as well and".split(),
)
SENTENCES = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=14)


def sentence_of(text: str) -> Sentence:
    return Sentence(text, tuple(tokenize(text)))


def reworded(text: str, *untouchable: str) -> str:
    """A raw sentence in its shorter words."""
    sentence = sentence_of(text)
    return ParaphrasedSentence.shortest(sentence, [sentence.words.index(word) for word in untouchable]).sentence.text
