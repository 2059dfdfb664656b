"""Owners of GPU memory: the names that lead to storages, each of which is counted once.

Only dictionaries, slots, frames and C-level attributes of Python are read: no property, method or
`repr` of a foreign object is run, and no module is imported.
"""
