"""What parsers get wrong about clauses is put right by conjunctions and marks."""

from ealm.grammar.drafts.structure import structure_of
from ealm.grammar.protocol import Parse
from ealm.grammar.trees.rearranging import ROOT
from ealm.text.detokenizer import is_punctuation


def heads(text: str, above: list[int], relations: str, tags: str) -> dict[str, str]:
    """The head of each word after mending; the words of the text are different ones."""
    words = text.split()
    parse = Parse(tuple(above), tuple(relations.split()), tuple(tags.split()))
    structure = structure_of(words, parse, [not is_punctuation(word) for word in words], headline=True)
    return {
        word: "" if head == ROOT else words[head]
        for word, head in zip(words, structure.heads, strict=True)
        if not is_punctuation(word)
    }


def test_behind_a_comma_so_belongs_to_the_clause_that_it_opens() -> None:
    found = heads(
        "The cab can't come , so please wait .",
        [1, 3, 3, -1, 3, 3, 7, 3, 3],
        "det nsubj aux ROOT punct advmod intj conj punct",
        "DT NN MD VB , RB UH VB .",
    )
    assert found["so"] == found["please"] == "wait"
    assert found["wait"] == "come"


def test_a_reminder_is_no_subject_of_what_it_reminds_of() -> None:
    found = heads(
        "A reminder that Monday's drill planned for noon was cancelled .",
        [1, 9, 9, 4, 5, 1, 5, 6, 9, -1, 9],
        "det nsubjpass mark poss nsubj acl prep pobj auxpass ROOT punct",
        "DT NN IN NNP NN VBN IN NN VBD VBN .",
    )
    assert found["cancelled"] == ""
    assert found["drill"] == "cancelled"
    assert found["planned"] == "drill"


def test_what_somebody_lets_us_know_is_the_statement() -> None:
    found = heads(
        "Just to let you know that Ann moved the call .",
        [2, 2, -1, 4, 2, 7, 7, 4, 9, 7, 2],
        "advmod aux ROOT nsubj ccomp mark nsubj ccomp det dobj punct",
        "RB TO VB PRP VB IN NNP VBD DT NN .",
    )
    assert found["moved"] == ""


def test_behind_and_a_predicate_is_no_adjunct() -> None:
    words = "I was away and have just seen it ."
    tags = "PRP VBD RB CC VBP RB VBN PRP ."
    relations = "nsubj ROOT advmod cc aux advmod {} dobj punct"
    above = [1, -1, 1, 1, 6, 6, 1, 6, 1]
    assert heads(words, above, relations.format("advcl"), tags) == heads(words, above, relations.format("conj"), tags)


def test_behind_a_comma_a_second_prohibition_may_go() -> None:
    words = ["The", "cab", "can't", "come", ",", "so", "please", "don't", "wait", "."]
    parse = Parse(
        (1, 3, 3, -1, 3, 8, 8, 8, 3, 3),
        ("det", "nsubj", "aux", "ROOT", "punct", "cc", "intj", "aux", "conj", "punct"),
        ("DT", "NN", "MD", "VB", ",", "RB", "UH", "VB", "VB", "."),
    )
    structure = structure_of(words, parse, [not is_punctuation(word) for word in words], headline=True)
    assert not structure.required[words.index("wait")]


def test_a_part_between_colons_that_has_no_clause_is_left_alone() -> None:
    words = "pier close voted rose : voted rose council ; fell she said pier .".split()
    relations = "ROOT ccomp ccomp dobj punct nsubj advcl relcl punct ccomp conj nsubj nsubj punct".split()
    tags = "NN VBD VBD VBD : VBD VBD NN : VBD NN VBD NN .".split()
    above = (-1, 8, 11, 13, 9, 6, 11, 6, 9, 0, 3, 0, 3, 4)
    parse = Parse(above, tuple(relations), tuple(tags))
    structure = structure_of(words, parse, [not is_punctuation(word) for word in words], headline=True)
    assert len(structure.heads) == len(words)


def test_of_two_finite_verbs_without_and_the_first_is_a_participle() -> None:
    found = heads(
        "Digs carried out in May revealed walls .",
        [1, -1, 1, 1, 3, 1, 5, 1],
        "nsubj ROOT prt prep pobj conj dobj punct",
        "NNS VBD RP IN NNP VBD NNS .",
    )
    assert found["revealed"] == ""
    assert found["Digs"] == "revealed"
    assert found["carried"] == "Digs"


def test_a_verb_before_another_clause_is_no_participle() -> None:
    found = heads(
        "Prices rose as dealers sold oil and rain forced ports to shut .",
        [1, -1, 4, 4, 1, 4, 5, 5, 1, 8, 11, 8, 1],
        "nsubj ROOT mark nsubj advcl dobj cc conj advcl dobj aux xcomp punct",
        "NNS VBD IN NNS VBD NN CC NN VBD NNS TO VB .",
    )
    assert found["Prices"] == "rose"
    assert found["rose"] == ""


def test_what_commas_enclose_is_told_of_the_noun_before_them() -> None:
    found = heads(
        "The fair , which was moved after rain flooded it , will open .",
        [1, 12, 1, 5, 5, 1, 8, 8, 12, 8, 1, 12, -1, 12],
        "det nsubj punct nsubjpass auxpass relcl mark nsubj advcl dobj punct aux ROOT punct",
        "DT NN , WDT VBD VBN IN NN VBD PRP , MD VB .",
    )
    assert found["flooded"] == "moved"
    assert found["moved"] == "fair"
    assert found["fair"] == "open"
