"""The page in a real browser: Playwright with the system's Chromium; skipped where there is none."""

import re
from itertools import cycle, islice, permutations
from typing import Any

import pytest
from page_tools import (
    Server,
    done,
    eventually,
    playwright_api,
    pytestmark,  # noqa: F401 - without a browser, all of these are skipped
    set_slider,
    shorten,
    summary,
)

TEXT = "The police minister finds a silver bridge in the quiet forest."
TWO = "The old engine burns in the forest. The police minister finds a silver bridge."


def test_an_example_is_there_at_the_start(page: Any, server: Server) -> None:
    page.goto("about:blank")
    page.goto(server.url)
    done(page)
    assert len(page.input_value("#text").split()) > 20
    assert 0 < len(summary(page).split()) <= 10
    assert page.get_attribute("#length", "value") == "1"
    assert page.input_value("#length") == "10"


def test_paste_and_drag_from_all_to_little(page: Any) -> None:
    shorten(page, TEXT)
    most = int(page.get_attribute("#length", "max"))
    assert most == len(TEXT.split())
    lengths = []
    for place in range(most, 0, -1):
        set_slider(page, place)
        lengths.append(len(summary(page).split()))
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] == len(TEXT.split())
    assert lengths[-1] <= 2


def test_the_slider_asks_nobody(page: Any) -> None:
    shorten(page, TEXT)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before = summary(page)
    set_slider(page, 1)
    assert summary(page) != before
    page.wait_for_timeout(300)
    assert not [url for url in asked if not url.endswith("/v1/compare")]


def test_the_first_summary_waits_for_no_curve(page: Any) -> None:
    """A curve that never comes: text, edits, pins and every length work, each asked for by itself."""
    page.route("**/v1/curve", lambda _route: None)
    page.fill("#text", TEXT)
    playwright_api.expect(page.locator("#facts")).to_contain_text("of 11 words")
    for limit in (9, 3):
        set_slider(page, limit)
        playwright_api.expect(page.locator("#length-value")).to_have_text(f"at most {limit} words")
        page.wait_for_selector(f"#facts:has-text('{len(summary(page).split())} of')")
    page.click(".word:has-text('silver')")
    page.wait_for_selector(".word.pinned")
    playwright_api.expect(page.locator("#summary")).to_contain_text("silver")


def test_a_late_answer_to_an_earlier_wish_is_not_shown(page: Any) -> None:
    held: list[Any] = []
    page.route("**/v1/curve", lambda _route: None)
    page.fill("#text", TEXT)
    playwright_api.expect(page.locator("#facts")).to_contain_text("of 11 words")
    page.route("**/v1/summarize", lambda r: held.append(r) if r.request.post_data_json["words"] == 9 else r.continue_())
    set_slider(page, 9)
    assert eventually(page, lambda: len(held) == 1)
    set_slider(page, 3)
    playwright_api.expect(page.locator("#facts")).to_contain_text(re.compile("^[1-3] of 11 words"))
    with page.expect_response("**/v1/summarize"):
        held[0].continue_()
    page.wait_for_timeout(300)
    playwright_api.expect(page.locator("#facts")).to_contain_text(re.compile("^[1-3] of 11 words"))
    assert page.input_value("#length") == "3"


def test_a_length_that_is_chosen_right_after_typing_is_meant_for_what_was_typed(page: Any) -> None:
    shorten(page, TEXT)
    page.evaluate(
        """() => {
          const box = document.querySelector('#text'), slider = document.querySelector('#length');
          box.value += '!';
          box.dispatchEvent(new Event('input'));
          slider.value = '2';
          slider.dispatchEvent(new Event('input'));
        }"""
    )
    done(page)
    page.wait_for_timeout(400)  # longer than the pause that ends typing
    assert page.input_value("#length") == "2"
    assert page.locator("#source .word").count() == 13


def test_a_curve_that_breaks_off_is_told_and_every_length_still_comes(page: Any) -> None:
    def break_off(route: Any) -> None:
        lines = route.fetch().text().splitlines(keepends=True)
        route.fulfill(body="".join(lines[:2]), content_type="application/x-ndjson")  # the text, and all of it

    page.route("**/v1/curve", break_off)
    shorten(page, TEXT)
    assert "broke off" in str(page.text_content("#status"))
    set_slider(page, 3)
    playwright_api.expect(page.locator("#facts")).to_contain_text(re.compile("^[1-3] of 11 words"))
    assert page.locator(".word.gone").count() > 6
    assert page.is_enabled("#play")


