"""Dependency parses: which word hangs on which, and how."""
