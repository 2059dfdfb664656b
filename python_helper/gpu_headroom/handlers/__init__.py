"""What a page may ask, and what answers it."""
