"""Which phrases belong to a verb or a noun like its object: "fit the orbit to a circle", "differences in price"."""

from ealm.grammar import rule_words, rules
from ealm.grammar.learned_valency import belongs
from ealm.grammar.rearranging import ROOT
from ealm.grammar.scope import Scope

_PHRASES = ("prep", "npadvmod", "dative", "agent")


class Valency(Scope):
    """Answers questions about what a head says nothing, or something else, without."""

    def limits_head(self, i: int) -> bool:
        """Whether something else is said without this phrase or adjective."""
        if self._heads[i] == ROOT:
            return False
        if self._relations[i] in _PHRASES:
            return self._lower[i] == "against" or self._is_told_in_full(i) or self._is_for_use(i)
        return self._relations[i] == "amod" and (self._is_denied_kind(i) or self._is_regretted(i))

    def completes_head(self, i: int) -> bool:
        """Whether little is said without this phrase or clause: it may go only where nothing else fits."""
        head, relation = self._heads[i], self._relations[i]
        if head == ROOT:
            return False
        if relation in _PHRASES:
            needed = rule_words.NOUN_PHRASES.get(self._lower[head], ())
            return self._lower[i] in needed or self._is_since_when(i) or self._is_learned(i)
        if relation in ("xcomp", "advcl", "relcl", "acl"):
            return self._is_time_taken(i)
        return self._is_attached(i)

    def _is_told_in_full(self, i: int) -> bool:
        """What is told in passing is told in full: "which keeps nerve cells in shape", "two of which pump blood …"."""
        clause = self._heads[i]
        if self._relations[clause] in ("dobj", "nsubj", "nsubjpass", "attr"):
            clause = self._heads[clause]
        if self._relations[clause] != "relcl" or self._is_time(i) or self._after_comma(i):
            return False
        shares = [j for j in self._of(clause, "nsubj", "nsubjpass") if self._of(j, "prep") and self._lower[j] != "which"]
        counted = any(self._tags[k] == "WDT" or self._lower[k] == "whom" for j in shares for k in self._tree.subtree(j))
        return counted or self._after_comma(clause)

    def _is_learned(self, i: int) -> bool:
        """ "Impose a fine on the bank", "was charged with fraud": phrases that were learned with their verbs."""
        head = self._heads[i]
        verb = self._heads[head] if self._relations[head] == "dobj" else head
        if verb == ROOT or i < verb or not self._tags[verb].startswith("VB") or self._is_time(i):
            return False
        if self._of(verb, "nsubjpass", "auxpass") or (self._tags[verb] == "VBN" and self._relations[verb] == "acl"):
            return belongs(self._lower[verb], "passive", self._lower[i])
        return belongs(self._lower[verb], "object" if self._of(verb, "dobj") else "alone", self._lower[i])

    def _is_since_when(self, i: int) -> bool:
        """ "I haven't touched the mower since April"."""
        verb = self._heads[i]
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

    def _is_attached(self, i: int) -> bool:
        """ "Attached you will find the minutes"."""
        verb = self._heads[i]
        return self._lower[i] in ("attached", "enclosed", "below") and self._lower[verb] == "find"
