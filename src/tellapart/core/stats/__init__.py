"""Intervals, tests, corrections and sample sizes."""
