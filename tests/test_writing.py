"""What is left of a sentence must read as if somebody had written it."""

from collections.abc import Collection, Mapping, Sequence

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st

from ealm.sentences import Sentence, pretokenized_sentence
from ealm.tokens import tokenize
from ealm.writing import Layout, final_marks, is_mark

PIECES = (
    "river",
    "The",
    "U.S.",
    "5.2",
    "'s",
    "$",
    "%",
    "#",
    "@",
    "&",
    "日",
    "👍",
    *"()[]“”‘’\"'.,;:!?-—/…",
    " ",
    " ",
    " ",
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map(lambda pieces: "".join(pieces).strip()).filter(bool)


def sentence_of(text: str) -> Sentence:
    return Sentence(text, tuple(tokenize(text)))


def tidied(text: str, kept: Collection[int], *, locked: Collection[int] = ()) -> list[int]:
    return Layout(sentence_of(text)).tidied(kept, locked=locked)


def written(sentence: Sentence, kept: Sequence[int], replacements: Mapping[int, str] | None = None) -> str:
    return Layout(sentence).written(kept, replacements)


def left_of(marked: str) -> str:
    """What is left of a sentence without the words in ⟨angle brackets⟩."""
    text, removed = "", []
    for piece in regex.split(r"(⟨[^⟩]*⟩)", marked):
        inner = piece.strip("⟨⟩")
        if inner != piece:
            removed.append((len(text), len(text) + len(inner)))
        text += inner
    sentence = sentence_of(text)
    kept = [
        place
        for place, token in enumerate(sentence.tokens)
        if not any(start < token.end and token.start < end for start, end in removed)
    ]
    return written(sentence, tidied(text, kept))


# Cases that people would judge ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        # plain removals, and the first letter
        ("The ⟨old⟩ bridge falls.", "The bridge falls."),
        ("⟨The old⟩ bridge falls.", "Bridge falls."),
        ("The bridge ⟨falls⟩.", "The bridge."),
        ("⟨the⟩ bridge falls", "bridge falls"),
        ("⟨The big⟩ eBay deal fell.", "eBay deal fell."),
        ("⟨See⟩ https://example.org/a today.", "https://example.org/a today."),
        ("⟨In⟩ 2020 prices rose.", "2020 prices rose."),
        ("“⟨The⟩ bridge falls.”", "“Bridge falls.”"),
        ("⟨It⟩ isn’t late.", "Isn’t late."),
        ("⟨In⟩ São Paulo it rains.", "São Paulo it rains."),
        ("⟨Our⟩ été is late.", "Été is late."),
        # spaces
        ("The  ⟨old⟩  bridge falls.", "The bridge falls."),
        ("The  bridge ⟨now⟩ falls.", "The  bridge falls."),
        ("Hello , ⟨big⟩ world .", "Hello , world ."),
        # commas, semicolons, colons
        ("⟨Yes⟩, we can.", "We can."),
        ("Yes, ⟨we can⟩.", "Yes."),
        ("Prices rose, ⟨fell⟩, and rose again.", "Prices rose, and rose again."),
        ("Prices rose⟨, fell,⟩ and rose again.", "Prices rose and rose again."),
        ("Prices rose, fell, ⟨and rose again⟩.", "Prices rose, fell."),
        ("apples, ⟨pears⟩, plums", "apples, plums"),
        ("He came; ⟨he saw⟩; he won.", "He came; he won."),
        ("One thing: ⟨money⟩.", "One thing."),
        ("⟨One thing⟩: money.", "Money."),
        ("Score: ⟨6-4⟩, 6-3.", "Score: 6-3."),
        ("He won 6-4, ⟨6-3⟩ on Monday.", "He won 6-4, on Monday."),
        # brackets
        ("She bought it (⟨the big house⟩).", "She bought it."),
        ("She bought it (the ⟨big⟩ house).", "She bought it (the house)."),
        ("She bought it (⟨the⟩ big house).", "She bought it (big house)."),
        ("He (⟨Tom⟩) (really) left.", "He (really) left."),
        ("The ((⟨inner⟩) outer) end.", "The (outer) end."),
        ("Tom [⟨sic⟩] left.", "Tom left."),
        ("Acme (EXCH: ⟨ACME⟩) rose.", "Acme (EXCH) rose."),
        ("Acme (⟨EXCH⟩: ACME) rose.", "Acme (ACME) rose."),
        ("The man (who stayed⟨)⟩ died.", "The man who stayed died."),
        # quotation marks
        ("“⟨It is late⟩,” he said.", "He said."),
        ("“It is ⟨too⟩ late,” he said.", "“It is late,” he said."),
        ('"⟨One⟩" and "two" left.', 'And "two" left.'),
        ('"One" ⟨and⟩ "two" left.', '"One" "two" left.'),
        ("«⟨Oui⟩», dit-il.", "Dit-il."),
        ("He said “⟨no⟩” twice.", "He said twice."),
        ("They call it ‘the ⟨quiet⟩ war’ now.", "They call it ‘the war’ now."),
        # possessives
        ("⟨Stone⟩'s lawyers left.", "Lawyers left."),
        ("Stone⟨'s⟩ lawyers left.", "Stone lawyers left."),
        ("Stone’s ⟨lawyers⟩ left.", "Stone’s left."),
        ("⟨James⟩' dog left.", "Dog left."),
        ("Acme ⟨Corp.⟩'s profit rose.", "Acme profit rose."),
        # money and shares
        ("It costs $⟨5.2 million⟩ today.", "It costs today."),
        ("It costs $5.2 ⟨million⟩ today.", "It costs $5.2 today."),
        ("It costs ⟨about⟩ $5.2 million.", "It costs $5.2 million."),
        ("It costs €⟨5⟩ today.", "It costs today."),
        ("It rose ⟨5.2⟩% in May.", "It rose in May."),
        ("It rose 5.2% ⟨in May⟩.", "It rose 5.2%."),
        ("It rose 5.2 percent (⟨3⟩% in May).", "It rose 5.2 percent (in May)."),
        ("The $⟨5-a-day⟩ plan.", "The plan."),
        # joined words
        ("⟨U.S.-listed⟩ shares rose.", "Shares rose."),
        ("Red ⟨and⟩/or green paint.", "Red or green paint."),
        ("Red and/⟨or⟩ green paint.", "Red and green paint."),
        ("Red ⟨and/or⟩ green paint.", "Red green paint."),
        ("AT&T ⟨Inc.⟩ rose 3%.", "AT&T rose 3%."),
        # dashes and ellipses
        ("He left—⟨quickly⟩—for home.", "He left for home."),
        ("He left — ⟨quickly⟩ — for home.", "He left — for home."),
        ("He left -- ⟨for home⟩.", "He left."),
        ("WASHINGTON (⟨AP⟩) - The minister left.", "WASHINGTON - The minister left."),
        ("WASHINGTON ⟨(AP)⟩ - The minister left.", "WASHINGTON - The minister left."),
        ("⟨WASHINGTON⟩ (AP) - The minister left.", "(AP) - The minister left."),
        ("(⟨AP⟩) - The minister left.", "The minister left."),
        ("⟨(AP) -⟩ The minister left.", "The minister left."),
        ("⟨- The⟩ river rises.", "River rises."),
        ("- The ⟨river⟩ rises.", "- The rises."),
        ("Wait ⟨here⟩...", "Wait..."),
        ("Wait… ⟨what⟩?", "Wait…?"),
        ("... ⟨and then⟩ he left.", "... he left."),
        # other scripts
        ("東⟨京⟩は、雨。", "東は、雨。"),
        ("東京は、⟨雨⟩。", "東京は。"),
        ("彼は「⟨はい⟩」と言った。", "彼はと言った。"),
        ("川が（⟨古い⟩）橋を壊した。", "川が橋を壊した。"),
        ("كتب ⟨الولد⟩ الدرس.", "كتب الدرس."),
        ("Δεν ⟨είναι⟩ εδώ.", "Δεν εδώ."),
        # handles
        ("March for ⟨#climate⟩ in Paris.", "March for in Paris."),
        ("March ⟨for⟩ #climate #now.", "March #climate #now."),
        ("Thanks ⟨to⟩ @bot for it.", "Thanks @bot for it."),
        # corpora
        ("``It ⟨really⟩ falls,'' he said.", "``It falls,'' he said."),
        ("it falls -lrb- ⟨ap⟩ -rrb- now .", "it falls now ."),
    ],
)
def test_it_reads_naturally(marked: str, expected: str) -> None:
    assert left_of(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("“It is late,” ⟨he said⟩.", "“It is late”.|“It is late.”"),
        ('"Stop!" ⟨he said⟩.', '"Stop!"'),
        ('"We won the cup ⟨today⟩," he said.', '"We won the cup," he said.'),
        ("“It is late ⟨today⟩,” he said.", "“It is late,” he said."),
        ('He said "please go ⟨now⟩."', 'He said "please go."'),
        ("(He was tired ⟨then⟩.)", "(He was tired.)"),
        ("She bought it (the big house ⟨there⟩).", "She bought it (the big house)."),
        ("He said he “would go ⟨there⟩”, then went.", "He said he “would go”, then went."),
        ("They called it 'the war ⟨there⟩' then.", "They called it 'the war' then."),
        ("They called it ‘the war ⟨there⟩’ then.", "They called it ‘the war’ then."),
        ("Thanks to @⟨bot⟩ for the help.", "Thanks to for the help."),
        ("The .⟨NET⟩ framework won.", "The framework won."),
        ("It fell to -⟨5⟩ degrees.", "It fell to degrees."),
        ("The ’⟨90s⟩ were fun.", "The were fun."),
        ("The '⟨90s⟩ were fun.", "The were fun."),
        ("It costs ⟨5⟩€ today.", "It costs today."),
        ("Up ⟨5⟩ % in May.", "Up in May."),
        ("He works in ⟨C⟩# now.", "He works in now."),
        ("⟨Wahoo⟩! shares rose.", "Shares rose."),
        ("⟨Wait⟩... what?", "What?"),
        ("Rock & ⟨roll⟩ lives.", "Rock lives."),
        ("Stone & ⟨Co.⟩ left.", "Stone left."),
        ("“It is late,” ⟨he said⟩", "“It is late”"),
        ("(“It is late,” ⟨he said⟩.)", "(“It is late”.)"),
        ("“It is late,” he said⟨, again⟩.", "“It is late,” he said."),
        ("one/⟨two⟩/three", "one/three"),
        ("one/⟨two/three⟩/four", "one/four"),
        ("one⟨/two⟩/three", "one/three"),
        ("one/two/⟨three⟩", "one/two"),
        ("⟨one⟩/two/three", "two/three"),
        ("⟨one⟩/two/⟨three⟩", "two"),
        ("red paint/⟨green paint⟩/blue paint", "red paint/blue paint"),
        ("He likes one/⟨two⟩ and/or three.", "He likes one and/or three."),
        ("Stone & ⟨River⟩ & Co. left.", "Stone & Co. left."),
        ("Stone & River ⟨& Co.⟩ left.", "Stone & River left."),
        ("He asked (⟨why⟩?) and left.", "He asked and left."),
        ("He said “⟨Go⟩!” and left.", "He said and left."),
        ("他说“⟨很好⟩。”他走了。", "他说他走了。"),
        ("Notes, ⟨he said⟩: go.", "Notes: go."),
        ("- ⟨Apples⟩ are good.", "- Are good."),
        ("⟨See⟩ www.example.com now.", "www.example.com now."),
        ("⟨Ask⟩ stone@example.com now.", "stone@example.com now."),
        ("⟨Ask⟩ @stone_bot now.", "@stone_bot now."),
        ("كتب الولد، ⟨والبنت⟩، الدرس.", "كتب الولد، الدرس."),
        ("هل كتب، ⟨الولد⟩؟", "هل كتب؟"),
        ("Er sagte „⟨ja⟩“ und ging.", "Er sagte und ging."),
        ("¡⟨Hola⟩, amigo!", "¡Amigo!"),
        ("``⟨It⟩ falls,'' he said.", "``Falls,'' he said."),
        ("Call main() ⟨right⟩ now.", "Call main() now."),
        ("The <b>⟨old⟩</b> bridge falls.", "The bridge falls."),
        ("The <b>old ⟨stone⟩</b> bridge falls.", "The <b>old</b> bridge falls."),
        ("The <B CLASS=x>⟨old⟩</b> bridge falls.", "The bridge falls."),
        ("The ⟨<b>⟩old</b> bridge falls.", "The old bridge falls."),
        ("<p><b>⟨The⟩ old</b> bridge falls.</p>", "<p><b>Old</b> bridge falls.</p>"),
        ("<p>⟨The old bridge⟩</p> falls.", "Falls."),
        ("“<i>⟨The⟩ bridge</i>” falls.", "“<i>Bridge</i>” falls."),
        ("⟨The⟩ <b>5</b> bridges fall.", "<b>5</b> bridges fall."),
        ("The <unk> ⟨old⟩ bridge falls.", "The <unk> bridge falls."),
    ],
)
def test_it_should_read_naturally(marked: str, expected: str) -> None:
    assert left_of(marked) in expected.split("|")


