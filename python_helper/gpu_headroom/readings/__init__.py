"""Readings of GPU and host memory: their sources, how they are merged, and how often."""
