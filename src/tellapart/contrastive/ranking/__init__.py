"""Writers of summaries ranked: three sources of evidence, one order, and how sure it is."""
