"""The card of a failed cell: built, kept and displayed."""