def test_a_busy_service_is_asked_again(page: Any) -> None:
    refused: list[str] = []

    def refuse_once(route: Any) -> None:
        if route.request.url in refused:
            route.continue_()
        else:
            refused.append(route.request.url)
            route.fulfill(status=429, headers={"Retry-After": "1"}, body="{}", content_type="application/json")

    page.route(re.compile("/v1/(summarize|curve)$"), refuse_once)
    shorten(page, TEXT)
    assert len(refused) == 2
    assert page.locator("#source .word").count() == 12
    assert page.text_content("#status") == ""


def test_the_curve_comes_while_it_is_worked_out(page: Any) -> None:
    lines: list[str] = []
    page.on("response", lambda r: r.url.endswith("/v1/curve") and lines.append(r.headers["content-type"]))
    shorten(page, TEXT)
    assert lines[-1].startswith("application/x-ndjson")


def test_recoverability_is_computed_when_asked_for(page: Any) -> None:
    bodies: list[Any] = []
    page.on("request", lambda r: r.method == "POST" and bodies.append(r.post_data_json))
    shorten(page, TEXT)
    assert bodies
    assert not any(body.get("recoverability") or body.get("reconstruction") for body in bodies)
    page.click("#view-rates")
    page.wait_for_selector("#curve circle.chosen")
    playwright_api.expect(page.locator("#reconstruction span")).to_have_count(12)
    playwright_api.expect(page.locator("#curve-help")).to_contain_text("%")


@pytest.mark.parametrize("view", ["words", "rates"])
def test_the_curve_is_large_and_can_be_clicked(page: Any, view: str) -> None:
    shorten(page, TEXT)
    page.click(f"#view-{view}")
    page.wait_for_selector("#curve rect, #curve circle.chosen")
    page.wait_for_timeout(200)
    box = page.locator("#curve svg").bounding_box()
    assert box["width"] > 800
    assert box["height"] >= 260
    page.click("#curve svg", position={"x": box["width"] - 30, "y": 200})
    long = int(page.input_value("#length"))
    page.click("#curve svg", position={"x": 90, "y": 25})
    assert int(page.input_value("#length")) < long
    assert summary(page)


def test_edits_are_marked_and_values_are_in_their_drawer(page: Any) -> None:
    shorten(page, TEXT)
    set_slider(page, 3)
    playwright_api.expect(page.locator(".word.gone").first).to_be_visible()
    assert "Q of" not in page.inner_text("body")
    page.click("#decided summary")
    rows = page.locator("#decisions tbody tr")
    playwright_api.expect(rows.first).to_be_visible()
    assert page.locator("#decisions th").all_text_contents() == [
        "",
        "word",
        "action",
        "Q of Remove",
        "Q of Keep",
        "Q of Replace",
    ]
    assert rows.first.locator("td").first.text_content() == "1"


def test_a_pinned_word_stays_at_every_length(page: Any) -> None:
    shorten(page, TEXT)
    page.click(".word:has-text('silver')")
    page.wait_for_selector(".word.pinned")
    done(page)
    set_slider(page, 1)
    assert "silver" in summary(page).lower()


def test_play_lets_words_leave_and_ends_where_it_began(page: Any) -> None:
    shorten(page, TEXT)
    set_slider(page, 4)
    assert eventually(page, lambda: len(summary(page).split()) <= 4)
    shown = summary(page)
    page.click("#play")
    assert page.text_content("#play") == "Stop"
    assert int(page.input_value("#length")) > 4
    page.wait_for_selector("#source.playing .word.gone", state="attached")
    page.locator("#source.playing .word.gone").first.wait_for(state="hidden")
    page.wait_for_selector("#play[aria-pressed=false]")
    assert page.text_content("#play") == "Play"
    assert eventually(page, lambda: summary(page) == shown)
    assert page.input_value("#length") == "4"


def test_play_can_be_stopped(page: Any) -> None:
    shorten(page, TEXT)
    set_slider(page, 2)
    page.click("#play")
    page.click("#play")
    at = page.input_value("#length")
    page.wait_for_timeout(1_500)
    assert page.input_value("#length") == at
    assert page.locator("#source.playing").count() == 0


