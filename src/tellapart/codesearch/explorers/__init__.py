"""Explorers: each finds the files of an issue in its own way, and never sees what the system found."""
