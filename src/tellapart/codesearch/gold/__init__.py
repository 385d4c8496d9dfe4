"""Gold files: read from whoever says them, filtered by rule, and held against what was found."""
