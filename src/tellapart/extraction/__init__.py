"""From a repository to its units: files, syntax trees, copies."""
