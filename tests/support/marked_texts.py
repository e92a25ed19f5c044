"""Marked-up texts made up at random, and what must not be torn in a summary of each."""

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from random import Random

from markdown_it import MarkdownIt
from markdown_it.token import Token

NOUNS = ("the harbor office", "a local baker", "the new server", "our team", "the parser", "Ada Berg", "the old bridge")
VERBS = ("opened", "checked", "repaired", "replaced", "described", "will test", "has closed", "did not find")
TAILS = (
    "on Friday after the storm",
    "because nobody had asked for it",
    "in the small room behind the kitchen",
    "with two of its oldest members",
    "if the weather allows it",
    "for about 35 dollars a day",
)
ADDRESSES = (
    "https://example.org/a?b=1&c=2#top",
    "http://example.com/wiki/Pier_(sea)",
    "www.example.net/x_y",
    "https://example.org/very/long/path/to/a/file.html",
)
CODES = (
    "run --all -v",
    "x = [1, 2]",
    "a < b && c",
    "pip install -U tool",
    "**kwargs",
    "f(x)",
    "don't split. It is one",
)
MAILS = ("ada.berg+x@example.org", "info@example.com")
TAGGED = ("@harbor_town", "#ferry2024", "👩‍👩‍👧", "🇩🇪", "👍🏽")
VOID = frozenset("br hr img".split())


def phrase(random: Random) -> str:
    """A few words that may be marked."""
    return random.choice(("three times as fast", "the *plan", "new", "piers and planks", "A & B", "2 < 3", "its roof"))


def sentence(random: Random, inline: list[str]) -> str:
    """A sentence with up to three of some pieces at random places in it."""
    words = " ".join((random.choice(NOUNS), random.choice(VERBS), random.choice(NOUNS), random.choice(TAILS))).split()
    for _ in range(random.randrange(4)):
        piece = random.choice(inline)
        form = random.choice(("{}", "{}", "{}", "({})", "{},", "“{}”", "see {}", "{}/{}", "{}'s"))
        words.insert(random.randrange(len(words) + 1), form.replace("{}", piece))
    text = " ".join(words)
    return (text[0].upper() + text[1:] if text[1:2] == " " or text[:3].isalpha() else text) + random.choice(
        (".", ".", "!", "?", "", ":")
    )


def paragraph(random: Random, inline: list[str], joint: str = " ") -> str:
    """One sentence or several."""
    return joint.join(sentence(random, inline) for _ in range(random.randint(1, 4)))


def markdown(random: Random) -> str:
    """A text in Markdown."""
    inner = random.choice(("new", "the whole pier", "a `b c` d"))
    inline = [
        *(f"`{code}`" for code in CODES[:6]),
        f"[{inner}]({random.choice(ADDRESSES[:2])})",
        f'[*{inner}*](<a b> "A \\"title\\"")',
        f"[![logo](x.png)]({ADDRESSES[3]})",
        f"**{inner}**",
        f"*{inner} and **more** of it*",
        "~~old~~",
        "``a `b` c``",
        f"<{ADDRESSES[0]}>",
        random.choice(ADDRESSES),
        "<kbd>Ctrl</kbd>+<kbd>C</kbd>",
        "<b>bold words</b>",
        "<br>",
        "\\*stars\\*",
        "\\_it\\_",
        "file\\_name",
        "[^1]",
        *TAGGED,
        *MAILS,
    ]
    own = random.sample(inline, 6)

    def block() -> str:
        text = paragraph(random, own)
        return random.choice(
            (
                text,
                text,
                paragraph(random, own, "\n"),
                f"{'#' * random.randint(1, 4)} {phrase(random)}",
                f"Harbor {random.randrange(9)}\n" + random.choice("=-") * 9,
                "\n".join(f"- {sentence(random, own)}" for _ in range(random.randint(1, 4))),
                "\n".join(f"{i}. {sentence(random, own)}" for i in range(1, random.randint(2, 5))),
                f"- {sentence(random, own)}\n  - {sentence(random, own)}\n    more of it.\n\n  {text}",
                "\n".join(f"- [{random.choice(' x')}] {sentence(random, own)}" for _ in range(3)),
                "\n".join(f"> {sentence(random, own)}" for _ in range(2)),
                f"```sh\n{random.choice(CODES)}\n\n# {random.choice(CODES)}\n```",
                "    indented code\n    is code",
                f"| a | b |\n|---|--:|\n| 1 | {random.choice(own)} |\n| two words | 3 |",
                "---",
                "<div class='x'>\n<b>Raw</b>\n</div>",
                "<!-- a comment -->",
                "[^1]: A note on it.",
                "[ref]: https://example.org/ref",
            )
        )

    return "\n\n".join(block() for _ in range(random.randint(1, 6)))


