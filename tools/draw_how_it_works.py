"""Draws the pictures of docs/how-it-works.md: one sentence through encoder, importance, grammar, plan and Q-values.

python tools/draw_how_it_works.py [--out docs]

Every number in them comes from the models in the package, so they are drawn again when a model or a rule changes.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ealm import Action, Summarizer, Summary
from ealm.goal_agent.agent import GoalAgent
from ealm.grammar.drafts.structure import Structure, structure_of
from ealm.grammar.neural.parser import EmbeddedGrammar
from ealm.grammar.protocol import Parse
from ealm.lm.word_encoder import WordEncoder
from ealm.text.detokenizer import is_punctuation
from ealm.text.tokenizer import tokenize

SENTENCE = (
    "The harbour board agreed on Friday to repair the old lighthouse because its lamp had failed twice this winter."
)
GOAL = 7
"""Words that the example asks for."""
_COLUMN, _ROW, _TOP, _LEFT = 64, 15, 78, 40
_NUMBERS_SHOWN = 24
_STEPS_SHOWN = 12
_DARK, _GREY, _LIGHT, _GREEN, _RED = "#1f2937", "#6b7280", "#e5e7eb", "#0f766e", "#b91c1c"


@dataclass(frozen=True)
class Example:
    """The sentence, and what each part of the summarizer makes of it."""

    words: Sequence[str]
    encodings: Tensor
    """(words, width)"""
    importance: Sequence[float]
    parse: Parse
    structure: Structure
    curve: Sequence[Summary]
    steps: Sequence[tuple[int, list[float]]]
    """Of a walk by Q-values: the word that goes, and the Q-value of removing each word, -inf if it is gone."""


def example() -> Example:
    """Run all parts on the sentence."""
    summarizer = Summarizer()
    agent = summarizer.agent
    assert isinstance(agent, GoalAgent)
    words = [token.text for token in tokenize(SENTENCE)]
    encoder = WordEncoder.load()
    (states,) = encoder.encode_layers([words])
    (parse,) = EmbeddedGrammar.load(encoder=encoder).parse_states([words], [states.layers])
    is_word = [not is_punctuation(word) for word in words]
    with torch.no_grad():
        importance = agent.word_scores(states.encodings).tolist()
        steps = q_walk(agent, states.encodings, locked=[i for i, own in enumerate(is_word) if not own])
    structure = structure_of(words, parse, is_word, headline=True)
    curve = summarizer.curve(SENTENCE, recoverability=False)
    return Example(words, states.encodings, importance, parse, structure, curve, steps)


def q_walk(agent: GoalAgent, encodings: Tensor, locked: Sequence[int]) -> list[tuple[int, list[float]]]:
    """Remove the word with the greatest Q-value until the goal is reached; marks at the end are no words."""
    kept = torch.ones(1, len(encodings), dtype=torch.bool)
    kept[0, list(locked)] = False
    first = agent.first_layer(encodings[None], kept)
    steps = []
    while int(kept.sum()) > GOAL:
        q_values = agent(first, kept[:, None], torch.tensor([GOAL]))[0, 0]
        chosen = int(q_values.argmax())
        steps.append((chosen, q_values.tolist()))
        kept[0, chosen] = False
    return steps


class Drawing:
    """An SVG that grows."""

    def __init__(self, title: str, columns: int, height: int) -> None:
        self.width, self.height, self._title = _LEFT + columns * _COLUMN + 20, height, title
        self._parts: list[str] = []

    def text(self, x: float, y: float, words: str, *, fill: str = _DARK, anchor: str = "middle", turn: int = 0) -> None:
        turned = f' transform="rotate({turn} {x:.0f} {y:.0f})"' if turn else ""
        self._parts.append(
            f'<text x="{x:.0f}" y="{y:.0f}" fill="{fill}" text-anchor="{anchor}"{turned}>{escape(words)}</text>'
        )

    def box(self, x: float, y: float, width: float, height: float, fill: str, *, line: str = "none") -> None:
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" stroke="{line}"/>'
        )

    def arc(self, x1: float, x2: float, y: float, height: float, colour: str) -> None:
        top = y - height
        self._parts.append(
            f'<path d="M{x1:.0f} {y:.0f}C{x1:.0f} {top:.0f} {x2:.0f} {top:.0f} {x2:.0f} {y:.0f}" '
            f'fill="none" stroke="{colour}" stroke-width="1.5"/>'
        )

    def heads(self, words: Sequence[str], colour: Callable[[int], str] = lambda _: _DARK) -> None:
        """The words over their columns."""
        for i, word in enumerate(words):
            self.text(column(i) + 4, _TOP - 8, word, fill=colour(i), anchor="start", turn=-40)

    def save(self, path: Path) -> None:
        """Write it; a white ground, because pages may be dark."""
        body = "\n".join(self._parts)
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'font-family="sans-serif" font-size="13">\n<title>{escape(self._title)}</title>\n'
            f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n',
            encoding="utf-8",
        )


def column(i: int) -> float:
    """The middle of a word's column."""
    return _LEFT + (i + 0.5) * _COLUMN


def shade(value: float) -> str:
    """-1 is red, 0 white, 1 green."""
    strength = min(1.0, abs(value))
    base = (15, 118, 110) if value > 0 else (185, 28, 28)
    return "#" + "".join(f"{round(255 - strength * (255 - part)):02x}" for part in base)


