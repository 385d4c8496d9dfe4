"""Language models in this suite: as matchers that order options, and as writers of summaries."""
