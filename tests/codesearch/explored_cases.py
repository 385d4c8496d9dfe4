"""Cases with files of one's choice; a file is one letter."""

from tellapart.codesearch.model import Case, Explored, Failed, JudgeVerdict

FAILED = Failed("timeout", "timeout", "no end in 600 s")


def files(letters):
    return tuple(f"repo/{letter}" for letter in letters)


def explored(name, letters):
    """What an explorer found; None for a failure."""
    return Explored(name, (), FAILED) if letters is None else Explored(name, files(letters))


def case(
    number, a, b, ours="", *, again_a=False, again_b=False, area="uncertain", judged=None, names=("ax", "bx")
):
    """A conversation; ``judged`` says which letters are relevant of those that only we found."""
    only_ours = set(ours) - set(a or "") - set(b or "")
    verdicts = {} if judged is None else {f"repo/{f}": JudgeVerdict(f in judged) for f in sorted(only_ours)}
    return Case(
        id=str(number),
        issue_summary=f"issue {number}",
        product_area=area,
        files=files(ours),
        run_a=explored(names[0], a),
        run_b=explored(names[1], b),
        verdicts=verdicts,
        retest_a=None if again_a is False else explored(names[0], again_a),
        retest_b=None if again_b is False else explored(names[1], again_b),
    )
