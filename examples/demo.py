"""The whole of it in about two minutes: fit a small language model, train an agent on raw sentences, summarize.

Everything happens in a small invented world (see small_world.py) and through the same commands that a user types.
"""

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from small_world import fit_language_model, news

UNSEEN = (
    "solara , a maker of batteries , said on tuesday that it will close its factory in athens , greece .",
    "officials in oslo , the capital of norway , said the new bridge would open in june .",
    "heavy rain in japan flooded the streets of tokyo and closed the airport until sunday morning .",
)
# The paper lets exploration fall over 68,000 updates; here it has to be quick. And among the hundred words of this
# world ten guesses would find any of the ten capitals, so that only the first guess counts.
SETTINGS = (
    "action_exploration.every=2",
    "order_exploration.every=2",
    "learning.target_period=100",
    "rewards.top_k=1",
)


def ealm(*arguments: str) -> str:
    """Run the installed command, show it, and give back what it prints."""
    print(f"\n$ ealm {shlex.join(arguments)}", flush=True)
    command = [str(Path(sys.executable).parent / "ealm"), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def show(line: str) -> None:
    """A summary with its source: what is removed is struck through, what is replaced has the new word behind it."""
    result = json.loads(line)
    colours = sys.stdout.isatty()
    marked = []
    for edit in result["edits"]:
        word = edit["word"]
        if edit["action"] == "remove":
            word = f"\033[9;2m{word}\033[0m" if colours else f"[{word}]"
        elif edit["action"] == "replace":
            word = f"\033[33m{word}>{edit['replacement']}\033[0m" if colours else f"{word}>{edit['replacement']}"
        marked.append(word)
    recovered = result["reconstruction_rate"]
    print(f"\n  {' '.join(marked)}\n  = {result['summary']}")
    print(f"    {result['compression_rate']:.0%} of the words are gone", end="")
    print(f", {recovered:.0%} of what counts can be recovered" if recovered is not None else "")


def main() -> None:
    """Every step leaves its files in a temporary folder, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="ealm-demo-") as name:
        folder = Path(name)
        sentences = [sentence for sentence in news(2_000, seed=0) if sentence not in UNSEEN]
        (folder / "news.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
        print(f"{len(sentences):,} invented sentences; fitting a language model of two layers on them ...", flush=True)
        loss = fit_language_model(sentences, folder / "lm")
        print(f"masked words are guessed with a mean loss of {loss:.2f}")
        settings = [part for setting in SETTINGS for part in ("--set", setting)]
        files = [str(folder / "news.txt"), "--out", str(folder / "agent"), "--lm", str(folder / "lm")]
        print(ealm("train", *files, "--updates", "1500", *settings), end="")
        (folder / "unseen.txt").write_text("\n".join(UNSEEN) + "\n", encoding="utf-8")
        use = ["summarize", "--model", str(folder / "agent"), "-i", str(folder / "unseen.txt"), "--json"]
        for arguments in ([], ["--words", "8", "--recoverability"]):
            for line in ealm(*use, *arguments).splitlines():
                show(line)


if __name__ == "__main__":
    main()
