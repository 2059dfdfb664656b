"""Access to IPython and ipykernel: installing the helper, messages, and the running cell."""
