"""Pages that need nothing but themselves: style, script and figures are inside, and all text is escaped."""

import base64
from collections.abc import Sequence
from html import escape
from importlib.resources import files

Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Headings and rows."""


def html_page(title: str, caption: str, parts: Sequence[str]) -> str:
    """A page of parts that are HTML already."""
    folder = files("ealm.evaluation") / "page"
    style, script = ((folder / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    body = "\n".join([f"<h1>{escape(title)}</h1>", f'<p class="faint">{escape(caption)}</p>', *parts])
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f'<link rel="icon" href="data:,">\n<style>{style}</style>\n</head>\n<body>\n{body}\n'
        f"<script>\n{script}</script>\n</body>\n</html>\n"
    )


def html_section(title: str, content: str) -> str:
    """A heading and what is below it."""
    return f"<h2>{escape(title)}</h2>\n{content}"


def html_figure(name: str, image: bytes) -> str:
    """A PNG inside the page."""
    source = f"data:image/png;base64,{base64.b64encode(image).decode()}"
    return f'<figure><img alt="{escape(name)}" src="{source}"></figure>'


def html_table(table: Table) -> str:
    """A table whose columns can be sorted."""
    headings, rows = table
    head = "".join(f'<th><button type="button">{escape(name)}</button></th>' for name in headings)
    lines = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    body = "\n".join(lines)
    return f'<div class="table"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'
