"""The loop: search, evaluate, learn, and again, until there is a reason to stop."""
