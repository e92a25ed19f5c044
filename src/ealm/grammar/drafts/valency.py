"""Which phrases belong to a verb or a noun like its object: "fit the orbit to a circle", "differences in price"."""

from functools import cache
from pathlib import Path
from typing import Any

from ealm.common.storage import parse_json, read_text_or_packed
from ealm.grammar import rule_words, rules
from ealm.grammar.drafts.scope import COMPLEMENTS, Scope
from ealm.grammar.trees.rearranging import ROOT

_PHRASES = ("prep", "npadvmod", "dative", "agent")
_ADVERBIALS = ("prep", "advmod")
_TABLE = Path(__file__).parent / "valency.json"
"""What was learned from raw text about verbs (`tools/learn_valency.py`); packed."""


@cache
def _table() -> dict[str, Any]:
    return {
        name: {form: frozenset(own) for form, own in part.items()} if isinstance(part, dict) else frozenset(part)
        for name, part in parse_json(read_text_or_packed(_TABLE)).items()
    }


def belongs(verb: str, frame: str, preposition: str) -> bool:
    """Whether a phrase belongs to a verb (any form) with an "object" or in the "passive"."""
    return preposition in _table()[frame].get(verb, ())


def is_never_bare(verb: str, *, passive: bool) -> bool:
    """Whether something nearly always stands behind a verb (any form)."""
    return verb in _table()["never_bare_passive" if passive else "never_bare"]


