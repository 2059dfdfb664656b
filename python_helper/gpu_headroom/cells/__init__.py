"""Cells: their runs, their source, and the batch that is set in it."""
