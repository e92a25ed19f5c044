"""Shorter words on the page: asked for with a tick, shown with the words that they stand for, kept in a link."""

from typing import Any

from page_tools import browser, page, pytestmark, rated, server, set_slider, shorten, summary

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
    rated(page)
    page.check("#reword")
    longest_but_one(page, expected="premier")
    assert summary(page) == "The premier finds a silver bridge in the U.S. and 7.4% of the forest."
    assert page.locator("#source .new").all_text_contents() == ["premier", "U.S.", "7.4%"]
    struck = page.locator("#source .word.removed, #source .word.replaced")
    assert [text.split(" (")[0] for text in struck.all_text_contents()] == [
        *("prime", "minister", "United", "States", "7.4", "percent"),
    ]
    set_slider(page, int(page.get_attribute("#length", "max")))
    assert summary(page) == TEXT


def test_a_word_that_went_with_others_says_so(page: Any) -> None:
    page.check("#reword")
    shorten(page, TEXT)
    rated(page)
    set_slider(page, int(page.get_attribute("#length", "max")) - 1)
    page.hover("#source [data-place='2']")
    assert "“minister”: nothing was decided on it, it went with the words beside it" in page.text_content("#thought")


def test_a_link_keeps_the_tick(page: Any) -> None:
    page.check("#reword")
    shorten(page, TEXT)
    page.click("#share")
    page.wait_for_selector("#status:has-text('link')")
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("#result:not([hidden])")
    assert page.is_checked("#reword")
