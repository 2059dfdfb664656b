"""As much of Colab's Python package as the helper meets, written for these tests."""

from . import output as output
