"""From a response to a grade."""
