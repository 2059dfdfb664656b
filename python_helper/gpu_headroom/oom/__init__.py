"""A GPU that ran out of memory: recognised, captured, measured, reported."""
