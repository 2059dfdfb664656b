"""One file per framework: what it holds on each device, as it says itself."""
