"""Systems under test: one module for each kind of ``codesearch.kinds``."""
