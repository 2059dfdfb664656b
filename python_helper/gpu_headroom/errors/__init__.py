"""Contents of error messages of any size, and whether they report a full GPU."""
