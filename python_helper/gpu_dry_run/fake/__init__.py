"""What a dry run with made-up data has instead of what is not on this machine."""
