"""Replacements, with made-up data, of what is not on this machine."""
