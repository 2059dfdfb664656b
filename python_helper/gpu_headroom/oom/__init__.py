"""What happened when the GPU ran out of memory: the evidence."""
