"""Dry runs: a notebook's cells on the simulated GPU, in a process of their own."""
