"""When to stop: which items to ask next, or that enough were asked."""
