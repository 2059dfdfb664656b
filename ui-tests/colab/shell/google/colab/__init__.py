"""As much of Colab's Python package as the helper meets, written for these tests."""
