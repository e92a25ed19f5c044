"""The page in a real browser: Playwright with the system's Chromium; skipped where there is none."""

import re
from typing import Any

import pytest
from page_tools import (
    Server,
    playwright_api,
    pytestmark,  # noqa: F401 - without a browser, all of these are skipped
    rated,
    set_slider,
    shorten,
    summary,
)

TEXT = "The police minister finds a silver bridge in the quiet forest."
TWO = "The old engine burns in the forest. The police minister finds a silver bridge."


def test_paste_and_drag_from_all_to_little(page: Any) -> None:
    shorten(page, TEXT)
    rated(page)
    most = int(page.get_attribute("#length", "max"))
    lengths = []
    for place in range(most, -1, -1):
        set_slider(page, place)
        lengths.append(len(summary(page).split()))
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] == len(TEXT.split())
    assert lengths[-1] <= 2


def test_the_slider_asks_nobody(page: Any) -> None:
    shorten(page, TEXT)
    rated(page)
    page.wait_for_selector("#reconstruction span")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before = summary(page)
    set_slider(page, 0)
    assert summary(page) != before
    assert asked == []


def test_edits_are_marked_and_thoughts_told(page: Any) -> None:
    shorten(page, TEXT)
    rated(page)
    set_slider(page, 1)
    assert page.locator(".word.removed").count() > 0
    page.hover(".word >> nth=1")
    assert re.search(r"“police”: (Keep|Remove|Replace), decision \d+\. Q: Remove", page.text_content("#thought"))


def test_a_pinned_word_stays_at_every_length(page: Any) -> None:
    shorten(page, TEXT)
    rated(page)
    page.click(".word:has-text('silver')")
    page.wait_for_selector(".word.pinned")
    rated(page)
    set_slider(page, 0)
    assert "silver" in summary(page).lower()


def test_play_shows_the_decisions_and_ends_where_it_began(page: Any) -> None:
    shorten(page, TEXT)
    rated(page)
    set_slider(page, 2)
    removed = page.locator(".word.removed").count()
    page.click("#play")
    assert page.get_attribute("#play", "aria-pressed") == "true"
    page.wait_for_selector(".word.now")
    page.wait_for_selector("#play[aria-pressed=false]")
    assert page.locator(".word.removed").count() == removed


def test_balance_bytes_and_words(page: Any) -> None:
    shorten(page, TEXT)
    rated(page)
    page.select_option("#unit", "bytes")
    assert str(page.text_content("#length-value")).endswith(" bytes")
    page.select_option("#unit", "balance")
    assert page.is_disabled("#length")
    assert summary(page)


def test_several_sentences_have_their_bars(page: Any) -> None:
    shorten(page, TWO)
    rated(page)
    assert page.locator(".bar").count() == 2
    set_slider(page, 0)
    assert "dropped" in str(page.text_content("#bars"))


def test_a_reconstruction_and_simple_ways_beside_it(page: Any) -> None:
    shorten(page, TEXT)
    rated(page)
    set_slider(page, 2)
    playwright_api.expect(page.locator("#reconstruction span")).to_have_count(12)
    assert str(page.text_content("#lead")).startswith("The police")
    assert "The" not in str(page.text_content("#stopwords")).split()


def test_copy_and_share_without_sending_the_text(page: Any, browser: Any, server: Server) -> None:
    shorten(page, TEXT)
    rated(page)
    set_slider(page, 3)
    shown = summary(page)
    page.click("#copy")
    assert page.evaluate("navigator.clipboard.readText()") == shown
    page.click("#share")
    playwright_api.expect(page.locator("#status")).to_contain_text("link")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{server.url}/#")
    other = browser.new_page()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(link)
    playwright_api.expect(other.locator("#summary")).to_have_text(shown, timeout=30_000)
    assert not any("silver" in url for url in asked)
    other.close()


def test_light_and_dark_are_readable(page: Any) -> None:
    def contrast() -> float:
        return float(
            page.evaluate(
                """() => {
                const style = getComputedStyle(document.body);
                const light = (colour) => {
                  const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map((v) => v / 255)
                    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                };
                const [a, b] = [light(style.color), light(style.backgroundColor)].sort((x, y) => y - x);
                return (a + 0.05) / (b + 0.05);
                }"""
            )
        )

    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert contrast() >= 4.5
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    assert contrast() >= 4.5


def test_a_phone_shows_all_without_scrolling_sideways(page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    shorten(page, "x" * 300 + " " + TWO)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_keyboard_is_enough(page: Any) -> None:
    page.focus("#text")
    page.keyboard.type(TEXT)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#result:not([hidden])")
    rated(page)
    page.focus("#length")
    before = summary(page)
    page.keyboard.press("Home")
    assert len(summary(page)) < len(before)
    page.focus(".word >> nth=2")
    page.keyboard.press("Enter")
    page.wait_for_selector(".word.pinned")


def test_every_control_has_a_name(page: Any) -> None:
    shorten(page, TEXT)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, textarea')].filter((e) =>
            !(e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.outerHTML)"""
    )
    assert nameless == []


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.hacked = 1</script> The river rises <img src=x onerror='window.hacked = 1'> today.",
        "نص عربي طويل يروي قصة النهر والجسر القديم",
        "The river 🌊👩‍👩‍👧 rises 𝒯𝑜𝒹𝒶𝓎 e\u0301 \u202eabc\u202c.",
        '"><svg onload=alert(1)> {{7*7}} ${7*7} &lt;b&gt;',
        "a\x00b \u200b\ufeff zero",
    ],
)
def test_nasty_text_is_text(page: Any, text: str) -> None:
    shorten(page, text)
    rated(page)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#source script, #source img, #summary *").count() == 0
    shown = page.evaluate(
        "[...document.querySelectorAll('#source .word')].map((e) => e.firstChild.textContent).join('')"
    )
    assert "".join(shown.split()) == "".join(text.split())


def test_a_long_text_is_not_cut_silently(page: Any) -> None:
    shorten(page, "The river rises in the quiet forest . " * 60)
    assert "480 words" in str(page.text_content("#length-value"))
    assert page.locator("#source .word").count() == 480
    assert "every length is worked out" in str(page.text_content("#status"))


def test_mistakes_and_a_lost_service_are_told(page: Any) -> None:
    page.click("#go")
    assert "first" in str(page.text_content("#status"))
    page.context.set_offline(True)
    page.fill("#text", TEXT)
    page.click("#go")
    playwright_api.expect(page.locator("#status")).to_contain_text("cannot be reached")
    page.context.set_offline(False)