# What tidying may do --------------------------------------------------------------------------------------------------


@given(TEXTS, st.data())
def test_tidying_takes_marks_and_signs_only(text: str, data: st.DataObject) -> None:
    tokens = tokenize(text)
    kept = data.draw(st.lists(st.sampled_from(range(len(tokens))), min_size=1, unique=True).map(sorted))
    assume(any(regex.search(r"[\p{L}\p{N}]", tokens[place].text) and tokens[place].text != "'s" for place in kept))
    left = tidied(text, kept)
    assert set(left) <= set(kept)
    assert left == sorted(left)
    for place in set(kept) - set(left):
        assert tokens[place].text == "'s" or not regex.search(r"[\p{L}\p{N}]", tokens[place].text)
    assert tidied(text, left) == left


@given(TEXTS, st.data())
def test_what_is_locked_is_not_tidied(text: str, data: st.DataObject) -> None:
    tokens = tokenize(text)
    kept = data.draw(st.lists(st.sampled_from(range(len(tokens))), min_size=1, unique=True))
    locked = data.draw(st.lists(st.sampled_from(kept), min_size=1))
    assert set(locked) <= set(tidied(text, kept, locked=locked))


def test_nothing_can_be_tidied_too() -> None:
    assert tidied("The river rises.", []) == []


