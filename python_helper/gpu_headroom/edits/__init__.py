"""Edits of code: each a pure function from the text of a cell to its text, or `None`."""
