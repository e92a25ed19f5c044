"""From a text to its summary: the `Summarizer`."""
