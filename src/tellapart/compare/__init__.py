"""A baseline against candidates: whether they are worse, by how much, on which items; and a gate for CI."""

from tellapart.lazy import make_callable

make_callable(__name__)
