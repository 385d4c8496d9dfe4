"""A baseline against candidates: whether they are worse, by how much, on which items; and a gate for CI."""
