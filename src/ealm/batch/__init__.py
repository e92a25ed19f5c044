"""Files of rows, of any size."""
