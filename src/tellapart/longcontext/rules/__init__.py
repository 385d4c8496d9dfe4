"""A response against a right answer in words, without a model: what it claims, and what that is worth."""
