"""What the report of a run says about language models."""
