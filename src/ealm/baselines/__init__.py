"""Systems that the paper compares with."""
