"""Where the files of the tests are."""

from pathlib import Path

SUPPORT = Path(__file__).parent
"""What several tests share: fakes, tiny models, and scripts that are run on their own."""
