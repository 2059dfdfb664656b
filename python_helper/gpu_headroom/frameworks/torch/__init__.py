"""PyTorch: its allocators on CUDA, ROCm, XPU and MPS."""
