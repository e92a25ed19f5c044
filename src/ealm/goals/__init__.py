"""Beyond the paper: an agent that is told how long its draft shall be, and what a good draft is (docs/beyond.md)."""
