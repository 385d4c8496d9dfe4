"""Cases of the sizes that one iteration of another pipeline recorded; files are numbers."""

from tellapart.codesearch.model import RECORDED, Case, Explored, Failed, JudgeVerdict

GONE = JudgeVerdict(None, failure=Failed("judge", RECORDED, "Judge failed to evaluate"))

"""Precision and recall of each conversation."""


def recorded_cases():
    """The judge failed in two of three; run A of the first found nothing, without an error."""
    return [
        _case("conv-1", ours=range(100), a=(), b=range(97, 124), verdicts=dict.fromkeys(range(97), GONE)),
        _case(
            "conv-2",
            ours=range(100),
            a=range(100, 152),
            b=range(134, 173),
            verdicts=dict.fromkeys(range(100), GONE),
        ),
        # The judge was also asked about the two files that an exploration found, and calls them relevant.
        _case(
            "conv-3",
            ours=range(53),
            a=range(51, 79),
            b=range(74, 111),
            verdicts={n: JudgeVerdict(n < 7 or n > 50, "yes" if n < 4 else "maybe") for n in range(53)},
        ),
    ]


def _case(name, *, ours, a, b, verdicts):
    return Case(
        id=name,
        issue_summary=f"issue of {name}",
        files=_files(ours),
        run_a=Explored("claude-opus-4-20250514", _files(a)),
        run_b=Explored("claude-sonnet-4-20250514", _files(b)),
        verdicts=dict(zip(_files(verdicts), verdicts.values(), strict=True)),
    )


def _files(numbers):
    return tuple(f"repo/{number:03}" for number in numbers)