def test_other_ways_stand_beside_it(page: Any) -> None:
    shorten(page, TEXT)
    set_slider(page, 3)
    page.locator("#compare-section").scroll_into_view_if_needed()
    titles = page.locator("#compare h3").all_text_contents()
    assert titles == ["ealm", "first words", "without stop words", "model embedded-paper"]
    cards = page.locator("#compare .text")
    count = len(summary(page).split())
    playwright_api.expect(cards.nth(1)).to_have_text(" ".join(TEXT.split()[:count]))
    assert "The" not in str(cards.nth(2).text_content()).split()
    playwright_api.expect(page.locator("#compare .old")).to_have_count(0)
    assert 0 < len(str(cards.nth(3).text_content()).split()) <= count


def test_copy_and_share_without_sending_the_text(page: Any, browser: Any, server: Server) -> None:
    shorten(page, TEXT)
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


@pytest.mark.parametrize(("width", "height"), [(1280, 640), (390, 660), (360, 600)])
def test_text_slider_and_summary_are_in_one_view(page: Any, width: int, height: int) -> None:
    """The heights are what browsers leave of a laptop's and a phone's screen."""
    page.set_viewport_size({"width": width, "height": height})
    for part in ("#text", "#length", "#summary", "#facts", "#play"):
        box = page.locator(part).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height, part


def test_the_keyboard_is_enough(page: Any) -> None:
    page.focus("#text")
    page.keyboard.press("Control+A")
    page.keyboard.type(TEXT)
    playwright_api.expect(page.locator("#facts")).to_contain_text("of 11 words", timeout=30_000)
    done(page)
    page.focus("#length")
    before = summary(page)
    page.keyboard.press("Home")
    assert eventually(page, lambda: len(summary(page)) < len(before))
    page.focus(".word >> nth=0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    playwright_api.expect(page.locator(".word.pinned")).to_have_text("minister")


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
    assert page.evaluate("window.hacked") is None
    assert page.locator("#source script, #source img, #summary *, #curve img, #compare img").count() == 0
    shown = page.evaluate(
        "[...document.querySelectorAll('#source .word')].map((e) => e.firstChild.textContent).join('')"
    )
    assert "".join(shown.split()) == "".join(text.split())


def test_a_long_text_works_one_length_at_a_time(page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    words = ["river", "bridge", "engine", "minister", "forest", "police", "zebra"]
    pairs = list(permutations(words, 2))[:60]
    shorten(page, " ".join(f"The old {one} rises in the {other} ." for one, other in islice(cycle(pairs), 60)))
    assert page.text_content("#length-value") == "at most 120 words"
    assert page.locator("#source .word").count() == 480
    assert page.is_hidden("#curve-section")
    assert page.locator("#summary.long").count() == 1  # prose, in smaller letters than a headline
    set_slider(page, 30)
    playwright_api.expect(page.locator("#facts")).to_contain_text(
        re.compile(r"^(30|[12]\d) of 480 words"), timeout=30_000
    )
    assert page.locator(".word.gone").count() > 400
    page.click("#play")
    page.wait_for_selector("#source.playing .word.gone", state="attached")
    page.click("#play")
    assert page.locator("#source.playing").count() == 0
    assert not any(url.endswith("/v1/curve") for url in asked)


def test_an_empty_box_says_what_to_do(page: Any) -> None:
    page.fill("#text", "")
    assert summary(page) == ""
    assert page.is_hidden("#result")
    assert "paste a text" in str(page.get_attribute("#text", "placeholder"))


def test_a_lost_service_is_told(browser: Any, server: Server) -> None:
    page = browser.new_page()  # the browser itself complains on the console about a lost connection
    page.goto(server.url)
    done(page)
    page.context.set_offline(True)
    page.fill("#text", TEXT)
    playwright_api.expect(page.locator("#status")).to_contain_text("cannot be reached")
    page.close()


def test_pinned_words_have_their_room(page: Any) -> None:
    shorten(page, TEXT)
    set_slider(page, 1)
    for word in ("police", "silver", "quiet"):
        page.click(f".word:has-text('{word}')")
        done(page)
    assert {"police", "silver", "quiet"} <= set(summary(page).lower().strip(".").split())
    assert page.input_value("#length") == "3"
