"""tellapart: evaluations that tell models apart."""
