"""The static forms of a report."""
