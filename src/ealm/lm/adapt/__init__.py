"""Fitting a masked language model to a corpus: `ealm adapt`."""