@pytest.mark.parametrize(("text", "kept"), [("Yes, no", [1]), ("$5", [0]), ("Stone's men", [1]), ("(a) b", [0])])
def test_tidying_may_leave_nothing(text: str, kept: list[int]) -> None:
    assert tidied(text, kept) == []


@given(TEXTS)
def test_where_nothing_was_removed_nothing_is_tidied(text: str) -> None:
    everything = list(range(len(tokenize(text))))
    assert tidied(text, everything) == everything


@pytest.mark.parametrize("text", ["Call main() now.", "a [] b", 'He said "" twice.'])
def test_an_empty_pair_of_the_source_is_not_tidied(text: str) -> None:
    everything = list(range(len(tokenize(text))))
    assert tidied(text, everything) == everything


@given(TEXTS, st.data())
def test_words_add_at_least_so_much(text: str, data: st.DataObject) -> None:
    """Less one space, for there is none before the first word."""
    sentence = sentence_of(text)
    layout = Layout(sentence)
    kept = data.draw(st.lists(st.sampled_from(range(len(sentence.tokens))), min_size=1, unique=True).map(sorted))
    result = layout.written(layout.tidied(kept))
    characters, spaces = layout.least([len(word) for word in sentence.words]), layout.least([0] * len(sentence.tokens))
    assert sum(characters[place] for place in kept) - 1 <= len(result)
    assert sum(spaces[place] for place in kept) <= max(len(result.split()), 1)


