"""Cost of running cells again, and values that are released before."""
