"""Tries an installed ealm as its user would: every command's help, every command at work, and the packages of extras.

python tools/smoke.py                  what `pip install ealm` promises
python tools/smoke.py serve evaluate   and that these extras are installed and do their work

A command that needs an extra which is not named here may also say so, in one line. It needs nothing but the package, so
any environment and any system can run it.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import packages_distributions, requires
from itertools import product
from pathlib import Path
from urllib.request import Request, urlopen

import click
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TEXT = "The harbour board agreed on Friday to repair the old lighthouse because its lamp had failed twice this winter."
WORDS = 7
WHO, DID, WHAT = (
    ("The mayor", "A young doctor", "The old ferry company", "Our neighbour"),
    ("opened", "has repaired", "will not sell", "painted"),
    ("the bridge near the river", "a small school in Oslo", "two boats on Friday", "the empty house"),
)
CORPUS = [f"{who} {did} {what} because the winter was long." for who, did, what in product(WHO, DID, WHAT)]
TRIALS = (
    ("", "summarize -i corpus.txt -o short.txt --words 5"),
    ("", "summarize -i corpus.jsonl -o short.jsonl --ratio 0.5 --workers 2"),
    ("", "settings --preset reader"),
    ("", "word-importance few.txt --out importance --quiet"),
    ("", "read prepare --texts corpus.txt --systems ealm,lead-8 --count 3 --out sheet.tsv --key key.json --quiet"),
    ("", "read count judged.tsv --key judged.json"),
    ("", "evaluate --truth truth --systems lead-8,ealm --words 6"),
    ("", "train-baseline seq3 corpus.txt --out seq3 --minutes 0.02 --lm-minutes 0.02 --quiet"),
    ("", "train-baseline cmatch corpus.txt --headlines few.txt --out cmatch --minutes 0.02 --quiet"),
    ("train", "train few.txt --out run --preset reader --updates 100 --quiet"),
    ("train", "adapt corpus.txt --out lm --minutes 0.02 --quiet"),
    ("evaluate", "evaluate --data paired.jsonl --systems lead-8,ealm --protocol length --out scores"),
    ("train evaluate", "report run"),
    ("pipeline", "train-grammar corpus.txt --teacher spacy:no_such_pipeline --out grammar"),
    ("batch", "summarize -i corpus.jsonl -o short.jsonl.zst --words 5"),
    ("markdown", "summarize -i notes.md --words 20"),
    ("sumy", "evaluate --truth truth --systems sumy:lexrank --words 6"),
    ("ray", "summarize -i corpus.jsonl -o by-ray.jsonl --words 5 --backend ray --workers 1"),
    ("serve", "serve --port 0"),
)
"""Commands at work in a folder of their own, and the extras that they need."""


def lay_out(folder: Path) -> None:
    """The files that the trials read."""
    rows = [{"text": text, "summaries": [text.partition(" because")[0]]} for text in CORPUS]
    case = {"text": "The mayor did not sign the plan.", "pairs": [{"where": "sign", "must": "not * sign"}]}
    judged = {"systems": ["ealm"], "kind": "", "summary": "Mayor opened bridge.", "source": CORPUS[0]}
    (folder / "truth").mkdir()
    files = {
        "corpus.txt": "\n".join(CORPUS) + "\n",
        "few.txt": "\n".join(CORPUS[:16]) + "\n",
        "corpus.jsonl": "".join(json.dumps({"text": text}) + "\n" for text in CORPUS),
        "paired.jsonl": "".join(json.dumps(row) + "\n" for row in rows[:5]),
        "notes.md": f"# Notes\n\n{' '.join(CORPUS[:3])}\n\n- {CORPUS[4]}\n",
        "truth/negation.jsonl": json.dumps(case) + "\n",
        "judged.json": json.dumps({"rows": [judged]}),
        "judged.tsv": f"row\tverdict\tsummary\tsource\tnote\n1\tprintable\tMayor opened bridge.\t{CORPUS[0]}\t\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words after `ealm` that name each command, older names included."""
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


