"""The notebook on a simulated GPU of the tests of everything that frees."""

from tests.release.conftest import notebook

__all__ = ["notebook"]
