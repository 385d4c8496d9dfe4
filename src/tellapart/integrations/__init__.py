"""Inside the programs of others: each module is one of them, and imports it."""
