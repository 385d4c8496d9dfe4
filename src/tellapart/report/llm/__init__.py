"""What the report of any suite says about language models."""
