"""The report of a failed cell: built, kept and displayed."""
