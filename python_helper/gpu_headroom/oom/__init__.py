"""Evidence of a failed GPU allocation, collected after the error."""