def page(random: Random) -> str:
    """A piece of HTML."""
    inner = random.choice(("new", "the whole pier", "a <code>b  c</code> d"))
    inline = [
        *(f"<code>{code.replace('&', '&amp;').replace('<', '&lt;')}</code>" for code in CODES),
        f'<a href="{random.choice(ADDRESSES).replace("&", "&amp;")}">{inner}</a>',
        f"<b>{inner}</b>",
        f"<em>{inner} and <strong>more</strong> of it</em>",
        "<i>open <b>crossed</i> tags</b>",
        "<span class='x y'>a &lt; b</span>",
        "<kbd>Ctrl</kbd>+<kbd>C</kbd>",
        "Tea &amp; milk",
        "x&nbsp;y",
        "<br>",
        "<img src='a b.png' alt='A > B'/>",
        "un<b>think</b>able",
        random.choice(ADDRESSES).replace("&", "&amp;"),
        "</p>",
        *MAILS,
        *TAGGED,
    ]
    own = random.sample(inline, 6)

    def block() -> str:
        text = paragraph(random, own)
        items = "".join(f"<li>{sentence(random, own)}</li>" for _ in range(random.randint(1, 4)))
        return random.choice(
            (
                f"<p>{text}</p>",
                f'<p class="lead">{text}</p>',
                f"<div><p>{text}</p>{paragraph(random, own)}</div>",
                f"<h2>{phrase(random).replace('&', '&amp;').replace('<', '&lt;')}</h2>",
                f"<ul>{items}</ul>",
                f"<ol>\n{items}\n</ol>",
                f"<p>{text}",
                f"<blockquote>{text}</blockquote>",
                f"<pre>{random.choice(CODES[1:2])}\n  kept   so</pre>",
                f"<table><tr><th>a</th></tr><tr><td>{random.choice(own)}</td></tr></table>",
                "<hr>",
                "<script>if (a < b && c) { x(); }</script>",
                "<!-- note -->",
            )
        )

    return "\n".join(block() for _ in range(random.randint(1, 6)))


def message(random: Random) -> str:
    """Plain text: a tweet, an e-mail, notes with code, a table."""
    own = random.sample([*ADDRESSES, *MAILS, *TAGGED, *(f"`{code}`" for code in CODES)], 6)
    if random.random() < 0.3:
        return " ".join([sentence(random, own), *random.sample(own, 2)])
    text = "\n\n".join(paragraph(random, own) for _ in range(random.randint(1, 3)))
    quoted = "\n".join(f"> {sentence(random, own)}" for _ in range(2))
    return random.choice(
        (
            text,
            f"Hi Ada,\n\n{text}\n\nOn Mon, 3 Nov 2025, Bo wrote:\n{quoted}\n\nBest regards,\nTom\n--\nTom Reyes",
            f"Subject: {phrase(random)}\nFrom: {MAILS[0]}\n\n{text}",
            f"{text}\n\n- " + "\n- ".join(sentence(random, own) for _ in range(3)),
            f"{text}\n\n```\n{CODES[0]}\n{CODES[1]}\n```\n\n{text}",
            f"{text}\n\n| name | size |\n| pier | 30 m |\n| roof | 12 m |",
        )
    )


MAKERS = {"markdown": markdown, "html": page, "text": message}


def torn(source: str, summary: str, markup: str) -> list[str]:
    """What is torn in a summary."""
    if markup == "html":
        return _torn_html(source, summary)
    if markup == "markdown":
        return _beyond(_markdown_pieces(summary), _markdown_pieces(source))
    return _beyond(_plain_pieces(summary), _plain_pieces(source))


def _beyond(found: Counter[str], known: Counter[str]) -> list[str]:
    """Pieces that the source has not, or has less often."""
    return [f"{piece!r} {count} of {known[piece]}" for piece, count in found.items() if count > known[piece]]


def _words_of_note(text: str) -> list[str]:
    """What is whole or gone in any text: addresses, names with a sign, emoji."""
    found = [word.strip("(),.!?:“”'’/") for word in re.findall(r"(?:https?://|www\.)[^\s“”<>]+|\S+@\S+\.\w+", text)]
    found += re.findall(r"(?<![\w/?&])[@#]\w+", text)
    return found + [sign for sign in TAGGED[2:] for _ in range(text.count(sign))]


