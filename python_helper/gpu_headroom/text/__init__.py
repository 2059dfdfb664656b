"""Every sentence that a person reads, and how its numbers are written."""
