"""Every command of the tour prints what the page says."""

from tools.tour import PAGE, commands, updated


def test_the_tour_shows_what_is_printed() -> None:
    """If summaries have changed for the better: python tools/tour.py."""
    page = PAGE.read_text(encoding="utf-8")
    assert len(commands(page)) == 12
    assert updated(page) == page


def test_an_output_that_is_not_true_any_more_is_found() -> None:
    page = '```console\n$ ealm summarize --words 3 "The river rises."\nSomething else.\n```\n'
    assert updated(page) == page.replace("Something else.", "The river rises.")
