"""Texts that nobody wrote with us in mind: whatever comes in, what goes out keeps the promises.

`EALM_FUZZ_INPUTS=10000 pytest tests/test_nasty_texts.py` tries so many random texts instead of a few.
"""

import os
import random
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest import mock

import pytest
import regex
import tiny_models
import torch
from fakes import TableMaskedLM
from hypothesis import given, settings
from hypothesis import strategies as st

from ealm import Summarizer, Summary
from ealm.config import AgentSettings, Settings
from ealm.edits import Action
from ealm.errors import TextError
from ealm.ignored_words import IgnoredWords
from ealm.learner import new_agent
from ealm.masked_lm import MaskedLM
from ealm.sentences import LONGEST_SENTENCE
from ealm.summary import Edit
from ealm.tokens import tokenize

RANDOM_INPUTS = int(os.environ.get("EALM_FUZZ_INPUTS", "120"))
SETTINGS = Settings(agent=AgentSettings(hidden_units=12)).override({"ignored_words.infrequent": "none"})

Wishes = dict[str, Any]

CORPUS = {
    "empty": "",
    "white space": " \t\r\n\u00a0\u2003 ",
    "one word": "River",
    "one letter": "x",
    "one accent": "é",
    "one mark": "!",
    "only punctuation": "?! ... -- (,) ;:; « » “” [] ‘’ — … .",
    "right to left": "كتب الولد الدرس، ثم ذهب إلى البيت (القديم). هل عاد؟ שלום, עולם! הנהר עולה.",
    "direction marks": "\u200eRiver \u202bكتب\u202c rises\u200f. \u2067שלום\u2069 falls.",
    "zero width": "ri\u200bver ri\u200cses \u200dthe\ufeff old \u2060bridge\u00ad. \u200b\u200b",
    "byte-order mark": "\ufeffThe river rises. The bridge falls.",
    "emoji": "The 👨‍👩‍👧‍👦 family 👍🏽 waves 🏳️‍🌈 at 🇩🇪🇫🇷 flags, 1️⃣ by 2️⃣ ❤️‍🔥!",
    "HTML": '<p class="a">The <b>river</b> &amp; <a href="http://a.example/?b=c&d=e">it</a><br/><!-- x -->',
    "NULs": "The\x00 river\x00\x00rises \x00. \x07Bell\x1b[31m and \x7f.",
    "very long words": f"The {'river' * 200} rises {'ab' * 500}. {'é' * 300} falls {'日本' * 20}.",
    "mixed scripts": "The 東京 река rises in العربية 2020年に Seoul 서울에서 ไทยภาษา हिन्दी में Ωμέγα.",
    "CJK": "東京は、雨。「はい」と彼は言った。川が（古い）橋を壊した！\n北京下雨了，他说：“很好。”",
    "combining marks": "Z\u0308u\u0308rich a\u0301\u0302\u0303\u0304 cafe\u0301 \u0308 \u0301x e\u0300. "
    "\u0915\u094d\u0937",
    "CRLF": "The river rises.\r\nThe bridge falls.\r\n\r\nThe doctor says no.\r\n",
    "old line breaks": "The river rises.\rThe bridge falls.\x0bThe doctor\x0csays\x85no\u2028more\u2029now.",
    "tabs": "The\triver\t\trises .\t\tThe bridge\tfalls.",
    "unbalanced": 'The (river [rises “in the ‘old) village" and \'the ] bridge ” falls ’ " ( .',
    "quotes": '"The river," he said, "rises." \'Not the "old" bridge,\' she said. ``It falls.\'\'',
    "dollar": "$",
    "money": "$ 5 $5 5$ US$5.2 million, €3bn (£1.5m), ¥100 and 7% or 8 %, $, %.",
    "addresses": "See https://example.org/a(b)?c=d#e, www.example.com/x. Or ask a.b+c@example.co.uk!",
    "handles": "RT @river_bot: #storm at the #bridge... @doctor, @ teacher # market ##.# C# C++ .NET",
    "paragraphs": "The river rises. It is late.\n\nThe bridge falls.\n\n\n\nThe doctor says: no.\n- one\n- two\n",
    "headline": "RIVER RISES: OLD BRIDGE FALLS; DOCTOR 'NOT SURE' -- REPORT",
    "abbreviations": "Mr. J. K. River of Acme Corp. left the U.S. at 5 p.m. on Jan. 3. He isn't back, "
    "Dr. Stone's men say.",
    "glued": "river/bridge/doctor,teacher;storm:winter—summer…market(police)[minister]{report}",
    "negations": "No, he did not, never could, and nobody won't say nothing without cannot.",
    "pre-cut": "the river , -lrb- <unk> -rrb- did n't rise '' ## . `` it 's late '' .",
    "repeated": "the the the the the the the the the the the the the the the the",
    "single letters": "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "capitals": "İstanbul ßtraße ﬁne ǆ ŉ river",
    "list": "1. First the river. 2. Then the bridge. a) One b) two (iii) three",
    "math": "x = y + 2 < 3 > 1, a ≤ b ≠ c ± 5° 10^6 −4 -3 ~7 ½ x² H₂O f(x) g() [] {}",
    "code": "def main(): return {'a': [1, 2], \"b\": None} # done; x->y && !z || `w`",
    "longer than a sentence": " ".join(["The", *(tiny_models.WORDS[n * 7 % 23 + 20] for n in range(125))]),
}
"""Invented, every one of them."""

