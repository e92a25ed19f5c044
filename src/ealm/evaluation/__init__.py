"""Scores of systems on data with references: `ealm evaluate`."""
