"""``tellapart compare``: is a candidate worse than the baseline; as a table, or as a gate for CI."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from tellapart.audit.options import PRIMARY, PlannedItems, ResamplingSeed, Sesoi
from tellapart.cli.gate_options import JUnit, Markdown, OnUnclearOption, allowed_drop, leave_results
from tellapart.cli.inputs import existing_or_pattern
from tellapart.cli.output import Json, MetricsJson, print_json, same_command, say, show, write_tracked
from tellapart.cli.progress import reporter
from tellapart.cli.settings import with_settings
from tellapart.core.comparison_settings import ComparisonSettings
from tellapart.core.gate_outcome import OnUnclear
from tellapart.core.seed import SEED
from tellapart.errors import UsageError, placed
from tellapart.readers.settings import ReadingSettings, source_path


@dataclass(frozen=True)
class CompareSettings(ComparisonSettings):
    """The settings of a comparison, as its options."""

    by: Annotated[
        str | None,
        typer.Option("--by", help="Column to break items down by; the first suitable one by default."),
    ] = None
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="The baseline, if its source holds several models.")
    ] = None
    primary: Annotated[
        tuple[str, str] | None,
        typer.Option("--primary", metavar="COLUMN=VALUE", help="Restrict verdict and gate to these items."),
        PRIMARY,
    ] = None
    sesoi: Sesoi = None
    plan: PlannedItems = None
    seed: ResamplingSeed = SEED


@with_settings
def compare(
    context: typer.Context,
    scores: Annotated[
        list[Path],
        typer.Argument(
            metavar="BASELINE CANDIDATE…",
            help="Score tables, run directories, or folders and logs of other harnesses, the baseline first; "
            "or a single source that holds all models, with --baseline.",
            show_default=False,
            parser=source_path,
            callback=existing_or_pattern,
        ),
    ],
    max_drop: Annotated[
        float | None,
        typer.Option(
            "--max-drop",
            parser=allowed_drop,
            metavar="<float>",
            help="Gate: largest allowed drop of the mean score, in score units; 0.02 is 2 points of a rate.",
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy",
            metavar="FILE",
            help="Gate on several benchmarks by a policy file: baseline and candidate are directories with "
            "an entry for each benchmark.",
        ),
    ] = None,
    pass_k: Annotated[
        int | None,
        typer.Option(
            "--pass-k",
            min=2,
            metavar="K",
            help="Score items by the chance that K answers are all right; takes K replicates or more.",
        ),
    ] = None,
    on_unclear: OnUnclearOption = OnUnclear.FAIL,
    candidate: Annotated[
        list[str] | None,
        typer.Option(
            "--candidate", help="A candidate, if not all models of the other sources are; repeat for several."
        ),
    ] = None,
    *,
    reading: ReadingSettings,
    settings: CompareSettings,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse logs of different judges, prompts, data or versions.")
    ] = False,
    markdown: Markdown = None,
    junit: JUnit = None,
    html: Annotated[
        Path | None, typer.Option("--html", writable=True, help="Write a page.", metavar="FILE")
    ] = None,
    metrics_json: MetricsJson = None,
    as_json: Json = False,
) -> None:
    """Test whether a candidate is worse than a baseline.

    It also says by how much, how sure that is, and on which items they differ.

    With --max-drop or --policy it is a gate: exit code 0 (passed), 3 (failed) or 4 (unclear).
    """
    from tellapart.compare import page as pages
    from tellapart.compare.run import compare_reading
    from tellapart.readers import item_texts, matching_paths, read_scores, with_patterns
    from tellapart.report.output import write
    from tellapart.report.terminal import terminal
    from tellapart.store import check_outs

    reading, sources = replace(reading, strict=strict), with_patterns(scores)
    check_outs([html, markdown, junit, metrics_json], [*matching_paths(scores), reading.qrels])
    progress = reporter(lines=False)
    if policy is not None:
        from tellapart.compare.policy import OUTCOMES, judge_policy, read_policy

        others = {
            "--max-drop": max_drop,
            "--pass-k": pass_k,
            "--candidate": candidate,
            "--metrics-json": metrics_json,
        }
        _check_policy(
            scores, [name for name, value in others.items() if value is not None], reading, settings
        )
        allowed = read_policy(policy)
        with placed(policy):
            judged = judge_policy(scores[0], scores[1], allowed, progress=progress)
        print_json(judged.model_dump(mode="json")) if as_json else show(
            *terminal(pages.policy_document(judged))
        )
        for path in write(
            lambda: pages.policy_document(judged), html=html, markdown=markdown, progress=progress
        ):
            say(f"wrote {path}")
        leave_results("tellapart compare", pages.policy_cases(judged), on_unclear, junit)
        raise typer.Exit(OUTCOMES[judged.verdict].exit_code(on_unclear))
    read = read_scores(sources, reading, apart=len(scores) > 1, progress=progress)
    record = compare_reading(
        read, settings, max_drop=max_drop, candidates=candidate or (), pass_k=pass_k, progress=progress
    )
    texts = item_texts(sources, reading, read.models) if html or markdown or junit else pages.NO_TEXTS
    every = same_command(context, "--json")
    for note in record.notes:
        say(f"note: {note}")
    if as_json:
        print_json(record.model_dump(mode="json"))
    else:
        show(*terminal(pages.document(record, every)))
    for path in write(
        lambda: pages.document(record, every, texts), html=html, markdown=markdown, progress=progress
    ):
        say(f"wrote {path}")
    write_tracked(metrics_json, lambda: record.tracked)
    leave_results("tellapart compare", pages.gate_cases(record, every, texts), on_unclear, junit)
    if record.outcome is not None:
        raise typer.Exit(record.outcome.exit_code(on_unclear))


def _check_policy(
    scores: list[Path], others: list[str], reading: ReadingSettings, settings: CompareSettings
) -> None:
    """See that nothing else is asked with a policy, which says itself how benchmarks are judged."""
    if others or reading != ReadingSettings() or settings != CompareSettings():
        raise UsageError(
            f"--policy is given with {', '.join(others) or 'options of how scores are read or compared'}",
            next_step="Say in the policy file what is allowed, or gate one benchmark by --max-drop",
        )
    if len(scores) != 2:
        raise UsageError(
            f"--policy is given with {len(scores)} sources, expected a baseline and a candidate directory"
        )