PIECES = (
    *"the river rises on a small bridge not never no doctor says old".split(),
    *"The River 'SAYS U.S. Corp. Mr. don't can’t Stone's James' O'Neil well-known and/or AT&T iPhone eBay p.m.".split(),
    *". , ; : ! ? … ... -- — – - / & * · | ( ) [ ] { } “ ” ‘ ’ « » \" ' `` '' < > # $ € % @ 's ’s n't".split(),
    *"5 1,234.5 55.31 $5.2 7% 3rd 1990s ##.# #storm @bot https://example.org/a www.example.com a@b.example".split(),
    *"東京 雨 は 、 。 「 」 река Ωμέγα العربية ، ؟ שלום हिन्दी ไทย 서울 é ß İ ﬁ".split(),
    *"👨‍👩‍👧 👍🏽 🇩🇪 ❤️ 1️⃣ \u0301 \u200b \u200d \ufeff \u00ad \x00 \x1b".split(" "),
    *(" ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u3000", "\x0b", "\u2028", "\x1c", "\x85"),
    *("a" * 60, "日" * 30, "x-" * 20, "." * 20),
)
LENGTHS = ("words", "chars", "bytes", "ratio", None)


@cache
def summarizer(lm: str = "tiny") -> Summarizer:
    """An agent that removes, keeps and replaces, and a language model that takes sentences of any allowed length."""
    made = table_lm() if lm == "table" else tiny_lm()
    agent = new_agent(made.width, SETTINGS.agent, seed=5)
    with torch.no_grad():
        agent.output.weight.mul_(20)
    return Summarizer(agent, made, ignored_words=IgnoredWords(SETTINGS.ignored_words), settings=SETTINGS)


def tiny_lm() -> MaskedLM:
    with mock.patch.object(tiny_models, "POSITIONS", 256):
        return tiny_models.tiny_bert()


def table_lm() -> MaskedLM:
    """In no time, for texts that are long."""
    made = TableMaskedLM({"old": "river", "small": "bridge"}, tiny_models.WORDS)
    made.max_words = LONGEST_SENTENCE
    return made


# What must hold -------------------------------------------------------------------------------------------------------


def problems(text: str, wishes: Wishes) -> Iterator[tuple[str, str]]:
    """What goes wrong if a text is summarized: the kind of problem and how it shows."""
    try:
        summary = summarizer().summarize(text, **wishes)
    except TextError as error:
        if not is_fair(error, text, wishes):
            yield "crash", repr(error)
        return
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a compiled library is not even an Exception
        yield "crash", repr(error)
        return
    yield from flaws(text, summary, wishes)


