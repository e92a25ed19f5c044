"""CMatch: unsupervised summarization by contextual matching (Zhou and Rush, ACL 2019).

A beam search writes the summary word by word. Two experts judge each word: one compares the summary so far with the
prefixes of the source under a left-to-right encoder, the other is a language model of headlines. Written from the
published description alone; `docs/baselines.md` says what it leaves open and what was chosen.
"""
