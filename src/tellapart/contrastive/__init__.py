"""Contrastive benchmarks: can a model pick the code that a summary describes."""