def test_where_there_are_only_words_they_add_exactly_so_much() -> None:
    layout = Layout(sentence_of("The old river rises"))
    assert layout.least([3, 3, 5, 5]) == [4, 4, 6, 6]
    assert layout.least([0, 0, 0, 0]) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The river, old.", [1, 1, 0, 1, 0]),
        ("The (old) river", [1, -1, 0, 0, 1]),
        ("It is $5", [1, 1, -1, 0]),
        ("東京", [1, 0]),
    ],
)
def test_marks_may_go_and_close_up_a_space(text: str, expected: list[int]) -> None:
    assert Layout(sentence_of(text)).least([0] * len(expected)) == expected


# Writing --------------------------------------------------------------------------------------------------------------


@given(TEXTS, st.data())
def test_kept_words_stand_exactly_as_in_the_source(text: str, data: st.DataObject) -> None:
    sentence = sentence_of(text)
    kept = data.draw(st.lists(st.sampled_from(range(len(sentence.tokens))), unique=True).map(sorted))
    result = written(sentence, kept)
    plain = "".join(sentence.words[place] for place in kept)
    assert result == result.strip()
    squeezed = result.replace(" ", "")
    assert squeezed.lower() == plain.lower()
    assert sum(one != other for one, other in zip(squeezed, plain, strict=True)) <= 1


