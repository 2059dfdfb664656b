"""Inspection of foreign objects and classes without running their code."""
