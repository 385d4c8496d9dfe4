"""The figures of an evaluation, made from its cases alone; no files, no models."""
