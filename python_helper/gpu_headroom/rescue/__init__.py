"""A training that failed, saved in a file, and the cell that resumes it."""
