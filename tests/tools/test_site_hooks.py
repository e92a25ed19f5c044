"""Links of pages that are written for the repository, on the site."""

import pytest

from tools.site_hooks import github_slug, on_page_markdown, rebased


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[how](../CONTRIBUTING.md#style)", "[how](contributing.md#style)"),
        ("[code](../src/ealm/ray.py)", "code"),
        ("[`a.py`](../examples/a.py) and [b](text.md)", "`a.py` and [b](text.md)"),
        ("`[x](../src/y)`", "`[x](../src/y)`"),
        ("```\n[x](../src/y)\n```", "```\n[x](../src/y)\n```"),
    ],
)
def test_links_out_of_the_folder_lead_to_a_page_or_are_text(text: str, expected: str) -> None:
    assert on_page_markdown(text) == expected


def test_pages_of_the_project_are_moved_into_the_folder() -> None:
    text = "![page](docs/page.png) [a](docs/text.md#words) [b](SECURITY.md) [c](https://example.org) [d](#here)"
    moved = "![page](page.png) [a](text.md#words) [b](../SECURITY.md) [c](https://example.org) [d](#here)"
    assert rebased(text, "docs/") == moved


def test_headings_are_named_as_on_github() -> None:
    assert github_slug("summarize(texts, *, ...)", "-") == "summarizetexts--"
