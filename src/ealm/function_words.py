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
