"""Threads, locks, and use of the main thread, in a process shared with the user's code."""
