"""The records of the suite: what its commands print as JSON, store in their runs and show on their page."""
