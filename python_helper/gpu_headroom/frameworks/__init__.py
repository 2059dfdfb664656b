"""One folder per framework, and their common parts."""
