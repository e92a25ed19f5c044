"""Learn from raw text which phrases verbs do not stand without: writes `grammar/drafts/valency.json.gz`.

    python tools/learn_valency.py sentences.txt --sentences 70000 --out src/ealm/grammar/drafts/valency.json.gz

The sentences (one a line) are parsed by the parser in the package. A phrase belongs to a verb if it is there in many
of the verb's sentences and far more often than with other verbs; a verb is never bare if it hardly ever stands with
nothing behind it. Forms of one verb are counted together and written out, so that nothing is inflected at run time.
"""

import argparse
import gzip
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from ealm.common.storage import replaced
from ealm.grammar import rules
from ealm.grammar.loading import EMBEDDED, load_grammar
from ealm.grammar.protocol import Grammar, Parse
from ealm.text.inflection import irregular_forms
from ealm.text.tokenizer import spaced
from ealm.text.words import split_words

FRAMES = ("object", "passive")
BARE = "bare"
_LEAST_SEEN = 20
_SHARE = 0.3
_LIFT = 4.0
_BARE_SHARE = {"never_bare": 0.04, "never_bare_passive": 0.02}
_BATCH = 256

Counts = Counter[tuple[str, str, str]]
"""How often a form stands in a frame, with a preposition, bare ("bare") or in all ("")."""


def count(sentences: Iterable[str], grammar: Grammar) -> Counts:
    """Frames of all verbs."""
    found: Counts = Counter()
    for batch in _batched(sentences):
        words = [split_words(spaced(line)) for line in batch]
        for own, parse in zip(words, grammar.parse(words), strict=True):
            found.update(_frames([word.lower() for word in own], parse))
    return found


def _batched(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    waiting = iter(lines)
    while batch := tuple(itertools.islice(waiting, _BATCH)):
        yield batch


def _frames(lower: Sequence[str], parse: Parse) -> Iterator[tuple[str, str, str]]:
    children: dict[int, list[int]] = defaultdict(list)
    for i, head in enumerate(parse.heads):
        children[head].append(i)
    for verb, tag in enumerate(parse.tags):
        if not tag.startswith("VB") or not lower[verb].isalpha():
            continue
        relations = {parse.relations[i] for i in children[verb]}
        if relations & {"ccomp", "xcomp", "acomp", "attr", "oprd"}:
            yield lower[verb], "clause", ""
            continue
        passive = relations & {"nsubjpass", "auxpass"} or (tag == "VBN" and parse.relations[verb] == "acl")
        frame = "passive" if passive else "object" if "dobj" in relations else "alone"
        yield lower[verb], frame, ""
        beside = ("punct", "conj", "cc", "advcl")
        if frame != "object" and not any(i > verb and parse.relations[i] not in beside for i in children[verb]):
            yield lower[verb], frame, BARE
        for preposition in _prepositions(lower, parse, children, verb):
            yield lower[verb], frame, preposition


def _prepositions(lower: Sequence[str], parse: Parse, children: dict[int, list[int]], verb: int) -> set[str]:
    """Of the phrases behind a verb and its object that do not say when."""
    phrases = [i for i in children[verb] if parse.relations[i] in ("prep", "dative") and i > verb]
    for noun in (i for i in children[verb] if parse.relations[i] == "dobj"):
        phrases += [i for i in children[noun] if parse.relations[i] == "prep" and i > noun and lower[i] != "of"]
    return {lower[i] for i in phrases if not any(lower[j] in rules.TIMES for j in children[i])}


def lemmas(forms: Counter[str]) -> dict[str, str]:
    """The base of each form: by the list of irregular ones, else the most frequent known word it can come from."""
    return {form: _lemma(form, forms) for form in forms}


def _lemma(form: str, forms: Counter[str]) -> str:
    if form in irregular_forms():
        return irregular_forms()[form]
    stems = [form[: -len(ending)] for ending in ("s", "es", "d", "ed", "ing") if form.endswith(ending)]
    stems += [form[:-3] + "y" for ending in ("ies", "ied") if form.endswith(ending)]
    stems += [form[:-3] + "e"] if form.endswith("ing") else []
    stems += [stem[:-1] for stem in stems if len(stem) > 3 and stem[-1] == stem[-2]]
    known = [stem for stem in stems if len(stem) > 2 and stem in forms]
    return max(known, key=lambda stem: forms[stem], default=form)


def table(counts: Counts) -> dict[str, object]:
    """What is written: for each frame the prepositions of each form, and the forms that are never bare."""
    forms: Counter[str] = Counter()
    for (form, _, what), number in counts.items():
        forms[form] += number if not what else 0
    base = lemmas(forms)
    own: defaultdict[str, set[str]] = defaultdict(set)
    by_verb: Counts = Counter()
    every: Counter[tuple[str, str]] = Counter()
    for (form, frame, what), number in counts.items():
        own[base[form]].add(form)
        by_verb[base[form], frame, what] += number
        every[frame, what] += number
    written: dict[str, object] = {}
    for frame in FRAMES:
        phrases: defaultdict[str, list[str]] = defaultdict(list)
        for (verb, found, what), number in sorted(by_verb.items()):
            total = by_verb[verb, frame, ""]
            if found != frame or what in ("", BARE) or total < _LEAST_SEEN:
                continue
            share = number / total
            if share >= _SHARE and share >= _LIFT * every[frame, what] / every[frame, ""]:
                for form in sorted(own[verb]):
                    phrases[form].append(what)
        written[frame] = dict(sorted(phrases.items()))
    for name, frames in (("never_bare", ("object", "alone", "clause")), ("never_bare_passive", ("passive",))):
        verbs = [
            verb
            for verb in own
            if (total := sum(by_verb[verb, frame, ""] for frame in frames)) >= _LEAST_SEEN
            if sum(by_verb[verb, frame, BARE] for frame in frames) < _BARE_SHARE[name] * total
        ]
        written[name] = sorted({form for verb in verbs for form in own[verb]})
    return written


def main() -> None:
    """Read the corpus, count and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="raw sentences, one a line")
    parser.add_argument("--sentences", type=int, default=70_000)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    grammar = load_grammar(EMBEDDED)
    assert grammar is not None
    with options.corpus.open(encoding="utf-8") as file:
        lines = (line.strip() for line in file)
        fitting = (line for line in lines if 5 < len(line.split()) < 40)
        chosen = tqdm(itertools.islice(fitting, options.sentences), total=options.sentences, unit=" sentences")
        found = table(count(chosen, grammar))
    with replaced(options.out) as draft, draft.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        file.write(json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode())


if __name__ == "__main__":
    main()
