"""Sheets of answers for people to label, drawn from scores."""
