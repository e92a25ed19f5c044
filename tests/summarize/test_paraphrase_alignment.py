"""A sentence in shorter words, and the way back to the words that people wrote."""

from hypothesis import given
from rewordings import SENTENCES, sentence_of

from ealm.paper.edits import Action
from ealm.summarize.paraphrase_alignment import ParaphrasedSentence, untouched
from ealm.summarize.result import Edit, Summary, TraceStep
from ealm.text.sentences import pretokenized_sentence

KEEP, REMOVE, REPLACE = Action.KEEP, Action.REMOVE, Action.REPLACE


def test_a_reworded_sentence_knows_where_its_words_stand() -> None:
    paraphrased = ParaphrasedSentence.shortest(
        sentence_of("The  prime  minister's fall: 7.4 percent (more than 30)."), []
    )
    sentence = paraphrased.sentence
    assert sentence.text == "The  premier's fall: 7.4% (over 30)."
    assert sentence.words == ("The", "premier", "'s", "fall", ":", "7.4%", "(", "over", "30", ")", ".")
    assert [sentence.text[token.start : token.end] for token in sentence.tokens] == list(sentence.words)
    assert paraphrased.mapped([0, 1, 2, 3, 6, 7]) == {0, 1, 2, 5}


def test_a_pretokenized_sentence_is_reworded_word_by_word() -> None:
    paraphrased = ParaphrasedSentence.shortest(pretokenized_sentence("the  united states fell #.# percent ."), [])
    assert paraphrased.sentence == pretokenized_sentence("the u.s. fell #.#% .")
    assert (
        ParaphrasedSentence.shortest(pretokenized_sentence("in the united states ."), []).sentence.text
        == "in the u.s. ."
    )


def test_without_a_change_everything_is_as_it_was() -> None:
    sentence = sentence_of("The river rises.")
    paraphrased = ParaphrasedSentence.shortest(sentence, [])
    assert paraphrased.sentence is sentence
    assert paraphrased.mapped([1, 3]) == {1, 3}
    summary = summary_of("The river rises.", [Edit("The", REMOVE, 1)])
    assert paraphrased.restored(summary) is summary


def summary_of(source: str, edits: list[Edit], trace: tuple[TraceStep, ...] = ()) -> Summary:
    return Summary(
        source=source,
        summary="x",
        compression_rate=0.5,
        reconstruction_rate=0.5,
        step=1,
        edits=tuple(edits),
        trace=trace,
    )


def step_at(position: int, word: str) -> TraceStep:
    return TraceStep(
        step=1,
        position=position,
        word=word,
        action=REMOVE,
        q_values=(0.0, 0.0),
        compression_rate=0.0,
        summary=None,
        reconstruction=None,
        reconstruction_rate=None,
    )


def test_edits_are_told_of_the_words_that_people_wrote() -> None:
    paraphrased = ParaphrasedSentence.shortest(sentence_of("The prime minister is planning 7.4 percent cuts."), [])
    assert paraphrased.sentence.words == ("The", "premier", "plans", "7.4%", "cuts", ".")
    edits = [
        Edit("The", REMOVE, 2),
        Edit("premier", KEEP, None),
        Edit("plans", REMOVE, 1, rebuilt="thing", recovered=False),
        Edit("7.4%", KEEP, 3),
        Edit("cuts", REPLACE, 4, "falls"),
        Edit(".", KEEP, None),
    ]
    told = paraphrased.restored(summary_of(paraphrased.sentence.text, edits, (step_at(2, "plans"), step_at(4, "cuts"))))
    assert told.source == "The prime minister is planning 7.4 percent cuts."
    assert told.edits == (
        Edit("The", REMOVE, 2),
        Edit("prime", REPLACE, None, "premier"),
        Edit("minister", REMOVE, None),
        Edit("is", REMOVE, 1, rebuilt="thing", recovered=False),
        Edit("planning", REMOVE, 1),
        Edit("7.4", REPLACE, 3, "7.4%"),
        Edit("percent", REMOVE, 3),
        Edit("cuts", REPLACE, 4, "falls"),
        Edit(".", KEEP, None),
    )
    assert [(step.position, step.word) for step in told.trace] == [(3, "is"), (7, "cuts")]


def test_a_new_word_that_the_agent_replaced_again_is_told_once() -> None:
    paraphrased = ParaphrasedSentence.shortest(sentence_of("The prime minister"), [])
    told = paraphrased.restored(
        summary_of("The premier", [Edit("The", KEEP, None), Edit("premier", REPLACE, 1, "thing")])
    )
    assert told.edits[1:] == (Edit("prime", REPLACE, 1, "thing"), Edit("minister", REMOVE, 1))


def test_untouched_is_the_source_with_every_word_kept() -> None:
    part = summary_of("The prime minister", [Edit("prime", REPLACE, 1, "premier"), Edit("minister", REMOVE, 1)])
    whole = untouched(part)
    assert (whole.summary, whole.compression_rate, whole.reconstruction_rate, whole.step) == (part.source, 0.0, 1.0, 0)
    assert whole.edits == (Edit("prime", KEEP, None), Edit("minister", KEEP, None))


@given(SENTENCES)
def test_the_new_sentence_is_the_old_one_with_some_phrases_exchanged(words: list[str]) -> None:
    sentence = pretokenized_sentence(" ".join(words))
    paraphrased = ParaphrasedSentence.shortest(sentence, [])
    expected = list(words)
    for change in reversed(paraphrased.changes):
        expected[change.start : change.end] = [change.word]
    assert paraphrased.sentence == pretokenized_sentence(" ".join(expected))
    assert len(paraphrased.sentence.text) <= len(sentence.text)
    assert paraphrased.mapped(range(len(words))) == set(range(len(expected)))
