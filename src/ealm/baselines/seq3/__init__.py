"""SEQ3: two chained encoder-decoders whose middle sequence is the summary (Baziotis et al., NAACL 2019).

Written from the published description of the method; docs/baselines.md says where this departs from it.
"""