class Valency(Scope):
    """Answers questions about what a head says nothing, or something else, without."""

    def limits_head(self, i: int) -> bool:
        """Whether something else is said without this phrase, adjective or clause."""
        head, relation = self._heads[i], self._relations[i]
        if head == ROOT:
            return False
        if relation in _ADVERBIALS and (self._ends_denial(i) or self._bounds_condition(i)):
            return True
        if relation in _PHRASES:
            opposed = self._lower[i] == "against" and not self._after_comma(i)
            nominal = " ".join(self._lower[i : i + 4]).startswith(rule_words.IN_NAME)
            limits = {self._lower[j] for j in self._of(head, "det", "predet")}
            of_all = self._lower[i] in rules.NARROWING and limits & {"all", "every", "any"} and not self._after_comma(i)
            return (
                opposed
                or nominal
                or bool(of_all)
                or self._is_told_in_full(i)
                or self._is_for_use(i)
                or self._is_by_whom(i)
                or self._is_forbidden(i)
                or self._is_by_notice(i)
                or self._is_case_of_command(i)
            )
        if relation == "amod":
            return (
                self._is_denied_kind(i)
                or self._is_regretted(i)
                or self._names_kind(i)
                or self._narrows_condition(i)
                or self._narrows_exception(i)
                or self._lower[self._heads[i]] in rule_words.STATES
            )
        if relation == "poss":
            return any(self._lower[j] == "only" for j in self._subtree(i))  # "only two days' notice"
        return relation in ("relcl", "acl") and (self._defines(i) or self._is_state(i) or self._is_of_share(i))

    def completes_head(self, i: int) -> bool:
        """Whether little is said without this phrase or clause."""
        head, relation = self._heads[i], self._relations[i]
        if head == ROOT:
            return False
        if relation in _PHRASES:
            needed = rule_words.NOUN_PHRASES.get(self._lower[head], ())
            if (self._lower[head], self._lower[i]) in rule_words.TIED or self._is_given(i) or self._is_all_told(i):
                return True
            if self._lower[i] in needed or self._is_since_when(i) or self._is_deadline(i):
                return True
            passive = bool(self._of(head, "auxpass"))
            completes = self._completes(i) or (passive and relation == "agent")
            told = self._lower[head] in rules.SAYING | rules.THINKING or bool(self._of(head, "prt"))
            bare = is_never_bare(self._lower[head], passive=passive) or self._lower[head] in rules.NEED_PHRASE
            beside = self._lower[i] in rule_words.CIRCUMSTANCES
            if completes and bare and not (told or beside or self._after_comma(i)):
                return True  # "shares headed towards a record"
            stranded = relation == "prep" and not self._children[i] and self._relations[head] == "relcl"
            return stranded or self._is_learned(i) or self._is_of_adjective(i)  # "the film you told us about"
        if relation in ("xcomp", "advcl", "relcl", "acl"):
            felt = self._lower[head] in rule_words.FEELINGS and self._relations[head] == "pobj"
            if felt and relation in ("relcl", "acl") and i == min(self._of(head, "relcl", "acl")):
                return not self._of(head, "prep") and not self._after_comma(i)  # "rose on hopes that rates will fall"
            told = self._lower[head] in rule_words.WAYS and self._relations[head] == "pobj" and relation != "advcl"
            return told or self._is_time_taken(i) or self._is_voted(i) or self._is_aim(i)
        if relation == "conj" and head > 0:  # "both foreign and local makers", "the firms Norvik and Seabed"
            several = self._tags[head] == "NNP" and self._relations[head] in ("pobj", "appos", "nsubj", "dobj")
            before = head - 1 - len(self._of(head, "compound"))
            return self._lower[head - 1] == "both" or (several and before >= 0 and self._tags[before] == "NNS")
        if relation == "advmod" and (self._is_denied_degree(i) or self._runs_so(i)):
            return True
        named = relation in ("compound", "nmod") and len(self._lower[head]) == 1  # "building C"
        return named or self._is_attached(i)

    def _ends_denial(self, i: int) -> bool:
        """ "Did not expect it to rise this fast", "stop replying to all": without it, more would be denied."""
        verb = self._heads[i]
        if i < verb or not self._tags[verb].startswith("VB") or self._after_comma(i) or self._is_time(i):
            return False
        if self._relations[i] == "prep" and self._lower[i] in rule_words.REASONS:
            return False
        if self._relations[verb] not in ("xcomp", "ccomp", "pcomp"):
            return self._relations[i] == "advmod" and self._is_negated(verb) and self._children_end(verb, i)
        above = self._heads[self._heads[verb]] if self._relations[verb] == "pcomp" else self._heads[verb]
        first = i == min(j for j in self._of(verb, *_ADVERBIALS) if j > verb)
        return first and above != ROOT and (self._is_negated(above) or self._lower[above] in rule_words.STOPPING)

    def _children_end(self, verb: int, i: int) -> bool:
        """Whether no complement of a verb stands behind a word."""
        return not any(
            j > i and self._relations[j] in ("dobj", "xcomp", "ccomp", "acomp") for j in self._children[verb]
        )

    def _bounds_condition(self, i: int) -> bool:
        """ "If you renew before June", "if it rises above the limit"."""
        if self._relations[i] != "prep" or not self._in_condition(i):
            return False
        return self._lower[i] in rule_words.BOUNDS or self._completes(i)  # "unless they return to work"

    def _narrows_condition(self, i: int) -> bool:
        """ "If it exceeds a critical value"."""
        determiners = {self._lower[j] for j in self._of(self._heads[i], "det", "poss")}
        return not determiners - {"a", "an", "any"} and self._in_condition(i)

    def _narrows_exception(self, i: int) -> bool:
        """ "Everywhere except the fenced area"."""
        noun = self._heads[i]
        return self._relations[noun] == "pobj" and self._lower[self._heads[noun]] in ("except", "excluding")

    def _is_given(self, i: int) -> bool:
        """ "They supply them with water"."""
        return self._lower[self._heads[i]] in rule_words.GIVING.get(self._lower[i], ())

    def _is_all_told(self, i: int) -> bool:
        """ "Rain that began late on Thursday", "a post that was advertised on your site": all that the clause says."""
        clause = self._heads[i]
        if self._relations[clause] != "relcl" or self._of(clause, *COMPLEMENTS, "agent", "prt"):
            return False
        others = [j for j in self._of(clause, *_PHRASES) if j != i and self._has_number(j)]
        return not others and self._first_behind(i, *_PHRASES) and self._tags[clause].startswith("VB")

    def _is_state(self, i: int) -> bool:
        """ "With the label facing up"."""
        noun = self._heads[i]
        within = self._relations[noun] == "pobj" and self._lower[self._heads[noun]] == "with"
        return within and self._relations[i] == "acl" and self._tags[i] in ("VBG", "VBN") and not self._after_comma(i)

    def _is_of_share(self, i: int) -> bool:
        """ "Most of the energy released in the reaction"."""
        noun = self._heads[i]
        part = self._heads[noun] if self._relations[noun] == "pobj" else ROOT
        share = self._heads[part] if part != ROOT and self._lower[part] == "of" else ROOT
        counted = share != ROOT and (self._lower[share] == "percent" or self._lower[share].endswith("%"))
        return (counted or self._lower[share] in rules.PROPORTIONS) and share != ROOT and not self._after_comma(i)

    def _is_deadline(self, i: int) -> bool:
        """ "Return it within 100 nights"."""
        return self._lower[i] == "within" and self._has_number(i) and not self._told_as_past(i)

    def _is_of_adjective(self, i: int) -> bool:
        """ "He is bad at texting": the phrase right behind an adjective."""
        head = self._heads[i]
        predicate = self._relations[head] == "acomp" and self._tags[head].startswith("JJ")
        return predicate and i == head + 1 and self._relations[i] == "prep" and not self._is_time(i)

    def _is_forbidden(self, i: int) -> bool:
        """ "No member may vote on a matter in which …": without the phrase, more would be forbidden."""
        verb = self._heads[i]
        ruled = any(self._lower[j] in rules.NORMATIVE for j in self._of(verb, "aux"))
        behind = i > verb and not self._after_comma(i) and self._lower[i] not in rule_words.REASONS
        return ruled and behind and not self._is_time(i) and self._has_negative_subject(verb)

    def _is_by_notice(self, i: int) -> bool:
        """ "Either party may end it by giving notice": how something may be done, and not without."""
        verb = self._heads[i]
        allowed = any(self._lower[j] in rules.NORMATIVE for j in self._of(verb, "aux"))
        return self._lower[i] == "by" and allowed and any(self._lower[j] == "giving" for j in self._of(i, "pcomp"))

    def _is_case_of_command(self, i: int) -> bool:
        """ "For urgent matters contact Ann": in which case something is to be done."""
        verb = self._heads[i]
        told = self._tags[verb] == "VB" and not self._of(verb, "nsubj", "aux")
        return told and i < verb and self._lower[i] == "for"

    def _is_by_whom(self, i: int) -> bool:
        """ "Most species are pollinated by bees": of some, what holds in this way only."""
        subjects = self._of(self._heads[i], "nsubjpass")
        limits = {self._lower[k] for j in subjects for k in self._of(j, "det", "amod", "predet")}
        return self._relations[i] == "agent" and bool(limits & rules.PROPORTIONS)

    def _names_kind(self, i: int) -> bool:
        """ "The grey-tailed marmot", "people with a weakened heart", "one in five small firms"."""
        noun = self._heads[i]
        subject = self._relations[noun] in ("nsubj", "nsubjpass")
        if subject and "-" in self._lower[i] and not self._told_as_past(noun):
            return True
        phrase = self._heads[noun]
        if self._relations[noun] in ("pobj", "conj", "conj-whole") and phrase != ROOT:
            phrase = phrase if self._tags[phrase] == "IN" else self._heads[phrase]
            return (
                phrase != ROOT
                and self._lower[phrase] == "with"
                and (self._lower[self._heads[phrase]] in rules.PEOPLE | rules.GENERIC_HEADS)
            )
        return any(self._of(j, "prep", "idiom") for j in self._of(noun, "nummod"))

    def _defines(self, i: int) -> bool:
        """ "A tree is a graph that contains no cycles"."""
        noun = self._heads[i]
        verb = self._heads[noun]
        if self._relations[noun] != "attr" or verb == ROOT or self._after_comma(i):
            return False
        subjects = self._of(verb, "nsubj")
        articles = {self._lower[k] for j in subjects for k in self._of(j, "det")}
        generic = bool(articles & {"a", "an"}) and self._tags[subjects[0]] == "NN"
        return generic and self._lower[verb] in rules.BE_PRESENT

    def _is_told_in_full(self, i: int) -> bool:
        """What is told in passing is told in full: "which keeps nerve cells in shape", "two of which pump blood …"."""
        clause = self._heads[i]
        if self._relations[clause] in ("dobj", "nsubj", "nsubjpass", "attr"):
            clause = self._heads[clause]
        if self._relations[clause] != "relcl" or self._is_time(i) or self._after_comma(i):
            return False
        shares = [
            j for j in self._of(clause, "nsubj", "nsubjpass") if self._of(j, "prep") and self._lower[j] != "which"
        ]
        counted = any(self._tags[k] == "WDT" or self._lower[k] == "whom" for j in shares for k in self._subtree(j))
        return counted or self._after_comma(clause)

    def _is_learned(self, i: int) -> bool:
        """ "Impose a fine on the bank", "was charged with fraud": phrases that were learned with their verbs."""
        head = self._heads[i]
        verb = self._heads[head] if self._relations[head] == "dobj" else head
        if verb == ROOT or i < verb or not self._tags[verb].startswith("VB") or self._is_time(i):
            return False
        if self._of(verb, "nsubjpass", "auxpass") or (self._tags[verb] == "VBN" and self._relations[verb] == "acl"):
            return belongs(self._lower[verb], "passive", self._lower[i])
        return bool(self._of(verb, "dobj")) and belongs(self._lower[verb], "object", self._lower[i])

    def _is_since_when(self, i: int) -> bool:
        """ "I haven't touched the mower since April", "for the first time since May"."""
        verb = self._heads[i]
        if self._lower[verb] == "time" and self._lower[i] in ("since", "in"):
            return any(self._lower[j] in ("first", "last") for j in self._of(verb, "amod"))
        return self._lower[i] == "since" and self._is_negated(verb) and self._tags[verb] == "VBN"

    def _is_for_use(self, i: int) -> bool:
        """ "You may copy it for your own use": what is allowed for one purpose only."""
        objects = [j for j in self._of(i, "pobj") if self._lower[j] in ("use", "purpose", "purposes")]
        return self._lower[i] == "for" and bool(objects) and not self._told_as_past(i)

    def _is_denied_kind(self, i: int) -> bool:
        """ "It must not be used for sudden attacks"."""
        phrase = self._heads[self._heads[i]] if self._relations[self._heads[i]] == "pobj" else ROOT
        verb = self._heads[phrase] if phrase != ROOT else ROOT
        return verb != ROOT and self._tags[verb].startswith("VB") and self._is_negated(verb) and phrase > verb

    def _is_regretted(self, i: int) -> bool:
        """ "We are sorry that the chair arrived with a cracked leg": the fault is in the adjective."""
        noun = self._heads[i]
        within = self._relations[noun] == "pobj" and self._lower[self._heads[noun]] in ("with", "without")
        return within and any(word in rule_words.REGRETS for word in self._lower[:i])

    def _is_time_taken(self, i: int) -> bool:
        """ "It may have needed 100,000 years to get there"."""
        head = self._heads[i]
        verb = self._heads[head] if self._relations[head] == "dobj" else head
        if verb == ROOT or self._lower[verb] not in rule_words.TAKING_TIME or not self._is_purpose(i):
            return False
        return any(self._lower[j] in rules.TIMES | rules.UNITS for j in self._of(verb, "dobj"))

    def _is_voted(self, i: int) -> bool:
        """ "Voted 9 to 4 to close the pier"."""
        verbs = {self._lower[self._heads[i]], self._lower[self._heads[self._heads[i]]]}
        return self._is_purpose(i) and bool(verbs & {"vote", "votes", "voted"})

    def _is_aim(self, i: int) -> bool:
        """ "In talks to buy", "a push to lift the ban"."""
        head = self._heads[i]
        own = self._lower[head] in rule_words.AIMS and self._tags[head].startswith("NN")
        return own and self._relations[i] in ("relcl", "acl") and self._is_purpose(i)

    def _is_denied_degree(self, i: int) -> bool:
        """ "I didn't reply sooner": but I did."""
        return self._tags[i] == "RBR" and self._is_negated(self._heads[i])

    def _runs_so(self, i: int) -> bool:
        """ "We're running late"."""
        return self._lower[i] in ("late", "low", "short") and self._lower[self._heads[i]] in (
            "run",
            "runs",
            "running",
            "ran",
        )

    def _is_attached(self, i: int) -> bool:
        """ "Attached you will find the minutes"."""
        verb = self._heads[i]
        return self._lower[i] in ("attached", "enclosed", "below") and self._lower[verb] == "find"

    def _is_kind_of_firm(self, title: int) -> bool:
        """ "British bank Norvik": what a firm is called before its name stays whole or goes."""
        plain = self._relations[title] == "title" and self._tree.words[title].islower()
        return plain and self._lower[title] not in rules.TITLES | rule_words.PERSONS

    def _is_ranking(self, adjective: int) -> bool:
        """ "The world's largest mill", "his most loyal friend": with somebody's, or not at all."""
        owners = [j for j in self._of(self._heads[adjective], "poss") if j not in self.spare]
        return bool(owners) and any(
            self._tags[j] in ("JJS", "RBS") for j in (adjective, *self._of(adjective, "advmod"))
        )

    def _limits_denial(self, i: int) -> bool:
        """ "Cannot raise his arm above the shoulder": without the phrase, more would be denied."""
        told = {"because", "according", "despite", "since", "due", "after", "by"}
        verb = self._tags[self._heads[i]].startswith("VB")
        return verb and not self._is_time(i) and self._lower[i] not in told and not self._after_comma(i)

    def _asks_how(self, i: int) -> bool:
        """ "How well people sleep": an adverb or adjective that a question word stands before."""
        if self._relations[i] not in ("advmod", "amod", "acomp", "npadvmod"):
            return False
        return any(self._tags[j] == "WRB" and j < i for j in self._children[i])

    def _is_compared(self, noun: int) -> bool:
        """ "Patients who took it lived longer than those who did not"."""
        subject = self._relations[noun] in ("nsubj", "nsubjpass")
        return subject and "than" in self._lower[self._heads[noun] :]
