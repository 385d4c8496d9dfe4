"""The approved repositories, what of them may be read, and the tools that read it."""

from tellapart.codesearch.repositories.approved import MOST_BYTES, Repositories
from tellapart.codesearch.repositories.confinement import NotThere, OutOfBounds

__all__ = ["MOST_BYTES", "NotThere", "OutOfBounds", "Repositories"]
