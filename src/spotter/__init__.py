"""Spotter: the open platform for AI coaches and AI gym staff."""

__version__ = "0.1.0"
