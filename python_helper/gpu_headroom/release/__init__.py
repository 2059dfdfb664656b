"""Giving memory back: what can be freed, freeing it, and what came of it, measured.

The safe set is `traceback`, `outputs`, `garbage`, `cache`: no variable that the user named is
removed. Everything else has to be confirmed by its id. Call between cells, or from a cell, on
the main thread.
"""
