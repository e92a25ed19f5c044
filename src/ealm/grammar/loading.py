"""A grammar by its name."""

from ealm.grammar.neural.parser import EmbeddedGrammar
from ealm.grammar.protocol import Grammar
from ealm.lm.word_encoder import WordEncoder

EMBEDDED = "embedded"
NONE = "none"


def load_grammar(name: str, *, encoder: WordEncoder | None = None, device: str = "cpu") -> Grammar | None:
    """The parser in the package by the name "embedded", any spaCy pipeline by its own; None for "none".

    The parser in the package takes its states from `encoder`, which an agent may share.
    """
    if name == NONE:
        return None
    if name == EMBEDDED:
        return EmbeddedGrammar.load(encoder=encoder or WordEncoder.load(device=device), device=device)
    from ealm.grammar.spacy_grammar import SpacyGrammar

    return SpacyGrammar.load(name.removeprefix("spacy:"))
