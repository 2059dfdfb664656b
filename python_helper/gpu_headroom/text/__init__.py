"""User-visible sentences, and how their numbers are formatted."""
