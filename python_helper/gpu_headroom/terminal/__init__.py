"""The text interface: `%gpu_headroom`, functions and `python -m gpu_headroom`."""
