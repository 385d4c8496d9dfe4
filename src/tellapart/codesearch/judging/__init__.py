"""The judge: whether files belong to an issue, and how good a search was as a whole."""
