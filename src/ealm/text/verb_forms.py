"""One finite form for a progressive one: "is considering" can be "considers", "were planning" can be "planned".

Only for verbs that are listed here: "is interesting" is no progressive, "was winning" is not "won", and in text without
capitals "beijing" looks like a verb. Their forms follow the rules of spelling; `irregular_forms.json` has the others.
"""

from functools import cache

from ealm.text.irregular_forms import forms_by_base

_LASTING = (
    "aim ask campaign carry compete control cooperate enjoy expect experience face hold hope insist intend live "
    "offer operate plan push rely request seek serve struggle suffer support try urge use vie wait wear work"
).split()
"""Going on is all that they say, so the simple past says the same."""

_PRESENT_ONLY = (
    "accuse add address advise analyze apply argue assess attend attract battle begin blame block boost borrow bring "
    "build buy bypass call celebrate charge check claim clash collect conduct confront consider continue cover create "
    "criticize cut deal debate defend deliver deny depend deploy develop discuss distribute drive employ enter "
    "evaluate examine expand explore export feel fight file finalize flee fly focus force form gather get give guard "
    "handle head help host hunt implement import improve increase inspect install introduce invest investigate join "
    "keep launch lay lobby make manage march meet monitor near negotiate open oppose order organize paint pay plot "
    "pose prepare pressure probe produce promote propose protect protest prove provide pull purchase pursue put raise "
    "rally reassess rebuild recall receive recruit reduce reexamine refuse relocate remove renew replace report "
    "rescue restructure rethink retire return review rise run save say scrutinize search sell send shift show spend "
    "sponsor spread stage stand start step stockpile strive study sue take talk target teach tell test tour track "
    "transform travel treat turn undergo undertake upgrade visit vote warn watch weigh withdraw"
).split()
"""What goes on in the present is told in the simple present in headlines; in the past it would be over."""

_OTHER_INFINITIVES = (
    "accept act agree allow announce appeal appear approve arrive assume be become benefit challenge close combat "
    "come complete coordinate decide decline demand drop enable encourage end expire fall fill finish go "
    "grow have hear hire inaugurate include issue last lead leave lift look lose move pave play present "
    "promise publish qualify reach regain release remain reopen resign resolve respond resume sign speak stay "
    "stop strengthen succeed testify threaten unveil welcome win worry write"
).split()

_ARCHAIC = frozenset(["wrought"])
"""Listed by WordNet, and not what people say."""

INFINITIVES = frozenset([*_LASTING, *_PRESENT_ONLY, *_OTHER_INFINITIVES])
"""Verbs that may follow "is going to", so that it is no place where somebody goes."""


@cache
def finite_forms() -> dict[tuple[str, str], str]:
    """The one verb for an auxiliary and a progressive form: ("is", "planning") has "plans"."""
    forms = {}
    for base in (*_LASTING, *_PRESENT_ONLY):
        progressive = _progressive(base)
        forms["is", progressive] = _third_person(base)
        forms["are", progressive] = base
    for base in _LASTING:
        past = _past(base)
        if past is not None:
            forms |= {(auxiliary, _progressive(base)): past for auxiliary in ("was", "were")}
    return forms


def _progressive(base: str) -> str:
    doubled = [form for form in forms_by_base().get(base, []) if form.endswith("ing")]
    if doubled:
        return doubled[0]
    if base.endswith("ie"):
        return base[:-2] + "ying"
    return (base[:-1] if base.endswith("e") and base[-2:] not in ("ee", "oe", "ye") else base) + "ing"


def _third_person(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if _ends_in_consonant_and_y(base) else base + "s"


def _past(base: str) -> str | None:
    """None where the list does not tell the past tense from the participle."""
    listed = {form for form in forms_by_base().get(base, []) if form != base} - _ARCHAIC
    if not listed:
        if _ends_in_consonant_and_y(base):
            return base[:-1] + "ied"
        return base + ("d" if base.endswith("e") else "ed")
    past = [form for form in listed if not form.endswith(("ing", "n"))]
    return past[0] if len(past) == 1 else None


def _ends_in_consonant_and_y(base: str) -> bool:
    return base.endswith("y") and base[-2] not in "aeiou"
