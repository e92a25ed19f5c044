"""German sentences: what goes, and what never does. Each word is written word/tag/label/number of its head."""

import pytest

from ealm.goal_agent.tree_plan import TreePlan, TreePlanSettings
from ealm.grammar.protocol import NO_HEAD, Parse
from ealm.summarize.german_trees import GermanMarks, german_structure
from ealm.text.detokenizer import is_punctuation

TAXES = (
    "Die/ART/nk/1 Regierung/NN/sb/2 will/VMFIN/ROOT/- die/ART/nk/4 Steuern/NN/oa/6 nicht/PTKNEG/ng/6 senken/VVINF/oc/2 "
    "./$./punct/2"
)
WORKS = (
    "Das/ART/nk/1 Unternehmen/NN/sb/2 stellt/VVFIN/ROOT/- die/ART/nk/4 Produktion/NN/oa/2 in/APPR/mo/2 dem/ART/nk/8 "
    "alten/ADJA/nk/8 Werk/NN/nk/5 nach/APPR/mo/2 40/CARD/nk/11 Jahren/NN/nk/9 ein/PTKVZ/svp/2 ./$./punct/2"
)
MAYOR = (
    "Der/ART/nk/1 Bürgermeister/NN/sb/9 ,/$,/punct/1 der/PRELS/sb/7 seit/APPR/mo/7 langem/PIS/nk/4 krank/ADJD/pd/7 "
    "ist/VAFIN/rc/1 ,/$,/punct/1 tritt/VVFIN/ROOT/- nicht/PTKNEG/ng/9 an/PTKVZ/svp/9 ./$./punct/9"
)
RAILWAY = (
    "Gestern/ADV/mo/1 kündigte/VVFIN/ROOT/- die/ART/nk/3 Bahn/NN/sb/1 an/PTKVZ/svp/1 ,/$,/punct/1 dass/KOUS/cp/12 "
    "die/ART/nk/8 Preise/NN/sb/12 im/APPRART/mo/12 Dezember/NN/nk/9 deutlich/ADJD/mo/12 steigen/VVFIN/oc/1 ./$./punct/1"
)
CONCERT = (
    "Das/ART/nk/1 Konzert/NN/sb/2 beginnt/VVFIN/ROOT/- heute/ADV/mo/2 ,/$,/punct/2 wenn/KOUS/cp/7 es/PPER/sb/7 "
    "regnet/VVFIN/mo/2 ,/$,/punct/2 im/APPRART/mo/2 Saal/NN/nk/9 ./$./punct/2"
)
POLICE = (
    "Nach/APPR/mo/4 Angaben/NN/nk/0 der/ART/nk/3 Polizei/NN/ag/1 floh/VVFIN/ROOT/- der/ART/nk/6 Dieb/NN/sb/4 "
    "am/APPRART/mo/4 Abend/NN/nk/7 ,/$,/punct/4 weil/KOUS/cp/12 Hunde/NN/sb/12 bellten/VVFIN/mo/4 ./$./punct/4"
)
OFFICE = "Sie/PPER/sb/1 ist/VAFIN/ROOT/- heute/ADV/mo/1 im/APPRART/mo/1 Amt/NN/nk/3 ./$./punct/1"
QUOTED = '"/$(/punct/2 Er/PPER/sb/2 kam/VVFIN/ROOT/- gestern/ADV/mo/2 "/$(/punct/2 ./$./punct/2'


def shortened(annotated: str, size: int) -> str:
    rows = [row.rsplit("/", 3) for row in annotated.split()]
    words = [row[0] for row in rows]
    heads = tuple(NO_HEAD if row[3] == "-" else int(row[3]) for row in rows)
    parse = Parse(heads, tuple(row[2] for row in rows), tuple(row[1] for row in rows))
    is_word = [not is_punctuation(word) for word in words]
    plan = TreePlan(
        german_structure(words, parse, is_word),
        [0.0] * len(words),
        [int(own) for own in is_word],
        punctuation=GermanMarks(words, parse, is_word, [len(words) - 1]),
        settings=TreePlanSettings(),
    )
    kept = plan.draft(lambda indices, _=None: sum(is_word[i] for i in indices) <= size).kept
    return " ".join(words[i] for i in kept)


@pytest.mark.parametrize(
    ("annotated", "size", "expected"),
    [
        (TAXES, 7, "Die Regierung will die Steuern nicht senken ."),
        (TAXES, 6, ""),  # nothing goes out of what is denied
        (WORKS, 12, "Das Unternehmen stellt die Produktion in dem Werk nach 40 Jahren ein ."),
        (WORKS, 6, "Das Unternehmen stellt die Produktion ein ."),  # the verb has its second half
        (WORKS, 5, ""),
        (MAYOR, 6, "Der Bürgermeister tritt nicht an ."),
        (RAILWAY, 10, "Gestern kündigte die Bahn an , dass die Preise deutlich steigen ."),
        (RAILWAY, 8, ""),  # without its first word it would be a question
        (CONCERT, 8, ""),  # nor from beside a condition
        (POLICE, 9, "Nach Angaben der Polizei floh der Dieb am Abend ."),
        (POLICE, 7, "Nach Angaben der Polizei floh der Dieb ."),
        (POLICE, 3, ""),  # who vouches for it stays
        (OFFICE, 4, ""),
        (QUOTED, 2, ""),
    ],
)
def test_only_what_is_safe_goes(annotated: str, size: int, expected: str) -> None:
    assert shortened(annotated, size) == expected
