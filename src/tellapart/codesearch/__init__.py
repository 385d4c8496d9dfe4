"""Codebase search: a system's files against two blind explorations, judged."""