@given(TEXTS)
def test_a_sentence_with_all_its_words_is_itself(text: str) -> None:
    sentence = sentence_of(text)
    assert written(sentence, range(len(sentence.tokens))) == text


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("The river rises", [1, 2], "River rises"),
        ("the River rises", [2], "rises"),
        ("“The river rises", [0, 2], "“River"),
        ("5 Rivers rise", [2], "Rise"),
        ("5 rivers rise", [2], "rise"),
        ("東京 river", [2], "river"),
        ("Éa river", [1], "River"),
        ("The iPhone", [1], "iPhone"),
        ("The 3rd river", [1, 2], "3rd river"),
        ("The river", [], ""),
    ],
)
def test_the_first_letter_is_a_capital_if_the_sources_was(text: str, kept: list[int], expected: str) -> None:
    assert written(sentence_of(text), kept) == expected


@pytest.mark.parametrize(
    ("replaced", "expected"),
    [
        ({0: "a"}, "A river rises, then falls."),
        ({2: "sinks"}, "The river sinks, then falls."),
        ({1: "bridge", 5: "stands"}, "The bridge rises, then stands."),
    ],
)
def test_a_replaced_word_is_written_in_its_new_form(replaced: dict[int, str], expected: str) -> None:
    sentence = sentence_of("The river rises, then falls.")
    assert written(sentence, range(len(sentence.tokens)), replaced) == expected


def test_a_word_in_the_place_of_a_mark_has_spaces_around_it() -> None:
    sentence = sentence_of("The river rises, then falls.")
    assert written(sentence, range(len(sentence.tokens)), {3: "and"}) == "The river rises and then falls."


def test_what_goes_on_with_a_sentence_gets_no_capital() -> None:
    tokens = tuple(tokenize("Oslo rises"))
    assert written(Sentence("Oslo rises", tokens), [1]) == "Rises"
    assert written(Sentence("Oslo rises", tokens, continued=True), [1]) == "rises"


def test_pretokenized_words_are_joined_by_single_spaces_and_nothing_else_happens() -> None:
    sentence = pretokenized_sentence("The river , -lrb- do n't rise . ''")
    assert written(sentence, range(len(sentence.tokens))) == "The river , -lrb- do n't rise . ''"
    assert written(sentence, [1, 2, 3, 8]) == "river , -lrb- ''"
    assert written(sentence, [1, 5], {5: "never"}) == "river never"
    assert written(sentence, []) == ""


# Marks ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", [*".,;:!?…-–—()[]{}“”‘’«»\"'/&*·|。、，「」،؟", "...", "--", "''", "\u200b", "\x00", "\ufeff"]
)
def test_marks(word: str) -> None:
    assert is_mark(word)


@pytest.mark.parametrize(
    "word", ["river", "a", "5", "日", "'s", "n't", "U.S.", "$", "€", "👍", "#", "#now", "½", "é", "_", "<unk>"]
)
def test_words_and_signs_are_no_marks(word: str) -> None:
    assert not is_mark(word)


@pytest.mark.parametrize("word", ["``", "`", "<", ">", "-lrb-", "<b>", "</B>", "<br/>", '<a href="x y">'])
def test_marks_that_are_symbols(word: str) -> None:
    assert is_mark(word)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The river rises.", "."),
        ("Does it rise?", "?"),
        ("It rises!", "!"),
        ("It rises...", "..."),
        ("It rises…", "…"),
        ("It rises?!", "?!"),
        ("“It rises.”", ".”"),
        ('He said "it rises."', '."'),
        ("(It rises.)", ".)"),
        ("<p>It rises.</p>", ".</p>"),
        ("It rises (slowly).", ")."),
        ("The river rises", ""),
        ("The river (old)", ""),
        ("The river,", ""),
        (".", ""),
    ],
)
def test_the_marks_with_which_a_sentence_ends(text: str, expected: str) -> None:
    tokens = tokenize(text)
    assert "".join(tokens[place].text for place in sorted(final_marks(tokens))) == expected


@pytest.mark.parametrize("text", ["東京は雨。", "雨吗？", "هل كتب؟", "यह नदी है।"])
def test_the_full_stops_of_other_scripts(text: str) -> None:
    tokens = tokenize(text)
    assert final_marks(tokens) == [len(tokens) - 1]
