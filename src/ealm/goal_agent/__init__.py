"""The length-conditioned agent, which goes beyond the paper (docs/beyond.md)."""
