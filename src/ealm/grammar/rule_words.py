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

NOUN_PHRASES = {
    "interest": ("in",),
    "lack": ("of",),
    "need": ("for",),
    "responsibility": ("for",),
    "attitude": ("to", "towards"),
    "access": ("to",),
    "connection": ("with",),
    "right": ("to",),
}
"""Nouns that say little without a phrase that begins with one of these words."""

REGRETS = frozenset("sorry afraid regret apologise apologize unfortunately".split())
"""Words of somebody who is sorry for what follows."""

TAKING_TIME = frozenset("take takes took taken taking need needs needed needing".split())
"""Verbs of what takes time."""

SMALL_DEGREES = frozenset("slightly just well far much".split())
"""Words before "more than" that it is true without."""

FRAMING = frozenset("spoke talked checked check gone went called wrote phoned emailed chatted".split())
"""Verbs of what somebody did before he learned what he tells."""

FINDING = frozenset("found discovered noticed realised realized learned learnt saw".split())
"""Verbs of what somebody then knows."""

PERSONS = frozenset(
    "investor tycoon banker billionaire economist analyst lawyer author writer novelist poet painter actor actress "
    "singer coach striker goalkeeper scientist historian surgeon nurse teacher farmer activist founder strategist "
    "trader candidate lawmaker campaigner journalist reporter footballer".split()
)
"""What a person may be called before the name, beside titles."""

STOPPING = frozenset(
    "stop stops stopped stopping avoid avoids avoided avoiding quit refuse refuses refused fail fails failed refrain "
    "prevent prevents prevented".split()
)
"""Verbs that say that something is not done."""

REASONS = frozenset("because according despite due since".split())
"""Prepositions of phrases that limit no denial."""

BOUNDS = frozenset("before after within until above below over under".split())
"""Prepositions that say how far a condition reaches."""

PLACE_NOUNS = frozenset("area areas place places country countries region regions city cities room rooms zone".split())
"""Nouns that "where" may belong to."""

FILLERS = frozenset("omg lol haha hahaha tbh ngl lmao btw imo imho".split())
"""What people write in messages that says nothing."""
