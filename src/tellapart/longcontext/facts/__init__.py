"""Numbers, names and identifiers of a text, and whether another text states them."""
