"""What it costs to leave out a dependent that its head does not need."""

from collections.abc import Callable

from ealm.grammar import rules
from ealm.grammar.drafts.needs import Needs
from ealm.grammar.trees.rearranging import ROOT


class Costs(Needs):
    """Tells which dependents a head needs, and what the others cost."""

    def cost(self, i: int) -> float:
        """What it costs to leave a word out that is not required."""
        if self._heads[i] == ROOT or i in self.spare:
            return 0.0
        special = _COSTS.get(self._relations[i])
        return special(self, i) if special is not None else rules.OMISSION_COST.get(self._relations[i], 0.0)

    def _amod_cost(self, i: int) -> float:
        return rules.RESTRICTIVE_COST if i > self._heads[i] else rules.OMISSION_COST["amod"]

    def _infinitive_cost(self, i: int) -> float:
        if self._tags[i] == "VBG":
            return rules.OMISSION_COST["advcl"]
        return rules.INFINITIVE_COST / 2

    def _prep_cost(self, i: int) -> float:
        head = self._heads[i]
        if self._is_time(i):
            return rules.TIME_COST
        if self._lower[i] == "of":
            return rules.OF_COST
        if self._completes(i) or self._tags[head] == "JJ" or self._relations[i] == "dative":
            return rules.VERB_COMPLEMENT_COST
        return rules.OMISSION_COST["prep"]

    def _completing_cost(self, i: int) -> float:
        if self._is_time(i):
            return rules.TIME_COST
        return rules.VERB_COMPLEMENT_COST if self._completes(i) else rules.OMISSION_COST.get(self._relations[i], 0.0)

    def _clause_cost(self, i: int) -> float:
        if self._tags[i] == "VB" and self._of(i, "aux") and not self._after_comma(i):
            return rules.INFINITIVE_COST
        return rules.OMISSION_COST[self._relations[i]] if self._after_comma(i) else rules.RESTRICTIVE_COST

    def _compound_cost(self, i: int) -> float:
        title = self._tags[self._heads[i]].startswith("NNP")
        return 0.1 if title else rules.OMISSION_COST["compound"]

    def _number_cost(self, i: int) -> float:
        priced = any(self._lower[j] in ("$", "£", "€") for j in self._children[i])
        return rules.OF_COST if priced else rules.OMISSION_COST["nummod"]

    def _interjection_cost(self, i: int) -> float:
        return 0.0 if self._lower[i] == "please" else rules.OMISSION_COST["intj"]


_COSTS: dict[str, Callable[[Costs, int], float]] = {
    "prep": Costs._prep_cost,
    "dative": Costs._prep_cost,
    "amod": Costs._amod_cost,
    "npadvmod": Costs._completing_cost,
    "advmod": Costs._completing_cost,
    "advcl": Costs._completing_cost,
    "relcl": Costs._clause_cost,
    "acl": Costs._clause_cost,
    "compound": Costs._compound_cost,
    "xcomp": Costs._infinitive_cost,
    "nummod": Costs._number_cost,
    "intj": Costs._interjection_cost,
}
