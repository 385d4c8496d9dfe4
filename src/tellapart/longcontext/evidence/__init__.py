"""Where in a conversation the answer to a probe stands, and how far from the question."""
