"""Processes other than the kernel that work for its notebook."""