def flaws(text: str, summary: Summary, wishes: Wishes) -> Iterator[tuple[str, str]]:
    """Promises that a summary breaks."""
    limit = limit_of(text, wishes)
    found = repr(summary.summary)
    if limit is not None and length(summary.summary, limit[0]) > limit[1]:
        yield "too long", found
    if not summary.summary.strip() and can_say_something(text, limit):
        yield "empty", found
    if is_only_marks(summary.summary) and must_say_something(text, wishes, limit):
        yield "says nothing", found
    if summary.summary != summary.summary.strip():
        yield "outer space", found
    if squeezed("".join(edit.word for edit in summary.edits)) != squeezed(text):
        yield "lost words", repr([edit.word for edit in summary.edits])
    if not is_written_from_its_edits(summary, limit):
        yield "changed words", f"{found} from {written_pieces(summary)}"
    if limit is not None and length(text.strip(), limit[0]) <= limit[1] and summary.summary != untouched(text, wishes):
        yield "needlessly short", found


def is_fair(error: TextError, text: str, wishes: Wishes) -> bool:
    """Words to keep may not fit, and a pre-tokenised sentence cannot be cut."""
    too_long = bool(wishes.get("pretokenized")) and len(text.split()) > summarizer().lm.max_words
    no_room = "keep" in wishes and limit_of(text, wishes) is not None and "words to keep" in str(error)
    return no_room or (too_long and "can take" in str(error))


def limit_of(text: str, wishes: Wishes) -> tuple[str, int] | None:
    for unit in ("words", "chars", "bytes"):
        if wishes.get(unit) is not None:
            return unit, wishes[unit]
    ratio = wishes.get("ratio")
    return None if ratio is None else ("words", max(1, int(ratio * len(text.split()) + 1e-9)))


def length(text: str, unit: str) -> int:
    return {"words": len(text.split()), "chars": len(text), "bytes": len(text.encode())}[unit]


def can_say_something(text: str, limit: tuple[str, int] | None) -> bool:
    """Whether a single character of the text fits."""
    return any(limit is None or length(c, limit[0]) <= limit[1] for c in text if not c.isspace())


def must_say_something(text: str, wishes: Wishes, limit: tuple[str, int] | None) -> bool:
    """Unless somebody asked for something else, or its letters are too long, a text with words keeps one of them."""
    asked = wishes.get("keep") or wishes.get("pretokenized")
    return not asked and not is_only_marks(text) and (limit is None or limit[1] >= 8)


def is_only_marks(text: str) -> bool:
    return not regex.search(r"[\p{L}\p{N}\p{S}]", text)


def squeezed(text: str) -> str:
    return "".join(text.split())


def untouched(text: str, wishes: Wishes) -> str:
    return " ".join(text.split()) if wishes.get("pretokenized") else text.strip()


def parts_of(summary: Summary) -> tuple[Summary, ...]:
    return summary.sentences or (summary,)


def written_pieces(part: Summary) -> list[str]:
    kept = [edit for edit in part.edits if edit.action is not Action.REMOVE]
    return [edit.word if edit.action is Action.KEEP else str(edit.replacement) for edit in kept]


def is_written_from_its_edits(summary: Summary, limit: tuple[str, int] | None) -> bool:
    """Whether the summary is its kept and new words in order, and nothing else but space, or what fits of the last."""
    whole = ""
    for part in parts_of(summary):
        made = squeezed("".join(written_pieces(part)))
        found = squeezed(part.summary)
        if part is summary and cut_allowed(made, limit):
            return is_cut_from(found, made) or is_last_resort(found, made, summary, limit)
        if not same_but_for_a_capital(found, made):
            return False
        whole += found
    found = squeezed(summary.summary)
    if same_but_for_a_capital(found, whole) or is_last_resort(found, whole, summary, limit):
        return True
    return cut_allowed(whole, limit) and is_cut_from(found, whole)


def cut_allowed(made: str, limit: tuple[str, int] | None) -> bool:
    """A single word may be longer than everything that is allowed."""
    return limit is not None and length(made, limit[0]) > limit[1]


def is_cut_from(found: str, made: str) -> bool:
    return any(text.startswith(found) for text in capitalised(made)) or (len(found) == 1 and found in made)


