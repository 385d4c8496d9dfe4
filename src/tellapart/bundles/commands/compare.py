"""Gates: two scoreboards compared, two pairs on two evals, and a model held to a floor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.bundles.commands.options import (
    EXISTING_SCOREBOARD,
    By,
    Mismatch,
    app,
    argument,
    finish,
    option,
)
from tellapart.cli.gate_options import JUnit, Markdown, OnUnclearOption, allowed_drop, leave_results
from tellapart.cli.output import Json, same_command
from tellapart.core.gate_outcome import OnUnclear

if TYPE_CHECKING:
    from tellapart.core.gate_outcome import GateOutcome
    from tellapart.report.gates import GateCase

Tier = Annotated[
    str | None,
    option("--tier", "Its bundles: tier1, tier2, tier3 or overall; by default tier3 if it can fail there."),
]


def _two_boards(flag: str, help_: str) -> Any:
    return option(flag, help_, metavar="BASELINE CANDIDATE", callback=EXISTING_SCOREBOARD)


def _end(
    context: typer.Context,
    cases: list[GateCase],
    outcome: GateOutcome | None,
    on_unclear: OnUnclear,
    junit: Path | None,
) -> None:
    """Leave the gates for the program that runs them, and end with their exit code."""
    leave_results(context.command_path, cases, on_unclear, junit)
    if outcome is not None:
        raise typer.Exit(outcome.exit_code(on_unclear))


@app.command()
def compare(
    context: typer.Context,
    a: Annotated[Path, argument("Scoreboard of the baseline.", check=EXISTING_SCOREBOARD)],
    b: Annotated[Path, argument("Scoreboard of the candidate.", check=EXISTING_SCOREBOARD)],
    max_drop: Annotated[
        float | None,
        typer.Option(
            "--max-drop",
            parser=allowed_drop,
            metavar="<float>",
            help="Gate: largest allowed drop of B's pass rate; 0.02 is 2 points.",
        ),
    ] = None,
    tier: Tier = None,
    on_unclear: OnUnclearOption = OnUnclear.FAIL,
    by: By = None,
    markdown: Markdown = None,
    junit: JUnit = None,
    allow_fingerprint_mismatch: Mismatch = False,
    as_json: Json = False,
) -> None:
    """Compare a candidate B with a baseline A, bundle by bundle.

    Differences are B minus A.

    A gate ends with exit code 0 (passed), 3 (failed) or 4 (unclear); a refused comparison with 1.
    """
    from tellapart.bundles.compare import compare as compare_boards
    from tellapart.bundles.gates import check_tier
    from tellapart.bundles.page import comparison as pages
    from tellapart.bundles.results import check_outs

    tier = None if tier is None else check_tier(tier)
    check_outs([markdown, junit], [a, b])
    mismatch = allow_fingerprint_mismatch
    result = compare_boards(a, b, max_drop=max_drop, tier=tier, allow_fingerprint_mismatch=mismatch, by=by)
    every = same_command(context, "--json")
    finish(pages.document(result, every), result, as_json=as_json, markdown=markdown)
    _end(context, pages.gate_cases(result, every), result.outcome, on_unclear, junit)


@app.command()
def canary(
    context: typer.Context,
    board: Annotated[
        Path, argument("A model's scoreboard on the canaries.", "SCOREBOARD", EXISTING_SCOREBOARD)
    ],
    floor: Annotated[
        float,
        typer.Option(
            "--floor", parser=allowed_drop, metavar="<float>", help="Share of bundles that must pass."
        ),
    ] = "0.9",  # type: ignore[assignment]
    tier: Annotated[
        str, typer.Option("--tier", help="Bundles that count: tier1, tier2, tier3 or overall.")
    ] = "overall",
    on_unclear: OnUnclearOption = OnUnclear.FAIL,
    markdown: Markdown = None,
    junit: JUnit = None,
    as_json: Json = False,
) -> None:
    """Check that a model passes its canaries: bundles that no model may lose.

    Ends with exit code 0 (passed), 3 (failed) or 4 (unclear).
    """
    from tellapart.bundles.gates import canary as hold
    from tellapart.bundles.gates import check_tier
    from tellapart.bundles.page import comparison as pages
    from tellapart.bundles.results import check_outs

    check_outs([markdown, junit], [board])
    result = hold(board, floor=floor, tier=check_tier(tier))
    shown = pages.canaries(result, same_command(context, "--json"))
    finish(shown, result, as_json=as_json, markdown=markdown)
    _end(context, [pages.canary_case(result)], result.outcome, on_unclear, junit)


@app.command()
def gate(
    context: typer.Context,
    frozen: Annotated[tuple[Path, Path], _two_boards("--frozen", "Scoreboards of both on the frozen eval.")],
    organic: Annotated[
        tuple[Path, Path], _two_boards("--organic", "Scoreboards of both on the organic eval.")
    ],
    max_drop: Annotated[
        float,
        typer.Option(
            "--max-drop",
            parser=allowed_drop,
            metavar="<float>",
            help="Largest allowed drop of either pass rate; 0.02 is 2 points.",
        ),
    ] = 0.02,
    tier: Tier = None,
    on_unclear: OnUnclearOption = OnUnclear.FAIL,
    markdown: Markdown = None,
    junit: JUnit = None,
    allow_fingerprint_mismatch: Mismatch = False,
    as_json: Json = False,
) -> None:
    """Pass a candidate only if it falls on neither of two evals.

    Ends with exit code 0 (passed), 3 (failed) or 4 (unclear); a refused comparison with 1.
    """
    from tellapart.bundles.compare import gate_two_evals
    from tellapart.bundles.gates import check_tier
    from tellapart.bundles.page import comparison as pages
    from tellapart.bundles.results import check_outs

    check_outs([markdown, junit], [*frozen, *organic])
    result = gate_two_evals(
        frozen,
        organic,
        max_drop=max_drop,
        tier=None if tier is None else check_tier(tier),
        allow_fingerprint_mismatch=allow_fingerprint_mismatch,
    )
    every = same_command(context, "--json")
    finish(pages.two_evals(result, every), result, as_json=as_json, markdown=markdown)
    _end(context, pages.two_cases(result, every), result.outcome, on_unclear, junit)