def run(*arguments: str, given: str | None = None, folder: str | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    line = [sys.executable, "-X", "utf8", "-m", "ealm", *arguments]
    return subprocess.run(line, input=given, capture_output=True, text=True, check=False, encoding="utf-8", cwd=folder)


def ealm(*arguments: str, given: str | None = None) -> str:
    """What the command prints; it must succeed."""
    done = run(*arguments, given=given)
    if done.returncode:
        sys.exit(f"error: ealm {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def check_help() -> int:
    """Every command explains itself, and every command with a name of today has a trial."""
    from ealm.cli.main import main

    found = list(commands(main))
    for path in found:
        if "Usage:" not in ealm(*path, "--help"):
            sys.exit(f"error: ealm {' '.join(path)} --help shows no usage.")
        tried = any(line.split()[: len(path)] == list(path) for _, line in TRIALS)
        if not tried and not main.commands[path[0]].hidden:
            sys.exit(f"error: no trial of ealm {' '.join(path)}.")
    return len(found)


def check_summaries() -> str:
    """An argument, a pipe and Python give the same summary, within its length."""
    from ealm import Summarizer

    summary = ealm("summarize", "--words", str(WORDS), TEXT).strip()
    piped = ealm("summarize", "--words", str(WORDS), given=TEXT + "\n").strip()
    in_python = str(Summarizer().summarize(TEXT, words=WORDS))
    if not summary == piped == in_python or not 0 < len(summary.split()) <= WORDS:
        sys.exit(f"error: the summaries are {summary!r}, {piped!r} and {in_python!r}.")
    return summary


def check_work(extras: list[str]) -> None:
    """Every trial does its work, or says in one line what it needs."""
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        for needs, line in TRIALS:
            met = set(needs.split()) <= set(extras)
            if not met and " " in needs:  # it reads what another extra has made
                continue
            code, said = serve(folder) if line.startswith("serve") else work(line, folder)
            if code and (met or not says_what_to_install(said)):
                sys.exit(f"error: ealm {line} ended with {code}: {said}")
            print(f"ealm {line}: {said if code else 'works'}", flush=True)


def work(line: str, folder: str) -> tuple[int, str]:
    """How a command ended, and what it said if it failed."""
    done = run(*line.split(), folder=folder)
    return done.returncode, done.stderr.strip() if done.returncode else ""


def says_what_to_install(said: str) -> bool:
    """In its last line, without a traceback."""
    return "Traceback" not in said and bool(re.match(r"Error: .*Install it with: ", said.splitlines()[-1]))


def serve(folder: str) -> tuple[int, str]:
    """Start the service, ask it for a summary, and end it."""
    line = [sys.executable, "-X", "utf8", "-m", "ealm", "serve", "--port", "0"]
    with subprocess.Popen(line, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        said = ""
        while (heard := process.stdout.readline()) and not (found := re.search(r"http://\S+:\d+", heard)):
            said += heard
        if not heard:
            return process.wait(), said.strip()
        try:
            summary = ask(found[0])
        finally:
            process.terminate()
    return int(not 0 < len(summary.split()) <= WORDS), summary


def ask(address: str) -> str:
    """A summary by the service."""
    body = json.dumps({"text": TEXT, "words": WORDS}).encode()
    request = Request(f"{address}/v1/summarize", data=body, headers={"Content-Type": "application/json"})
    with urlopen(request, timeout=120) as answer:
        (found,) = json.load(answer)["summaries"]
    return str(found["summary"])


def check_extra(extra: str) -> int:
    """All packages that an extra names can be imported."""
    lines = [Requirement(line) for line in requires("ealm") or ()]
    named = [each for each in lines if each.marker and each.marker.evaluate({"extra": extra})]
    if not named:
        sys.exit(f"error: there is no extra {extra}.")
    modules = packages_distributions()
    for need in named:
        name = canonicalize_name(need.name)
        homes = [module for module, owners in modules.items() if name in map(canonicalize_name, owners)]
        if not homes:
            sys.exit(f"error: the extra {extra} needs {need}, which is not installed.")
        import_module(min(homes, key=len))
    return len(named)


def main(extras: list[str]) -> None:
    """Check all, and say what was checked."""
    import ealm as package

    print(f"ealm {package.__version__} in {package.__path__[0]}, Python {sys.version.split()[0]} on {sys.platform}")
    print(f"{check_help()} commands explain themselves", flush=True)
    print(f"summary: {check_summaries()}", flush=True)
    for extra in extras:
        print(f"extra {extra}: {check_extra(extra)} packages", flush=True)
    check_work(extras)


if __name__ == "__main__":
    main(sys.argv[1:])
