"""What this process was given to keep to itself, and what the programs that it starts are given of it."""
