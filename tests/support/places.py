"""Where the files of the tests are."""

from pathlib import Path

TESTS = Path(__file__).parent.parent
"""All tests."""

SUPPORT = TESTS / "support"
"""What several tests share: fakes, tiny models, and scripts that are run on their own."""
