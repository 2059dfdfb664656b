"""Trends over time, while a cell runs and from run to run, and the warnings they cause."""
