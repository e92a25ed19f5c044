"""The parser of the package on sentences whose arcs were checked by hand."""

import pytest

from ealm.grammar.neural.parser import EmbeddedGrammar
from ealm.grammar.protocol import Parse
from ealm.lm.word_encoder import WordEncoder
from ealm.text.tokenizer import tokenize

# Sentence, then arcs as dependent>relation>head; the word itself is enough where it occurs once.
CHECKED = """
Police arrested the guide of the three hikers on Monday . | Police>nsubj>arrested guide>dobj>arrested hikers>pobj>of
The second tunnel was not flooded . | tunnel>nsubjpass>flooded was>auxpass>flooded not>neg>flooded
Do not take ibuprofen if you have a stomach ulcer . | not>neg>take ibuprofen>dobj>take if>mark>have have>advcl>take
The bank refused to lend the company any more money . | bank>nsubj>refused lend>xcomp>refused money>dobj>lend
Unless the deposit is paid , the tenant will not get the keys . | Unless>mark>paid paid>advcl>get not>neg>get
The minister denied that she had met the lobbyist . | minister>nsubj>denied met>ccomp>denied lobbyist>dobj>met
Nobody in the village has seen the bear since March . | Nobody>nsubj>seen bear>dobj>seen since>prep>seen
The mayor , who lost the vote , will leave office in May . | mayor>nsubj>leave lost>relcl>mayor who>nsubj>lost
Engineers say the dam could fail within days . | Engineers>nsubj>say fail>ccomp>say dam>nsubj>fail could>aux>fail
The firm plans to sell its debt to small investors . | sell>xcomp>plans debt>dobj>sell its>poss>debt investors>pobj>to
Did the committee approve the budget ? | committee>nsubj>approve Did>aux>approve budget>dobj>approve
Who signed the contract yesterday ? | Who>nsubj>signed contract>dobj>signed
Please send me the invoice before Friday . | me>dative>send invoice>dobj>send before>prep>send
The storm killed nine people and left two villages cut off . | nine>nummod>people people>dobj>killed left>conj>killed
Sales fell 7 percent because the factory was closed . | Sales>nsubj>fell because>mark>closed closed>advcl>fell
The court ruled that the airline must refund its passengers . | ruled>ROOT>- must>aux>refund airline>nsubj>refund
A fire that began in the kitchen destroyed the old hotel . | fire>nsubj>destroyed began>relcl>fire hotel>dobj>destroyed
The vaccine was developed by a team in Oslo . | vaccine>nsubjpass>developed by>agent>developed team>pobj>by
Only members may use the pool . | members>nsubj>use may>aux>use pool>dobj>use
The train did not stop at the border . | did>aux>stop not>neg>stop train>nsubj>stop
" We will appeal , " the lawyer said . | We>nsubj>appeal appeal>ccomp>said lawyer>nsubj>said
The city turned off the street lights to save energy . | off>prt>turned lights>dobj>turned save>advcl>turned
There are no plans to close the school . | There>expl>are plans>attr>are no>det>plans close>acl>plans
Neither side expects the talks to succeed . | side>nsubj>expects succeed>ccomp>expects talks>nsubj>succeed
the president is expected to visit the region next week . | president>nsubjpass>expected visit>xcomp>expected
the company 's shares rose ## percent on tuesday . | company>poss>shares shares>nsubj>rose on>prep>rose
The pilot landed safely although one engine had failed . | safely>advmod>landed although>mark>failed failed>advcl>landed
Farmers warned that prices would rise unless it rained . | rise>ccomp>warned unless>mark>rained rained>advcl>rise
Her brother is a doctor in Lisbon . | Her>poss>brother brother>nsubj>is doctor>attr>is
Instead of the director , his deputy opened the exhibition . | deputy>nsubj>opened exhibition>dobj>opened
""".strip().splitlines()


def arcs_of(words: list[str], parse: Parse) -> set[str]:
    def head(index: int) -> str:
        return "-" if parse.heads[index] < 0 else words[parse.heads[index]]

    return {f"{word}>{parse.relations[index]}>{head(index)}" for index, word in enumerate(words)}


@pytest.fixture(scope="module")
def grammar() -> EmbeddedGrammar:
    return EmbeddedGrammar.load(encoder=WordEncoder.load())


def test_checked_arcs_are_found(grammar: EmbeddedGrammar) -> None:
    sentences = [[token.text for token in tokenize(line.partition("|")[0])] for line in CHECKED]
    expected = [set(line.partition("|")[2].split()) for line in CHECKED]
    found = [arcs_of(words, parse) for words, parse in zip(sentences, grammar.parse(sentences), strict=True)]
    missing = [arc for right, own in zip(expected, found, strict=True) for arc in sorted(right - own)]
    assert len(CHECKED) == 30
    assert 1 - len(missing) / sum(map(len, expected)) >= 0.9, missing


def test_tags_tell_tenses_and_participles_apart(grammar: EmbeddedGrammar) -> None:
    words = "The bridge that was closed in May opens today , the mayor said .".split()
    (parse,) = grammar.parse([words])
    tags = dict(zip(words, parse.tags, strict=True))
    assert (tags["closed"], tags["opens"], tags["said"]) == ("VBN", "VBZ", "VBD")


def test_capitals_are_not_needed(grammar: EmbeddedGrammar) -> None:
    words = "Police in Oslo arrested the guide of the three hikers on Monday .".split()
    cased, lower = grammar.parse([words, [word.lower() for word in words]])
    assert cased.heads == lower.heads
