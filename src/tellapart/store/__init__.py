"""Run directories: what was run, on what, with which result."""
