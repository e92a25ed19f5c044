"""Tells whether the project is ready for the release that a tag names.

python tools/release_check.py v1.2.3
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """What keeps this tag from being released; nothing if it may be."""
    found = re.fullmatch(r"v(\d+\.\d+\.\d+)", tag)
    if not found:
        return [f"{tag} is no release: a tag is v and three numbers, such as v1.2.3"]
    version = found[1]
    texts = {name: (root / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "CITATION.cff")}
    package = (root / "src" / "ealm" / "__init__.py").read_text(encoding="utf-8")
    stated = {
        "pyproject.toml": tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"],
        "CITATION.cff": "".join(re.findall(r"^version: (\S+)$", texts["CITATION.cff"], re.MULTILINE)),
        "src/ealm/__init__.py": "".join(re.findall(r'^__version__ = "(.+)"$', package, re.MULTILINE)),
    }
    wrong = [f"{name} has the version {stated[name]}, not {version}" for name in stated if stated[name] != version]
    if not re.search(rf"^## {re.escape(version)} – \d{{4}}-\d{{2}}-\d{{2}}$", texts["CHANGELOG.md"], re.MULTILINE):
        wrong.append(f"CHANGELOG.md has no heading '## {version} – ' with a date")
    unreleased = re.search(r"^## Unreleased\n(.*?)(?=^## |\Z)", texts["CHANGELOG.md"], re.MULTILINE | re.DOTALL)
    if unreleased and unreleased[1].strip():
        wrong.append("CHANGELOG.md has entries under Unreleased")
    return wrong


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("error: name one tag, such as: python tools/release_check.py v1.2.3")
    found = problems(sys.argv[1])
    if found:
        sys.exit("\n".join(f"error: {problem}." for problem in found))
