"""Texts that nobody wrote with us in mind, written down or at random, and given_options for their summaries."""

import os
import random
import unicodedata
from collections.abc import Iterator

import tiny_models
from promises import OptionValues, length

from ealm.text.tokenizer import tokenize

RANDOM_INPUTS = int(os.environ.get("EALM_FUZZ_INPUTS", "120"))

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


def random_options(rng: random.Random, text: str) -> OptionValues:
    given_options: OptionValues = {}
    unit = rng.choice(LENGTHS)
    if unit == "ratio":
        given_options["ratio"] = rng.choice((0.01, 0.2, 0.5, 0.9, 1.0))
    elif unit is not None:
        whole = max(1, length(text, unit))
        given_options[unit] = rng.choice((1, 2, 3, rng.randint(1, whole), rng.randint(1, whole), whole, whole + 5))
    for name in ("extractive", "pretokenized", "recoverability", "trace"):
        if rng.random() < 0.15:
            given_options[name] = True
    if rng.random() < 0.3:
        given_options["protect"] = rng.sample(("negation", "numbers", "names"), rng.randrange(4))
    words = [token.text for token in tokenize(text)]
    if words and rng.random() < 0.15:
        given_options["keep"] = rng.choices(words, k=rng.randint(1, 2))
    return given_options


def corpus_inputs() -> Iterator[tuple[str, OptionValues]]:
    """Every text as it is, cut to almost nothing, left whole, and cut in two more ways that take turns."""
    for number, text in enumerate(CORPUS.values()):
        words, chars, size = (max(1, length(text, unit)) for unit in ("words", "chars", "bytes"))
        turns: list[OptionValues] = [
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


def random_inputs() -> Iterator[tuple[str, OptionValues]]:
    rng = random.Random(20)
    for _ in range(RANDOM_INPUTS):
        text = random_text(rng)
        yield text, random_options(rng, text)
