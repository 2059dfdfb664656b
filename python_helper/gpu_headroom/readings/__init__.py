"""What the GPUs and the host hold: each source read, put together, and how often."""
