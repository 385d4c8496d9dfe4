"""Reports of the suite ``bundles``: one module a kind of figures."""
