"""Shorter words on the page: asked for with a tick, shown with the words that they stand for, kept in a link."""

from typing import Any

from page_tools import browser, done, page, pytestmark, server, set_slider, shorten, summary

__all__ = ["browser", "page", "pytestmark", "server"]  # fixtures, and where there is no browser nothing runs

TEXT = "The prime minister finds a silver bridge in the United States and 7.4 percent of the forest."


def longest_but_one(page: Any, *, expected: str) -> None:
    """Choose that length until the page has what is expected there: the answer to a tick takes its time.

    Asked for from here, because the page's policy forbids the browser to evaluate a condition again and again.
    """
    for _ in range(300):
        set_slider(page, int(page.get_attribute("#length", "max")) - 1)
        if expected in summary(page):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{expected} never came: {summary(page)}")


def test_a_tick_brings_shorter_words(page: Any) -> None:
    shorten(page, TEXT)
    page.click("#options summary")
    page.check("#option-reword")
    done(page)
    longest_but_one(page, expected="premier")
    assert summary(page) == "The premier finds a silver bridge in the U.S. and 7.4% of the forest."
    assert page.locator("#source ins").all_text_contents() == ["premier", "U.S.", "7.4%"]
    struck = page.locator("#source .word.gone").all_text_contents()
    assert struck == ["prime", "minister", "United", "States", "7.4", "percent"]
    set_slider(page, int(page.get_attribute("#length", "max")))
    assert summary(page) == TEXT


def test_a_link_keeps_the_tick(page: Any) -> None:
    page.click("#options summary")
    page.check("#option-reword")
    shorten(page, TEXT)
    page.click("#share")
    page.wait_for_selector("#status:has-text('link')")
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    done(page)
    assert page.is_checked("#option-reword")
