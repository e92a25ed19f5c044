"""The network of the embedded parser: states to scores, scores to trees, and its weights on disk."""
