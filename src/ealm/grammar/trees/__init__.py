"""The tree of a sentence: the parse, mended and rearranged to what leaving out follows."""
