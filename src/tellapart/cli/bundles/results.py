"""Results: scoreboards compared, frontiers, seeds, exposure."""
