"""A chat model as a system: what it is asked, how its answers are cut, and how often that is needed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from ealm.baselines.chat.summarizer import FREE, LIMITED, ChatSummarizer, plain
from ealm.evaluation.systems import UnknownSystemError, overrun_of, parse_systems


@dataclass
class Parrot:
    """Answers with the same words whatever it is asked, and remembers the question."""

    says: Sequence[str]
    asked: list[str] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)

    def answer(self, prompts: Sequence[str], *, tokens: int) -> list[str]:
        self.asked += prompts
        self.tokens.append(tokens)
        return list(self.says)


def test_an_answer_is_cut_only_if_it_is_over_the_limit_and_that_is_counted() -> None:
    system = ChatSummarizer(Parrot(["one two three four", "one two three", "one"]))
    assert overrun_of(system) is None
    assert system.summarize(["a", "b", "c"], words=3) == ["one two three", "one two three", "one"]
    overrun = overrun_of(system)
    assert overrun is not None
    assert str(overrun) == "1 of 3 answers were over the limit and were cut there"


def test_the_question_has_limit_and_text() -> None:
    parrot = Parrot([""])
    system = ChatSummarizer(parrot)
    system.summarize(["A long text."], words=5, pretokenized=False)
    system.summarize(["A long text."])
    assert parrot.asked == [f"{LIMITED.format(words=5)}\n\nA long text.", f"{FREE}\n\nA long text."]
    assert "at most 5 words" in parrot.asked[0]
    assert parrot.tokens[0] < parrot.tokens[1]
    assert overrun_of(system) is not None
    assert overrun_of(system).answers == 1, "without a limit nothing can be over it"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('"Ferry stopped."\n', "Ferry stopped."),
        ("“Ferry stopped”", "Ferry stopped"),
        ("Ferry\n\nstopped", "Ferry stopped"),
        ('"Stop" and "go"', '"Stop" and "go"'),
        ('"', '"'),
        ("", ""),
    ],
)
def test_an_answer_is_one_line_without_quotation_marks_around_it(answer: str, expected: str) -> None:
    assert plain(answer) == expected


def test_how_users_name_chat_models() -> None:
    specs = parse_systems("llm:http://127.0.0.1:8080/v1#qwen,llm:models/tiny/,llm=x.gguf,llm:mine=https://h/v1#m")
    assert [(spec.kind, spec.name, spec.path) for spec in specs] == [
        ("llm", "qwen", "http://127.0.0.1:8080/v1#qwen"),
        ("llm", "tiny", "models/tiny/"),
        ("llm", "llm", "x.gguf"),
        ("llm", "mine", "https://h/v1#m"),
    ]
    with pytest.raises(UnknownSystemError, match=r"llm needs to know where: llm=WHERE"):
        parse_systems("llm")
    with pytest.raises(UnknownSystemError, match=r"llm needs to know where"):
        parse_systems("llm:")
