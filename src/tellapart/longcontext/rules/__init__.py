"""Grading without a model: by values, by the rules of a key's author, and whole phrases of refusal."""
