"""One local page over a folder of runs: from the verdict down to the two answers that decide it."""