def is_last_resort(found: str, made: str, summary: Summary, limit: tuple[str, int] | None) -> bool:
    """Where not a character of what was chosen fits, it may be what fits of the source."""
    return not can_say_something(made, limit) and is_cut_from(found, squeezed(summary.source))


def same_but_for_a_capital(found: str, made: str) -> bool:
    return found in capitalised(made)


def capitalised(text: str) -> list[str]:
    """As it is, and with the first letter as a capital, or the first that is in no tag; a few become two letters."""
    outside = regex.match(r"(?:</?\p{L}[^<>]*>|[^\p{L}])*+", text)
    firsts = [0, next((place for place, character in enumerate(text) if character.isalpha()), 0), outside.end()]
    return [text, *(text[:first] + text[first : first + 1].upper() + text[first + 1 :] for first in firsts)]


# Random texts and wishes ----------------------------------------------------------------------------------------------


def random_text(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.5:
        glue = rng.choice((" ", " ", "", "mixed"))
        count = rng.choice((1, 2, 3, 5, 8, 13, 21, 34))
        words = rng.choices(PIECES, k=count)
        if glue != "mixed":
            return glue.join(words)
        return "".join(word + rng.choice(("", " ", " ", "\n")) for word in words)
    if kind < 0.9:
        return mutated(rng, rng.choice([text for text in CORPUS.values() if len(text) < 400]))
    return "".join(random_character(rng) for _ in range(rng.randrange(12)))


def mutated(rng: random.Random, text: str) -> str:
    for _ in range(rng.randrange(5)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.randrange(12))
        text = rng.choice((text[:start] + text[end:], text[:start] + rng.choice(PIECES) + text[start:], text[start:]))
    return text


def random_character(rng: random.Random) -> str:
    while True:
        top = rng.choice((0x80, 0x800, 0x3100, 0xFFFF, 0x1FFFF))
        character = chr(rng.randrange(top))
        if unicodedata.category(character) not in ("Cs", "Cn"):
            return character


def random_wishes(rng: random.Random, text: str) -> Wishes:
    wishes: Wishes = {}
    unit = rng.choice(LENGTHS)
    if unit == "ratio":
        wishes["ratio"] = rng.choice((0.01, 0.2, 0.5, 0.9, 1.0))
    elif unit is not None:
        whole = max(1, length(text, unit))
        wishes[unit] = rng.choice((1, 2, 3, rng.randint(1, whole), rng.randint(1, whole), whole, whole + 5))
    for name in ("extractive", "pretokenized", "recoverability", "trace"):
        if rng.random() < 0.15:
            wishes[name] = True
    if rng.random() < 0.3:
        wishes["protect"] = rng.sample(("negation", "numbers", "names"), rng.randrange(4))
    words = [token.text for token in tokenize(text)]
    if words and rng.random() < 0.15:
        wishes["keep"] = rng.choices(words, k=rng.randint(1, 2))
    return wishes


KINDS = (
    "crash",
    "too long",
    "empty",
    "says nothing",
    "outer space",
    "lost words",
    "changed words",
    "needlessly short",
)


def corpus_inputs() -> Iterator[tuple[str, Wishes]]:
    """Every text as it is, cut to almost nothing, left whole, and cut in two more ways that take turns."""
    for number, text in enumerate(CORPUS.values()):
        words, chars, size = (max(1, length(text, unit)) for unit in ("words", "chars", "bytes"))
        turns: list[Wishes] = [
            {"words": max(1, words // 2)},
            {"bytes": max(1, size // 3)},
            {"pretokenized": True, "words": 3},
            {"ratio": 0.3, "protect": ["negation", "numbers", "names"], "extractive": True},
            {"chars": max(1, chars // 2), "recoverability": True},
        ]
        if len(text) < 90:
            yield text, {}
        yield text, {"chars": 1}
        yield text, {"chars": chars}
        if chars > 500:
            continue
        yield text, turns[number % len(turns)]
        yield text, turns[(number + 1) % len(turns)]


def random_inputs() -> Iterator[tuple[str, Wishes]]:
    rng = random.Random(20)
    for _ in range(RANDOM_INPUTS):
        text = random_text(rng)
        yield text, random_wishes(rng, text)


@cache
def all_problems(source: str) -> dict[str, list[str]]:
    """Everything that goes wrong with one source of inputs, by kind; worked out once for all tests."""
    inputs = {"corpus": corpus_inputs, "random": random_inputs}[source]
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for text, wishes in inputs():
        for kind, message in problems(text, wishes):
            found[kind].append(f"{text!r} {wishes} -> {message}")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_nasty_texts(kind: str) -> None:
    assert all_problems("corpus")[kind] == []


@pytest.mark.parametrize("kind", KINDS)
def test_random_texts(kind: str) -> None:
    assert all_problems("random")[kind] == []


TEXTS = st.one_of(
    st.text(max_size=25),
    st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)
WISHES = st.fixed_dictionaries(
    {},
    optional={
        "extractive": st.booleans(),
        "pretokenized": st.booleans(),
        "protect": st.lists(st.sampled_from(("negation", "numbers", "names"))),
    },
)
LIMITS = st.one_of(
    st.just({}),
    st.builds(lambda unit, size: {unit: size}, st.sampled_from(("words", "chars", "bytes")), st.integers(1, 30)),
    st.builds(lambda ratio: {"ratio": ratio}, st.floats(0.01, 1.0)),
)


@pytest.mark.skipif("EALM_FUZZ_INPUTS" in os.environ, reason="so many plain random inputs are tried instead")
@settings(max_examples=60)
@given(TEXTS, WISHES, LIMITS)
def test_texts_that_hypothesis_thinks_of(text: str, wishes: Wishes, limit: Wishes) -> None:
    assert list(problems(text, {**wishes, **limit})) == []


def test_five_thousand_words_without_punctuation() -> None:
    text = " ".join(["The", *(tiny_models.WORDS[number * 7 % 23 + 30] for number in range(4_999))])
    summary = summarizer("table").summarize(text, words=500)
    assert len(summary.summary.split()) == 500
    assert list(flaws(text, summary, {"words": 500})) == []


@pytest.mark.parametrize("text", ["river \udcff rises", "\ud83d", "Zürich \udce9. No."])
@pytest.mark.parametrize("wishes", [{}, {"bytes": 3}, {"pretokenized": True}])
def test_half_characters_are_refused(text: str, wishes: Wishes) -> None:
    with pytest.raises(TextError, match="not valid Unicode"):
        summarizer().summarize(text, **wishes)


def test_these_checks_can_fail() -> None:
    """Each kind of problem is found in a summary that has it."""

    def kinds(text: str, summary: Summary, wishes: Wishes) -> set[str]:
        return {kind for kind, _ in flaws(text, summary, wishes)}

    def made(summary: str, *edits: tuple[str, Action]) -> Summary:
        return Summary("", summary, 0.0, None, 0, tuple(Edit(word, action, None) for word, action in edits), ())

    one, two = ("one", Action.KEEP), ("two", Action.KEEP)
    gone = ("two", Action.REMOVE)
    assert kinds("one two", made("one two", one, two), {}) == set()
    assert kinds("one two", made("One", one, gone), {"words": 1}) == set()
    assert kinds("one two", made("on", one, gone), {"chars": 2}) == set()
    assert kinds("one two", made("one two", one, two), {"words": 1}) == {"too long"}
    assert kinds("one two", made("one two", one, two), {"bytes": 6}) == {"too long"}
    assert "empty" in kinds("one two", made("", ("one", Action.REMOVE), gone), {})
    assert "says nothing" in kinds("one .", made(".", ("one", Action.REMOVE), (".", Action.KEEP)), {})
    assert kinds("one two", made("one ", one, gone), {}) == {"outer space"}
    assert kinds("one two", made("one", one), {}) == {"lost words"}
    assert kinds("one two", made("two one", one, two), {}) == {"changed words"}
    assert kinds("one two", made("oNe", one, gone), {}) == {"changed words"}
    assert kinds("one two", made("one", one, gone), {"words": 2}) == {"needlessly short"}
