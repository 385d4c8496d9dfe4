"""Playing cases: which step comes when, what comes back, and what is written down of it."""
