"""What touches IPython and ipykernel: how the helper gets in, and how it talks."""
