"""German words that the rules for German sentences look for, and marks and tags beside them."""

RESTRICTING = frozenset(
    "nicht nichts nie niemals niemand niemanden niemandem nirgends keinesfalls keineswegs weder noch kaum nur bloß "
    "lediglich allein ausschließlich fast beinahe höchstens mindestens erst einzig ohne außer statt anstatt "
    "ausgenommen".split()
)
CONDITIONS = frozenset("wenn falls sofern solange soweit ob bevor ehe bis".split())
"""Conjunctions of clauses on which the clause above them depends."""
NO = ("kein", "keine", "keinen", "keinem", "keiner", "keines")
ADVERBS = frozenset(
    "heute gestern morgen vorgestern übermorgen jetzt nun damals dort hier da später danach zuvor inzwischen "
    "mittlerweile zudem außerdem ferner jedoch allerdings dagegen hingegen daher deshalb deswegen dabei übrigens "
    "abends morgens nachts mittags".split()
)
"""Adverbs that say when or where, or tie the sentence to the one before."""
ADVERBIALS = frozenset("in im am an auf bei beim seit wegen aufgrund während vor nach".split())
"""Prepositions of adverbials that say when, where or why."""
ATTRIBUTES = ADVERBIALS | frozenset("von vom über aus zwischen zu zum zur mit".split())
"""Prepositions of attributes of a noun that is still the same without them."""
SOURCES = (
    "angab",
    "aussag",
    "ansicht",
    "meinung",
    "auffassung",
    "einschätzung",
    "bericht",
    "information",
    "schätzung",
)
"""How a noun begins that says who vouches for the statement."""
REASONS = frozenset("weil da nachdem während obwohl obgleich zumal".split())
"""Conjunctions of clauses without which the statement holds all the same."""
CHANGING = (
    "angeblich mutmaßlich vermeintlich vermutlich möglich ehemalig früher einstig künftig geplant falsch gefälscht "
    "versucht letzt nächst erst zweit dritt einzig ander halb weit meist wenig viel selb gleich"
).split()
"""How an adjective begins without which something else is meant."""
SINGULAR = frozenset("der das dem den des ein eine einen einem einer eines".split())
QUOTES = frozenset('"„“”»«›‹()[]–—-:;…/')
OPENERS = ("KOUS", "KOUI", "PRELS", "PRELAT", "PWAV", "PWS")
