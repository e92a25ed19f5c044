"""Summaries for reading: the source with its edits highlighted, the scores beside it."""

import json
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape

from ealm.evaluation.results import MEASURES, Evaluation, SystemResult
from ealm.evaluation.truth_run import Output, TruthResult
from ealm.text.tokenizer import Token, tokenize

_ORDERS = {"data": "in the order of the data", "best": "best first", "worst": "worst first"}


def sample_cards(evaluation: Evaluation, lines: Sequence[int]) -> str:
    """A card for each sample, with what sorts them by score."""
    choices = {
        "system": {str(place): system.name for place, system in enumerate(evaluation.systems)},
        "measure": {str(place): name for place, name in enumerate(MEASURES)},
        "order": _ORDERS,
    }
    controls = " ".join(_choice(name, values) for name, values in choices.items())
    cards = "\n".join(_card(evaluation, line) for line in lines)
    return f'<div class="controls">Sort by {controls}</div>\n<div id="samples">\n{cards}\n</div>'


def _choice(name: str, values: dict[str, str]) -> str:
    rows = "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in values.items())
    return f'<select id="sort-{name}" aria-label="{name}">{rows}</select>'


def _card(evaluation: Evaluation, line: int) -> str:
    source = evaluation.paired.sources[line]
    scores = [[round(value, 2) for value in _scores(system, line)] for system in evaluation.systems]
    systems = "".join(
        _row(system.name, _named(_scores(system, line)), source, system.runs[0].summaries[line])
        for system in evaluation.systems
    )
    human = escape(evaluation.paired.references[line][0])
    return (
        f'<div class="card" data-line="{line}" data-scores="{escape(json.dumps(scores))}">'
        f'<p class="faint">line {line + 1}, written by a person:</p><p class="summary">{human}</p>{systems}</div>'
    )


def _scores(system: SystemResult, line: int) -> list[float]:
    """Of the first seed, whose summary is shown."""
    found: list[float] = system.runs[0].scores[line].tolist()
    return found


def _named(scores: Sequence[float]) -> str:
    return " · ".join(f"{name} {value:.1f}" for name, value in zip(MEASURES, scores, strict=True))


def _row(name: str, note: str, source: str, summary: str) -> str:
    return (
        f'<div class="system"><p><strong>{escape(name)}</strong><span class="scores">{escape(note)}</span></p>'
        f'<p class="summary">{escape(summary)}</p><p class="source">{marked_source(source, summary)}</p></div>'
    )


def violation_cards(result: TruthResult, kind: str) -> str:
    """What a system says of cases of a kind that their sources do not say, the rule beside it."""
    broken = [output for output in result.outputs if output.violations and output.case.kind == kind]
    return "".join(_violation(output) for output in broken)


def _violation(output: Output) -> str:
    rules = "; ".join(output.violations)
    return f'<div class="card">{_row(output.case.place, rules, output.case.text, output.summary)}</div>'


def marked_source(source: str, summary: str) -> str:
    """The source as HTML: what the summary lacks is deleted, what only the summary has is inserted."""
    return "".join(_marked(source, summary))


def _marked(source: str, summary: str) -> Iterator[str]:
    tokens, new = tokenize(source), [token.text for token in tokenize(summary)]
    plain = [token.text.lower() for token in tokens]
    # Words of one length read like one another to the matcher's heuristics: it is told to trust every word.
    edits = SequenceMatcher(None, plain, [word.lower() for word in new], autojunk=False).get_opcodes()
    end = 0
    for edit, first, last, first_new, last_new in edits:
        if first < last:
            yield escape(source[end : tokens[first].start])
            text = escape(_text(source, tokens[first:last]))
            yield text if edit == "equal" else f"<del>{text}</del>"
            end = tokens[last - 1].end
        if edit in {"insert", "replace"}:
            yield f" <ins>{escape(' '.join(new[first_new:last_new]))}</ins>"
    yield escape(source[end:])


def _text(source: str, tokens: Sequence[Token]) -> str:
    return source[tokens[0].start : tokens[-1].end]
