"""Three raw sentences at several lengths, with every edit in colour: the embedded default at work.

Everything goes through the command that a user types.
"""

import shlex
import subprocess
import sys
from pathlib import Path

SENTENCES = (
    "The city council of Larkmouth voted on Tuesday night to close the 120-year-old ferry terminal after engineers "
    "warned that its wooden piers could not survive another winter storm.",
    "Shares of Norvik Shipping fell 7.4 percent to $31.20 on Friday, their lowest close in two years, after the "
    "company said it didn't expect demand for new tankers to recover before 2028.",
    "Researchers at the University of Tessaly have built a cheap paper sensor that changes colour when drinking water "
    "contains too much lead, and they hope to test it in 40 villages next spring.",
)
LENGTHS = (("--words", "15"), ("--words", "8"), ("--chars", "60"))


def ealm(*arguments: str) -> None:
    """Show the command and run it; colours go through where this script's own would."""
    print(f"\n$ ealm {shlex.join(arguments)}", flush=True)
    command = [str(Path(sys.executable).parent / "ealm"), *arguments]
    subprocess.run(command, check=True)


def main() -> None:
    for sentence in SENTENCES:
        ealm("summarize", "--show", "--words", "10", sentence)
    for length in LENGTHS:
        ealm("summarize", *length, "\n".join(SENTENCES[:1]))
    ealm("summarize", "--words", "20", "--json", "--keep", "Norvik", SENTENCES[1])


if __name__ == "__main__":
    main()
