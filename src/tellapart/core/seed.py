"""The seed of everything that is drawn, where no other is given."""

SEED = 42
