"""Words that hold a sentence together and say little by themselves."""

DETERMINERS = frozenset("a an the this these those my your his her its our their every each".split())
PREPOSITIONS = frozenset(
    "of in on at by for from with to into onto about against among between during through toward towards under upon "
    "via within without after before since until as than despite amid".split()
)
CONJUNCTIONS = frozenset(
    "and or but nor if because although though while whereas whether unless that which who".split()
)
AUXILIARIES = frozenset(
    "am is are was were be been being has have had will would can could may might must shall should do does did".split()
)
FUNCTION_WORDS = DETERMINERS | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES

_STOP_FUNCTION_WORDS = """
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

STOP_WORDS = frozenset(_STOP_FUNCTION_WORDS.split()) | frozenset(_PUNCTUATION.split())
"""Function words and punctuation marks, in lower case."""

_ARTICLES_AND_DETERMINERS = """
a an the this that these those some any each every either neither both all such
"""

_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves there who whom whose which what whoever whomever whatever whichever
someone anyone everyone somebody anybody everybody nobody something anything everything nothing
"""

_DELETED_AUXILIARIES = """
be am is are was were been being have has had having do does did doing can could may might must shall should will would
ought 're 've 'll 'd 'm
"""

_DAYS = """
monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow tonight
"""

_NUMBER_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions
billion billions trillion dozen dozens first second third fourth fifth sixth seventh eighth ninth tenth
"""

_DELETED_PUNCTUATION = """
. , ; : ! ? ' " ` `` '' - -- … _ / ( ) [ ] { } -lrb- -rrb- -lsb- -rsb- -lcb- -rcb-
"""

DELETED_WORDS = frozenset(
    (
        _ARTICLES_AND_DETERMINERS + _PRONOUNS + _DELETED_AUXILIARIES + _DAYS + _NUMBER_WORDS + _DELETED_PUNCTUATION
    ).split()
)
"""Stop words of the baseline, in lower case; prepositions and negations are none of them."""
