"""The method of the paper: one module for each of its concepts (docs/paper.md)."""
