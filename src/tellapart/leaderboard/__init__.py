"""A table of mean scores by task, audited: which models are separated over these tasks."""

from tellapart.lazy import make_callable

make_callable(__name__)
