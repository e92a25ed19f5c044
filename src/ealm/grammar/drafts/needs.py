"""Which dependents a head needs, and what it costs to leave out the others."""

from collections.abc import Callable

from ealm.grammar import rule_words, rules
from ealm.grammar.drafts.headlines import spare_words
from ealm.grammar.drafts.remarks import REMARK
from ealm.grammar.drafts.scope import COMPLEMENTS
from ealm.grammar.drafts.valency import Valency
from ealm.grammar.trees.ellipsis import UNSAID
from ealm.grammar.trees.rearranging import ROOT, Tree

_CLAUSES = frozenset({"advcl", "relcl", "acl", "ccomp", "xcomp", "conj", "parataxis", "csubj", "pcomp"})

_Rule = Callable[["Needs", int], bool]


class Needs(Valency):
    """Tells which dependents a head needs."""

    def __init__(self, tree: Tree, *, headline: bool) -> None:
        super().__init__(tree, spare=spare_words(tree) if headline else set())
        self._headline = headline

    def required(self, i: int) -> bool:
        """Whether the head of a word needs it."""
        if i in self.spare or self._relations[i] in ("degree", UNSAID):
            return False
        word, relation, tag = self._lower[i], self._relations[i], self._tags[i]
        head = self._heads[i]
        if self._asks_how(i):
            return True
        if self._is_compared_aside(i):
            return False
        if relation in ("cc", "range-end", "idiom", REMARK) or relation.endswith("-whole") or i in self._narrowing:
            return True
        if (word in rules.FRACTIONS and relation not in _CLAUSES) or self._is_excluding(i):
            return True
        if relation in ("prep", "npadvmod", "amod") and self._in_condition(i) and self._has_number(i):
            return True
        if (
            self._relations[head] == "relcl"
            and self._lacks_pronoun(head)
            and relation not in ("prep", "advcl", "advmod")
        ):
            return True
        if word in rules.CONDITIONS and relation in ("prep", "mark", "advmod"):
            return True
        if relation in ("advcl", "ccomp", "prep") and self._relations[head] == "idiom":
            return True
        if relation == "advcl" and self._lower[head] in ("soon", "long", "far") and self._lower[head - 1] == "as":
            return True  # "as soon as it is known"
        if relation in ("prep", "amod", "relcl", "acl") and self._is_denied(head) and not self._after_comma(i):
            return True
        if self.limits_head(i) or self.completes_head(i):
            return True
        if relation == "complementizer" or (relation == "mark" and word == "that" and self._is_reported(head)):
            return False
        if self._is_left_doing(i):
            return True
        if relation == "conj" and (self._is_part_of_condition(i) or (tag == "IN" and self._is_focused(i))):
            return True  # "but only in strong wind"
        if relation == "conj" and self._narrows_too(i):
            return True
        if relation == "parataxis" and word in rules.THINKING and self._of(i, "nsubj"):
            return True  # "it will not close, he promised"
        if relation in ("conj", "attribution", "parataxis", "intj", "appos", "designator", "title"):
            return False
        if word in rules.NEGATORS or word.endswith("n't") or (tag.startswith("W") and relation not in _CLAUSES):
            return True
        if self._tags[head] == "CD" and relation not in _CLAUSES and (relation != "prep" or self._is_share(i)):
            return True
        if word == "because" and relation == "prep" and self._tags[head] == "JJ":
            return False  # "not suitable because of small parts"
        if relation in ("prep", "amod", "acl", "relcl") and self._is_universal(head) and not self._after_comma(i):
            return True
        if relation in ("prep", "advcl", "npadvmod", "advmod") and self._is_focused(i) and not self._tells_what_for(i):
            return True
        if relation in ("prep", "relcl", "acl") and not self._after_comma(i) and self._narrows(i):
            return True
        if relation in ("amod", "compound") and (word, self._lower[head]) in rules.OFFICES:
            return True
        if relation in ("prep", "npadvmod") and self._says_more_than_pronoun(i):
            return True
        if relation == "nmod" and tag == self._tags[head] == "NNP" and self._of(i, "prep"):
            return True  # "Bank of Cork Holdings"
        if relation == "agent" and (self._relations[head] in ("acl", "advcl", "conj") or self._in_condition(i)):
            return True  # "damage caused by misuse", "if it is washed by sea water"
        if relation == "agent" and self._relations[head] == "relcl" and not self._after_comma(head):
            return True  # "any delay that is caused by strikes"
        if relation in ("amod", "compound") and self._is_kind_of_firm(head):
            return True
        if self._relations[head] == "prep" and not self._of(head, "pobj", "pcomp"):
            return True  # whatever a parser took the object for
        if relation in ("advmod", "amod", "nummod", "npadvmod") and self._is_limited(i):
            return True
        special = _SPECIAL.get(relation)
        return special(self, i) if special is not None else relation in rules.REQUIRED

    def _is_reported(self, clause: int) -> bool:
        """Whether a clause does without "that": "said prices fell"; in headlines also "no proof prices fell"."""
        if self._relations[clause] == "acl" and self._headline:
            return bool(self._of(clause, "nsubj", "nsubjpass"))
        above = self._heads[clause]
        plain = self._headline or above == ROOT or self._lower[above] not in rules.BE_PRESENT | rules.BE_PAST
        return plain and self._relations[clause] == "ccomp"  # "the news is that about 40 ships were late"

    def _narrows_too(self, i: int) -> bool:
        """ "Women who smoke and are older than 35 should not take it": both must hold."""
        clause = self._heads[i]
        if self._relations[clause] not in ("relcl", "acl") or self._after_comma(clause):
            return False
        joined = {self._lower[j] for j in self._of(i, "cc")}
        return not joined & rules.ALTERNATIVES and self._clause_of_noun(clause)

    def _narrows(self, i: int) -> bool:
        """Whether a phrase or clause says which one is meant, and something else is meant without it."""
        noun, word = self._heads[i], self._lower[i]
        above = self._heads[noun]
        if above != ROOT and self._lower[above] == "of" and self._tags[self._heads[above]].startswith("W"):
            return self._relations[i] == "relcl"
        if self._tags[noun].startswith("W") or any(self._tags[j].startswith("W") for j in self._of(noun, "det")):
            return self._relations[i] == "relcl"  # "which of the two we accepted"
        if any(self._tags[j] in ("JJS", "RBS") for j in self._of(noun, "amod")):
            return True  # "the youngest person to cross it"
        if self._relations[i] != "prep" or not self._tags[noun].startswith("NN"):
            return False
        if not self._headline and self._relations[noun] == "nsubj" and self._is_bare(noun):
            return True  # "light from the sun takes eight minutes"
        if word in rules.NARROWING and self._relations[noun] == "pobj" and self._is_part(self._heads[noun]):
            return True  # "nine out of ten people over sixty"
        if word in rules.PLACES and self._relations[noun] == "pobj" and self._lower[self._heads[noun]] == "with":
            return not any(map(self._is_name, self._of(i, "pobj")))  # "with the screen at half brightness"
        bare = self._tags[noun] == "NNS" and self._is_bare(noun)
        return bare and self._relations[noun] != "dobj" and word in rules.NARROWING and not self._told_as_past(noun)

    def _is_name(self, i: int) -> bool:
        return self._tree.words[i][:1].isupper()

    def _is_bare(self, noun: int) -> bool:
        return self._tags[noun] in ("NN", "NNS") and not self._of(noun, "det", "poss", "nummod")

    def _limits(self, i: int) -> bool:
        if self._lower[i] == "then" and self._relations[self._heads[i]] == "conj":
            return not self._of(self._heads[i], "cc")
        also = self._lower[i] == "too" and self._tags[self._heads[i]].startswith("VB")
        if (self._lower[i] in rules.LIMITERS | rules.HEDGES and not also) or self._has_than(i):
            return True
        if self._needs_phrase(i) or (self._lower[i] in rules.PARTICLES and self._heads[i] < i):
            return True
        head = self._heads[i]
        inside = self._lower[i].endswith("ly") and i < head and self._tree.is_word[i + 1]
        if inside and (self._is_negated(head) or self._has_negative_subject(head)):
            return True  # "was not seriously hurt"
        being = self._lower[head] in rules.BE_PRESENT | rules.BE_PAST | {"be", "been"}
        return being and not self._of(head, *COMPLEMENTS) and self._first_behind(i, "advmod", "prep")

    def _stands_alone(self, being: int) -> bool:
        """Whether "is" has no complement but a phrase: "the child is under six"."""
        asked = self._relations[being] in ("ccomp", "pcomp", "relcl")  # "where food is"
        phrase = min((j for j in self._of(being, "prep") if j > being), default=len(self._lower))
        adverbs = [j for j in self._of(being, "advmod") if being < j < phrase or (asked and self._tags[j][0] == "W")]
        adverbs = [j for j in adverbs if not self._lower[j].endswith("ly")]
        return not adverbs and not self._of(being, "attr", "acomp")

    def _det(self, i: int) -> bool:
        word = self._lower[i]
        if word in rules.ARTICLES or not self._headline:
            return True  # a spare one was told before
        if word in rules.DEMONSTRATIVES and self._lower[self._heads[i]] in rules.TIMES:
            return True  # "this week"
        return word in rules.QUANTIFIERS

    def _amod(self, i: int) -> bool:
        word = self._lower[i]
        if word in rules.PRIVATIVE | rules.QUANTIFIERS or self._has_than(i) or self._is_ranking(i):
            return True
        if self._lower[self._heads[i]] == "century" or self._lower.count(self._lower[self._heads[i]]) > 1:
            return True  # "the German version", where another version is mentioned
        if i > 0 and self._is_name(i) and self._is_name(self._heads[i]):
            return True  # "Great Wall"
        if self._lower[self._heads[i]] in rules.UNITS and self._of(self._heads[i], "nummod"):
            return True  # "40 light years"
        if self._relations[self._heads[i]] == "conj-whole" and self._tags[self._heads[self._heads[i]]] == "JJ":
            return True  # "the German and the English version"
        if self._tags[i] == "JJS" and any(i < j for j in self._of(self._heads[i], "prep", "relcl", "acl")):
            return True
        comparative = self._tags[i] in ("JJR", "RBR")
        return comparative and any(self._lower[j] == "than" for j in self._children[self._heads[i]])

    def _nummod(self, i: int) -> bool:
        noun = self._heads[i]
        above = self._lower[noun]
        if i > noun or not self._headline:
            return True  # "extension 412"; "a will needs two witnesses"
        priced = any(self._lower[j] in ("$", "£", "€") for j in self._of(i, "quantmod"))
        if priced and self._tags[noun] == "NN" and above not in rules.UNITS:
            return False  # "a $53 million fine"
        bounded = bool(self._of(i, "idiom", "quantmod", "advmod")) and not self._told_as_past(noun)
        if bounded or self._is_contrasted_number():
            return True  # "free for up to three users"
        return above in rules.UNITS | rules.MONTHS or self._lower[i] in rules.SCALES or not above[:1].isalpha()

    def _prep(self, i: int) -> bool:
        word, head = self._lower[i], self._heads[i]
        above = self._lower[head]
        if word == "without" and self._tags[head].startswith("NN") and self._told_as_past(head):
            return False  # "showed a fracture without signs of infection"
        if word in rules.LIMITING_PREPOSITIONS or (self._is_exchanged(head) and self._says_for_what(i)):
            return True
        if word == "to" and above in rules.UNITS and any(self._lower[j] == above for j in self._of(i, "pobj")):
            return True  # "20 percent to 25 percent"
        if word == "from" and self._is_time(i) and self._has_number(i) and not self._told_as_past(i):
            return True  # "will be closed from 3 May to 9 May"
        if self._is_told_besides(head) and self._completes(i):
            return True  # "which rises in the hills", "and called for a debate"
        if self._is_of_some(i) or self._is_fixed(i):
            return True
        if self._is_substituted(head):
            return True  # "rather than pulling it by the cord"
        if self._is_counterpart(i) or self._tags[head][0] == "W" or self._tags[head] in ("JJS", "RBS"):
            return True  # "which of them", "the lowest since May"
        if any(self._tags[j][0] == "W" for j in self._of(i, "pobj")):
            return True  # "the age at which"
        if self._relations[head] == "prep" or self._tags[head] == "IN":
            return True  # "out of", "because of"
        beside = word in rule_words.CIRCUMSTANCES  # "tumbled amid fears that it will not be able to pay"
        if self._completes(i) and not beside and any(self._lower[j] in rules.NEGATORS for j in self._subtree(i)):
            return True
        objects = {self._lower[j] for j in self._of(i, "pobj")}
        if (
            (above in ("half", "quarter") and not self._is_year(i))
            or (objects & rules.CONDITION_NOUNS and word not in rule_words.REASONS)
            or (i < head and objects & rules.GENERIC_HEADS)  # "for anything urgent, call"
            or (word == "according" and self._is_rumour(i))
        ):
            return True
        if self._is_negated(head) and (word in ("before", "after", "until") or self._tags[head] == "JJ"):
            return True
        if word == "because" and self._is_negated(head) and self._is_denied_reason(i, {word}):
            return True
        if self._is_bounded(i):
            return True
        if word == "as" and (self._is_compared_with_as(head, i) or self._completes(i)):
            return True
        if self._is_negated(head) and i > head and self._limits_denial(i):
            return True
        if word == "to" and above in ("leave", "leaves", "left", "leaving") and self._of(head, "dobj"):
            return True
        named = self._is_name(head) and (head > 0 or self._tags[head] == "NNP")
        if word == "of" and named and any(map(self._is_name, self._of(i, "pobj"))):
            return True  # "Bank of England"
        definite = any(self._lower[j] == "the" for j in self._of(head, "det"))
        if definite and above in rules.TIMES and not self._after_comma(i):
            return True  # "on the day before the test"
        if word == "of":
            measured = above in rules.UNITS and bool(self._of(head, "nummod"))  # "28 days of leave"
            return (
                measured
                or above in rules.PARTITIVES
                or above.endswith(("ness", "-third", "-thirds", "-quarters", "-fourths", "-fifths"))
                or self._needs_phrase(i)
                or self._tags[head] in ("CD", "DT", "JJR", "JJS")
            )
        if self._is_time(i) and self._relations[head] == "relcl" and not self._of(head, *COMPLEMENTS):
            return True  # "which began on Wednesday"
        if self._is_time(i) and self._tags[head] == "VBN" and self._relations[head] in ("acl", "advcl"):
            return not self._of(head, *COMPLEMENTS, "agent") and self._first_behind(i, "prep")  # "signed in 1648"
        if self._bare_participle(i) or self._before_infinitive(i) or self._needs_phrase(i):
            return True
        if above in rules.BE_PRESENT | rules.BE_PAST | {"be", "been"}:
            told = self._lower[head + 1] == "to" or word in rule_words.REASONS  # "is to meet them, according to …"
            return not told and self._stands_alone(head) and self._first_behind(i, "prep")
        return False

    def _is_compared_aside(self, i: int) -> bool:
        """ "Banks borrowed 300 million euros, up from 280 million in April"."""
        head = self._heads[i]
        opens = self._lower[i] in rule_words.COMPARING_ASIDE and i > head and self._after_comma(i)
        stated = opens and self._tags[head].startswith("VB") and not self._is_negated(head)
        stated = stated and any(self._lower[j] in ("from", "than", "with", "to") for j in self._of(i, "prep"))
        return (
            stated
            and self._lower[i + 1] != "to"
            and self._has_number(i)
            and any(head < j < i for j in self._of(head, *COMPLEMENTS, "prep"))
        )

    def _tells_what_for(self, i: int) -> bool:
        """ "They hold hands so that they do not drift apart"."""
        first = min(self._subtree(i))
        return self._lower[first : first + 2] == ["so", "that"]

    def _is_year(self, i: int) -> bool:
        """ "In the first half of 2011"."""
        return any(self._lower[j].isdigit() and len(self._lower[j]) == 4 for j in self._of(i, "pobj"))

    def _is_compared_with_as(self, head: int, i: int) -> bool:
        """ "As sharp as", "the same as"."""
        before = [j for j in self._children[head] if j < i and self._relations[j] != "prep"]
        before += [k for j in before for k in self._children[j]]  # "half as many attacks as others"
        return any(self._lower[j] in ("as", "so", "such", "same") for j in before)

    def _is_told_besides(self, clause: int) -> bool:
        """Whether a clause may go as a whole: then it is whole while it stays."""
        if self._relations[clause] == "relcl":
            return not self._clause_of_noun(clause)
        return self._relations[clause] in ("conj", "parataxis")

    def _needs_phrase(self, i: int) -> bool:
        """Whether it is the phrase without which a verb or an adjective says nothing."""
        head = self._heads[i]
        if self._lower[head] not in rules.NEED_PHRASE or self._of(head, *COMPLEMENTS, "prt"):
            return False
        return self._completes(i) or (self._tags[head] in ("JJ", "VBN") and self._first_behind(i, "prep"))

    def _before_infinitive(self, i: int) -> bool:
        """ "Called on the government to act": who acts stands between the verb and its infinitive."""
        head = self._heads[i]
        counted = any(self._tags[j] == "CD" for j in self._of(i, "pobj"))  # "voted by 212 to 198 to raise"
        return not (counted or self._is_time(i)) and any(head < i < j for j in self._of(head, "xcomp"))

    def _compound(self, i: int) -> bool:
        head = self._heads[i]
        if self._lower[i] in rules.TIMES:  # "Tuesday night"
            return True
        if i in self._tree.compounds():
            return True
        proper = self._tags[i].startswith("NNP") and self._tags[head].startswith("NNP")
        title = self._lower[i] in rules.TITLES - rules.UNSURE_TITLES and self._relations[head] != "title"
        return proper and not title

    def _advcl(self, i: int) -> bool:
        if i in self._tree.concessive:
            return False
        first = min(self._subtree(i))
        openers = [j for j in self._of(i, "advmod", "prep", "det") if j < i and min(self._subtree(j)) == first]
        marks = {self._lower[j] for j in (*self._of(i, "mark"), *openers)}
        if "whether" in marks and first > 0 and self._tree.words[first - 1] == ":":
            return False  # "faces a choice: whether to stay or go"
        if marks & (rules.CONDITIONS | rules.LIMITING_PREPOSITIONS) or self._lower[i] in rules.CONDITIONS:
            return True
        if self._is_inverted(i) or i in self._tree.conditional or self._lower[i] == "subject":
            return True  # "subject to clause 7"
        head = self._heads[i]
        if self._is_negated(head) and (marks & {"before"} or self._is_denied_reason(i, marks)):
            return True
        enough = any(self._lower[k] == "enough" for j in self._of(head, "dobj") for k in self._children[j])
        if self._is_negated(head) and self._is_purpose(i) and head < i and not enough:
            return True
        told = (
            self._reports(head)
            or self._lower[i] in rules.SAYING
            or (self._is_purpose(head) and self._told_as_past(head))
            or self._tells_of_time(i)
        )
        when = {"when", "whenever", "where", "wherever"} | (set() if self._after_comma(i) else {"while"})
        return bool(marks & when) and not told

    def _clause_of_noun(self, i: int) -> bool:
        """Whether a relative clause says of whom something holds: "those who", "all that", "firms that fail pay"."""
        head = self._heads[i]
        if head == self._tree.root:
            return True
        if self._after_comma(i) or self._tells_since_when(i):
            return False
        if self._relations[head] == "appos" or self._is_compared(head):
            return True  # "the firm whose owner fled"
        if any(self._tags[k][0] == "W" for j in self._of(i, "prep") for k in self._of(j, "pobj")):
            return not (self._told_as_past(head) and any(self._lower[j] == "a" for j in self._of(head, "det")))
        limits = {self._lower[j] for j in self._of(head, "det", "amod", "predet")}
        if self._lower[head] in rules.GENERIC_HEADS or limits & rules.PROPORTIONS:
            return True
        if self._relations[head] not in ("nsubj", "nsubjpass", "dobj", "pobj"):
            return False
        if self._is_purpose(i):
            return self._lower[head] in rules.NEED_INFINITIVE
        determiners = {self._lower[j] for j in self._of(head, "det", "poss", "nummod")}
        indefinite = not determiners or bool(determiners & {"a", "an", "any"})
        indefinite = indefinite and not self._tags[head].startswith("NNP")
        return indefinite and not (self._told_as_past(head) or self._is_there(head))

    def _tells_since_when(self, i: int) -> bool:
        """ "Stop paying into the plan beginning in 2008": says of the verb when."""
        begins = self._lower[i] in ("beginning", "starting") and self._tags[i] == "VBG"
        return begins and any(self._is_time(j) or self._is_year(j) for j in self._of(i, "prep"))

    def _xcomp(self, i: int) -> bool:
        """Behind an object, an infinitive says what for, unless the verb needs it."""
        head = self._heads[i]
        if self._tags[i] == "VBG" and self._after_comma(i):
            return False
        if self._is_negated(head):
            return True
        return not (self._is_purpose(i) and self._of(head, "dobj") and self._lower[head] not in rules.CONTROL)

    def _npadvmod(self, i: int) -> bool:
        return self._tags[self._heads[i]][:2] in ("JJ", "RB", "IN") or self._needs_phrase(i)

    def _poss(self, i: int) -> bool:
        owns = self._lower[i] in rules.POSSESSIVES and i not in self.spare  # "his only opera"
        ranked = i not in self.spare and any(map(self._is_ranking, self._of(self._heads[i], "amod")))
        return self._tags[i].startswith("W") or not self._headline or owns or ranked

    def _dative(self, i: int) -> bool:
        return self._is_negated(self._heads[i]) or not (self._of(i, "pobj") or self._tags[i] in ("IN", "TO"))

    def _bare_participle(self, i: int) -> bool:
        """Whether it is the only thing behind a participle or infinitive that is a clause by itself."""
        head = self._heads[i]
        return (
            self._relations[head] in ("advcl", "acl", "pcomp", "conj")
            and self._tags[head] in ("VBG", "VBN")
            and (self._completes(i) or [j for j in self._children[head] if j > head] == [i])
        )


_SPECIAL: dict[str, _Rule] = {
    "det": Needs._det,
    "amod": Needs._amod,
    "advmod": Needs._limits,
    "nummod": Needs._nummod,
    "prep": Needs._prep,
    "compound": Needs._compound,
    "advcl": Needs._advcl,
    "relcl": Needs._clause_of_noun,
    "acl": Needs._clause_of_noun,
    "npadvmod": Needs._npadvmod,
    "poss": Needs._poss,
    "dative": Needs._dative,
    "xcomp": Needs._xcomp,
    "aux-chain": lambda needs, i: True,  # noqa: ARG005
}
