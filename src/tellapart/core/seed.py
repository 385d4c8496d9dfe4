"""The seed of everything that is drawn, where no other is given."""

SEED = 42

MOST_SEED = 2**63 - 1
"""Of a command's ``--seed``, which is 0 or more: what records and tables hold."""
