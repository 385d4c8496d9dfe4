"""Models that score documents for queries."""
