"""Numbers, tables, charts and pages from stored records."""
