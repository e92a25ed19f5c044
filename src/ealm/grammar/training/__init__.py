"""Training a parser from a teacher."""
