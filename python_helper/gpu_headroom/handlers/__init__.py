"""Handlers of the front ends' requests."""
