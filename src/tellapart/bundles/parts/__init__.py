"""Evals of any size, in many files, scored part by part by an engine."""
