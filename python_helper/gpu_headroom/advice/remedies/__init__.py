"""The remedies: each offers itself where the numbers support it."""
