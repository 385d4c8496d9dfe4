"""A conversation that grows, with checkpoints: played against a model, linted, and graded."""
