"""Generators of programs, one for each kind of edits, found by the names of their files."""