def draw_encoder(found: Example) -> Drawing:
    """Some of the numbers of each word."""
    height = 11
    drawing = Drawing("Numbers of each word", len(found.words), _TOP + _NUMBERS_SHOWN * height + 10)
    drawing.heads(found.words)
    numbers = found.encodings[:, :_NUMBERS_SHOWN]
    scale = numbers.abs().quantile(0.95)
    for i, own in enumerate(numbers / scale):
        for row, value in enumerate(own.tolist()):
            drawing.box(column(i) - 26, _TOP + row * height, 52, height, shade(value))
    return drawing


def draw_importance(found: Example) -> Drawing:
    """A bar for each word, from the least important one up."""
    floor, tallest = _TOP + 130, 120
    low, high = min(found.importance), max(found.importance)
    drawing = Drawing("Importance of each word", len(found.words), floor + 22)
    drawing.heads(found.words)
    for i, value in enumerate(found.importance):
        height = tallest * (value - low) / (high - low)
        drawing.box(column(i) - 20, floor - height, 40, max(height, 1), _GREEN)
        drawing.text(column(i), floor + 16, f"{value:.1f}", fill=_GREY)
    return drawing


def draw_grammar(found: Example) -> Drawing:
    """The parse above; below, what the rules make of each word."""
    base = 190
    drawing = Drawing("Dependency tree and what may go", len(found.words), base + 62)
    for i, (head, relation) in enumerate(zip(found.parse.heads, found.parse.relations, strict=True)):
        if head >= 0 and not is_punctuation(found.words[i]):
            height = 22 + 24 * min(abs(i - head), 7)
            colour = _DARK if found.structure.required[i] else "#9ca3af"
            drawing.arc(column(head), column(i), base, height, colour)
            drawing.text((column(head) + column(i)) / 2, base - height * 0.75 - 3, relation, fill=colour)
    for i, word in enumerate(found.words):
        kind, colour = kind_of(found.structure, i)
        drawing.text(column(i), base + 18, word, fill=colour)
        drawing.text(column(i), base + 36, kind, fill=colour)
    return drawing


def kind_of(structure: Structure, i: int) -> tuple[str, str]:
    """What becomes of a word, in one word, and its colour."""
    if not structure.is_word[i]:
        return "", _GREY
    if structure.relations[i] == "ROOT":
        return "root", _RED
    if i in structure.spare:
        return "spare", "#9ca3af"
    return ("needed", _GREEN) if structure.required[i] else ("may go", _DARK)


def draw_plan(found: Example) -> Drawing:
    """Which words stay at each length."""
    drawing = Drawing("Which words stay at each length", len(found.words), _TOP + len(found.curve) * _ROW + 10)
    drawing.heads(found.words)
    for row, summary in enumerate(found.curve):
        y = _TOP + row * _ROW
        size = len(summary.summary.split())
        asked = summary.summary == asked_for(found).summary
        drawing.text(_LEFT - 12, y + 12, str(size), fill=_RED if asked else _GREY, anchor="end")
        for i, edit in enumerate(summary.edits):
            if edit.action != Action.REMOVE:
                drawing.box(column(i) - 30, y + 1, 60, _ROW - 2, _RED if asked else _GREEN)
            else:
                drawing.box(column(i) - 30, y + 1, 60, _ROW - 2, "#f9fafb")
    return drawing


def asked_for(found: Example) -> Summary:
    """The longest summary within the goal."""
    return next(summary for summary in found.curve if len(summary.summary.split()) <= GOAL)


def draw_q_values(found: Example) -> Drawing:
    """Q-values of removing each word in each step, by their place among those of the step."""
    steps = found.steps[:_STEPS_SHOWN]
    drawing = Drawing("Q-values of removing each word", len(found.words), _TOP + len(steps) * 22 + 10)
    drawing.heads(found.words)
    for row, (chosen, values) in enumerate(steps):
        y = _TOP + row * 22
        drawing.text(_LEFT - 12, y + 15, f"{row + 1}", fill=_GREY, anchor="end")
        known = [value for value in values if value > float("-inf")]
        low, high = min(known), max(known)
        for i, value in enumerate(values):
            if value == float("-inf"):
                continue
            part = (value - low) / (high - low)
            drawing.box(column(i) - 30, y + 1, 60, 20, shade(-part), line=_DARK if i == chosen else "none")
            drawing.text(column(i), y + 15, f"{value:.1f}", fill="#fff" if part > 0.6 else _DARK)
    return drawing


PICTURES: dict[str, Callable[[Example], Drawing]] = {
    "how-encoder.svg": draw_encoder,
    "how-importance.svg": draw_importance,
    "how-grammar.svg": draw_grammar,
    "how-plan.svg": draw_plan,
    "how-q-values.svg": draw_q_values,
}


def facts(found: Example) -> dict[str, Any]:
    """What the page says in words."""
    gone = [found.words[chosen] for chosen, _ in found.steps]
    left = [word for i, word in enumerate(found.words) if i not in {chosen for chosen, _ in found.steps}]
    return {
        "numbers of each word": found.encodings.shape[1],
        "curve": [summary.summary for summary in found.curve],
        "asked for": asked_for(found).summary,
        "Q-values remove": gone,
        "Q-values leave": left,
        "kinds": {word: kind_of(found.structure, i)[0] for i, word in enumerate(found.words)},
        "costs": dict(zip(found.words, (round(cost, 2) for cost in found.structure.costs), strict=True)),
    }


def main() -> None:
    """Draw all, and print what the page says in words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "docs")
    folder = parser.parse_args().out
    torch.set_num_threads(1)
    found = example()
    for name, draw in PICTURES.items():
        draw(found).save(folder / name)
        print(f"{name}: {(folder / name).stat().st_size:,} bytes")
    for name, value in facts(found).items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
