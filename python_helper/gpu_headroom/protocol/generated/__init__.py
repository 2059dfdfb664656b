"""What `python -m scripts.wire` makes of the schema."""
