"""One folder per framework, and what all have in common."""
