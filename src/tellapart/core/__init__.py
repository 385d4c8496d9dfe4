"""Pure figures: no files, clock, network or global random state."""
