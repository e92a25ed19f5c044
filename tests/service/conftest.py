"""Fixtures of the tests that open the page."""

from page_tools import browser, page, server

__all__ = ["browser", "page", "server"]
