"""The masked language model and the sentence encoder."""
