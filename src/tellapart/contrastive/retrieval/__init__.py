"""Writers of summaries compared by retrieval: each one's summaries are an index, and queries search it."""
