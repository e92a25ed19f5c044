"""Words that single rules look for; what several of them share is in `rules`."""

TWOFOLD = frozenset("as after before since until till".split())
"""Prepositions that are conjunctions too."""

RANKS = frozenset("top leading first only second third main".split())
"""Words that rank, like a superlative."""

GREETINGS = frozenset("hi hello hey dear hiya morning".split())
"""First words of an address: "Hi all, …"."""

LEAVING = frozenset(
    "leave leaves left leaving keep keeps kept keeping see sees saw seen seeing hear hears heard hearing find finds "
    "found catch catches caught".split()
)
"""Verbs whose object does what the participle behind it says."""

OPEN_NOUNS = frozenset("sign fact claim indication evidence idea belief".split())
"""Nouns that a clause must follow."""

CONJUNCTIONS = frozenset("when while as if because although though since until before after that".split())
"""First words of clauses that something must follow."""
