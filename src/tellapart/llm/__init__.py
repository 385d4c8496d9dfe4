"""Language models: typed questions, a journal of every call, and what they cost."""
