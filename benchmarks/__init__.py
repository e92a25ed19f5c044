"""Measurements: what the program costs, always as a ratio of two things in one run."""
