"""A table of mean scores by task, audited: which neighbours are separated, and by which tasks."""
