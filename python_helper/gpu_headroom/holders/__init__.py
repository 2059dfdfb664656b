"""Who holds what: from names to the storages behind them, each counted once.

Reads only what Python keeps in dictionaries, slots, frames and C-level attributes: no
property, method or `repr` of a foreign object is run, and nothing is imported.
"""
