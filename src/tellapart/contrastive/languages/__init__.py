"""One file a language: how its syntax tree is cut into units."""