def _plain_pieces(text: str) -> Counter[str]:
    spans = re.findall(r"`[^`\n]*`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    fences = re.findall(r"```.*?```", text, flags=re.DOTALL)
    rows = [line for line in text.split("\n") if line.startswith(("|", ">", "--", "Best", "On Mon", "Hi Ada", "From"))]
    rest = re.sub(r"`[^`]*`", " ", text)
    stray = [sign for sign in ("`", "👩", "🇩", "🏽") for _ in range(rest.count(sign))]
    return Counter([*spans, *fences, *rows, *stray, *_words_of_note(rest)])


def _markdown_pieces(text: str) -> Counter[str]:
    pieces: list[str] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        if token.type in ("fence", "code_block", "html_block"):
            pieces.append(f"{token.type}: {token.content.strip()}")
        if token.type in ("heading_open", "table_open"):
            pieces.append(token.type + token.tag)
        if token.type == "inline":
            pieces += _inline_pieces(token.children or [])
    return Counter(pieces)


def _inline_pieces(children: list[Token]) -> list[str]:
    pieces, plain = [], ""
    for child in children:
        if child.type in ("code_inline", "html_inline", "image"):
            pieces.append(f"{child.type}: {child.content} {child.attrGet('src')}")
        elif child.type in ("link_open", "em_open", "strong_open", "s_open"):
            pieces.append(f"{child.type} {child.attrGet('href')} {child.attrGet('title')}")
        plain += child.content if child.type == "text" else " "
    opened = [child.content for child in children if child.type == "html_inline"]
    pieces += [f"tag without partner {tag}" for tag in ("b", "kbd") if _unpaired(opened, tag)]
    pieces += [f"empty {a.type}" for a, b in pairwise(children) if a.nesting == 1 > b.nesting + 1]
    stray = [sign for sign in ("*", "`", "](", "~~", "[", "<", "_") for _ in range(plain.count(sign))]
    return [*pieces, *stray, *_words_of_note(plain)]


def _unpaired(tags: list[str], name: str) -> bool:
    return tags.count(f"<{name}>") != tags.count(f"</{name}>")


class _Reader(HTMLParser):
    """A strict reader: tags in pairs, pieces that are never shortened, links with text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.faults: list[str] = []
        self._open: list[tuple[str, str, str]] = []
        self._text = ""
        self.feed(text)
        self.close()
        self.pieces += _words_of_note(self._text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._text += " "
        own = f"{tag} {attrs}"
        if tag in VOID:
            self.pieces.append(own)
        else:
            self._open.append((tag, own, ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.pieces.append(f"{tag} {attrs}")

    def handle_endtag(self, tag: str) -> None:
        self._text += " "
        if any(other == "table" for other, *_ in self._open) and tag != "table":  # it is whole or gone
            return
        while tag == "table" and self._open[-1][0] != tag:
            inner = self._open.pop()
            self._open[-1] = (*self._open[-1][:2], self._open[-1][2] + inner[2])
        if not self._open or self._open[-1][0] != tag:
            self.faults.append(f"</{tag}> closes {self._open[-1:]}")
            return
        _, own, text = self._open.pop()
        if tag in ("code", "kbd", "pre", "table", "script"):
            own += f": {' '.join(text.split())}"
        elif not text.strip():
            self.faults.append(f"nothing in <{own}>")
        if self._open:
            before = self._open[-1]
            self._open[-1] = (*before[:2], before[2] + text)
        self.pieces.append(own)

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1] = (*self._open[-1][:2], self._open[-1][2] + data)
        if not any(tag in ("code", "pre", "script") for tag, *_ in self._open):
            self._text += data

    @property
    def left_open(self) -> list[str]:
        return [tag for tag, *_ in self._open]


def _torn_html(source: str, summary: str) -> list[str]:
    own, known = _Reader(summary), _Reader(source)
    faults = [*own.faults, *own.left_open]
    if (
        known.faults or known.left_open
    ):  # tags that nobody closed are closed in the summary: only what is in them counts
        whole = [
            piece for piece in own.pieces if piece.startswith(("code", "kbd", "pre", "script", "img", "http", "www"))
        ]
        return faults + [piece for piece in whole if piece not in known.pieces]
    return faults + _beyond(Counter(own.pieces), Counter(known.pieces))
