"""Cells: their runs, their sources, and the batch size set in them."""
