"""What may be left out of a tree: which word needs which, at what cost, and which marks stay."""
