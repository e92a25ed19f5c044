"""CMatch: unsupervised summarization by contextual matching (Zhou and Rush, ACL 2019).

A beam search writes the summary word by word. Two experts judge each word: one compares the summary so far with the
prefixes of the source under a left-to-right encoder, the other is a language model of headlines. Written anew after
the paper and the behaviour of its authors' program; `docs/baselines.md` says where it differs.
"""
