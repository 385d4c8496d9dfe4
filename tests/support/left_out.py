"""What was left out of a repository, by its cause."""


def by_cause(skipped):
    """The things that were left out for each cause, as text."""
    return {
        cause: tuple(str(thing) for thing in skipped.things if thing.cause == cause)
        for cause in skipped.counts
    }
