"""English text, without a model: words, sentences, lengths, word lists, writing."""
