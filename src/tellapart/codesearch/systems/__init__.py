"""Systems under test: one module for each kind of ``system_kinds``."""
