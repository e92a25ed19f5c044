"""Hooks of the documentation site: MkDocs reads docs/, and these bring in the pages beside it.

The pages are written for a repository, where README.md and others stand one folder above docs/. On the site they are
pages like the rest, and links to source files, which a site does not have, become plain text.
"""

import re
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
TOP_PAGES = {
    "README.md": "project.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages of the project's folder, and their names on the site."""

_LINK = re.compile(
    r"^```.*?^```$"  # code, which is left as it is
    r"|(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)"  # a mark for pictures, words, target
    r"|`[^`\n]+`",
    re.MULTILINE | re.DOTALL,
)


def github_slug(title: str | Element, separator: str) -> str:
    """The name of a heading as GitHub makes it, so that links to it hold in both places."""
    return re.sub(r"[^\w\- ]", "", str(title).strip().lower()).replace(" ", separator)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name headings as GitHub does."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = github_slug
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand beside docs/."""
    for source, page in TOP_PAGES.items():
        content = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=rebased(content, "docs/")))
    return files


def rebased(text: str, folder: str) -> str:
    """The links of a page of the project's folder, as if the page stood in docs/."""

    def moved(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if target is None or "://" in target or target.startswith("#"):
            return found[0]
        target = target.removeprefix(folder) if target.startswith(folder) else f"../{target}"
        return f"{mark}[{words}]({target})"

    return _LINK.sub(moved, text)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Lead links out of docs/ to their pages on the site."""

    def led(found: re.Match[str]) -> str:
        mark, words, target = found.groups()
        if target is None or not target.startswith("../"):
            return found[0]
        path, hash_sign, anchor = target.removeprefix("../").partition("#")
        return f"{mark}[{words}]({TOP_PAGES[path]}{hash_sign}{anchor})" if path in TOP_PAGES else words

    return _LINK.sub(led, markdown)
