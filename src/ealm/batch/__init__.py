"""Jobs over files: rows in, the same rows with summaries out, in order, in constant memory, and nothing lost."""
