"""``grade``, ``agreement`` and ``report``: grades, what people say of them, and their report."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.audit.linked_audit import write_linked_audit
from tellapart.cli.dry_run import print_estimates
from tellapart.cli.llm_options import check_named
from tellapart.cli.output import Json, MetricsJson, print_json, print_line, say, show, warn, write_tracked
from tellapart.cli.progress import reporter
from tellapart.cli.settings import given_flags, with_settings
from tellapart.core.seed import SEED
from tellapart.errors import UsageError
from tellapart.longcontext.commands.options import FewLlmOptions, Graded, RightAnswers, RunPlace, paths
from tellapart.longcontext.defaults import DELAY_S, JUDGE, GraderChoice, Standard
from tellapart.longcontext.design import setting

if TYPE_CHECKING:
    from tellapart.longcontext.grade_run import GradeSettings
    from tellapart.longcontext.page import View
    from tellapart.store import RunDirectory

_CASES = "Case files or directories of them: answers, lint, what was never asked."
_LABEL = "Write what has no grade, and some of the rest, as a sheet for people; --human reads it."
_HUMAN = "Labels by people, such as a filled sheet of grade --to-label; they correct the verdict."
_GRADER = "auto (rules, and for what they cannot tell the judge, if one is named), rules or judge."
_JUDGE = f"PROVIDER/MODEL that grades; by default {JUDGE} with --grader judge."
_STANDARD = "Prompt of the judge: documented, lenient or strict."
_REPEATS = "Number of times the judge grades each response; the most frequent grade counts."
_DELAY = "Seconds between two calls of the judge; 0 makes calls at the same time."
_REUSE = "Reuse the judge's answers of an earlier run; ask only what failed there."

MarkdownOut = Annotated[
    Path | None, setting("--out", "Write the report as Markdown.", "REPORT.md", writable=True)
]
Html = Annotated[
    Path | None, setting("--html", "Write a page with charts and every probe.", "PAGE.html", writable=True)
]


@dataclass(frozen=True)
class GraderOptions:
    """Who grades, as it was typed."""

    grader: Annotated[GraderChoice, setting("--grader", _GRADER, default=True)] = "auto"
    judge: Annotated[str | None, setting("--judge", _JUDGE)] = None
    judge_prompt: Annotated[Standard, setting("--judge-prompt", _STANDARD, "NAME", default=True)] = (
        "documented"
    )
    judge_repeats: Annotated[int, setting("--judge-repeats", _REPEATS, default=True, min=1)] = 1
    delay: Annotated[float, setting("--delay", _DELAY, default=True, min=0)] = DELAY_S
    reuse: Annotated[Path | None, setting("--reuse", _REUSE, "RUN")] = None


@dataclass(frozen=True)
class JudgingLlmOptions(FewLlmOptions):
    """Without what the original experiment prescribes."""

    temperature: float | str | None = None
    attempt_timeout_s: int | None = None


@with_settings
def grade(
    results: Annotated[list[Path], paths("Results as JSON, or runs of longcontext run.")],
    *,
    answers: RightAnswers = None,
    cases: Annotated[list[Path] | None, setting("--cases", _CASES, "FILE…")] = None,
    options: GraderOptions,
    out: MarkdownOut = None,
    html: Html = None,
    to_label: Annotated[Path | None, setting("--to-label", _LABEL, "SHEET.csv", writable=True)] = None,
    run: RunPlace = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Hide progress.")] = False,
    metrics_json: MetricsJson = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the grades as JSON.")] = False,
    asking: JudgingLlmOptions,
) -> None:
    """Grade every checkpoint and verification of a run.

    The same command resumes an interrupted grading.
    """
    from tellapart.labelling.sheet import check_out
    from tellapart.longcontext import page as pages
    from tellapart.longcontext.grade_run import estimate_grading, grade_run, read_grading_inputs
    from tellapart.longcontext.results import printed_grades
    from tellapart.longcontext.score_table import tracked_grading
    from tellapart.report.terminal import terminal

    if to_label is not None:
        check_out(to_label)
    settings = _settings(asking, options)
    results, written = _split_paths(results, cases or [])
    progress = reporter(quiet=quiet)
    with progress.step("reading conversations", None):
        files = read_grading_inputs(results, answers, written)
    warn(files.notes)
    if asking.dry_run:
        if settings.judge is not None:
            check_named([settings.judge])
        print_estimates(estimate_grading(files, settings, run), settings.limits, as_json=as_json)
        return
    graded = grade_run(
        files,
        settings,
        out=run,
        written=lambda record, compared: {"report.md": pages.documented_report(record, comparison=compared)},
        progress=progress,
    )
    view = _view(graded.path)
    if as_json:
        print_json(printed_grades(view.record))
    else:
        show(*terminal(pages.document(view)))
    _write_pages(view, graded.path, html, out)
    if to_label is not None:
        _write_sheet(graded, to_label)
    write_tracked(metrics_json, lambda: tracked_grading(view.record, graded.scores(), view.comparison))
    say(f"the run is {graded.path}")
    for step in _next_steps(view, graded.path, run, to_label):
        say(step)
    if html is None:
        say(f"its page: tellapart longcontext report {shlex.quote(str(graded.path))} --html report.html")


def _write_sheet(graded: RunDirectory, to_label: Path) -> None:
    """Write the answers that people are to label, and say what to do with them."""
    from tellapart.errors import audit_call
    from tellapart.labelling.sheet import undecided_sheet, write_sheet
    from tellapart.readers import item_texts
    from tellapart.report.numbers import plural

    scores, run, filled = graded.scores(), str(graded.path), shlex.quote(str(to_label))
    sheet = undecided_sheet(scores, item_texts([graded.path]), seed=SEED)
    write_sheet(to_label, sheet)
    command = f"tellapart longcontext agreement {shlex.quote(run)} {filled}"
    if len(scores.models) > 1:
        command = f"{audit_call([run])} --human {filled}"
    say(
        f"wrote {to_label}: {plural(sheet.height, 'answer')}; score each from 0 to 1 in the column human, "
        f"then: {command}"
    )


def _next_steps(view: View, path: Path, run: Path | None, to_label: Path | None) -> Iterator[str]:
    """How to grade what has no grade."""
    from tellapart.longcontext.grades import NOT_GRADED
    from tellapart.report.numbers import plural

    if failed := view.record.failed_on_the_way:
        another_run = " and another --run" if run is not None else ""
        yield (
            f"the judge did not answer for {failed} probe(s); to ask it again: the same command with "
            f"--reuse {shlex.quote(str(path))}{another_run}"
        )
    left = sum(probe.missing == NOT_GRADED for probe in view.record.probes)
    if left and to_label is None:
        yield (
            f"{plural(left, 'answer')} not graded: name a judge with --judge PROVIDER/MODEL, or write them "
            "with --to-label FILE.csv for people to grade"
        )


def _split_paths(results: list[Path], cases: list[Path]) -> tuple[list[Path], list[Path]]:
    """Results and cases: a shell that fills in ``--cases *.txt`` leaves all but the first to the results."""
    more = [path for path in results if cases and path.suffix.lower() in (".txt", ".yaml", ".yml")]
    return [path for path in results if path not in more], [*cases, *more]


def _settings(asking: JudgingLlmOptions, options: GraderOptions) -> GradeSettings:
    from tellapart.longcontext.grade_run import GradeSettings

    judge = options.judge or (JUDGE if options.grader == "judge" else None)
    names = [judge] if judge and options.grader != "rules" else []
    of_judge = [flag for flag in given_flags(options) if flag != "--grader"]
    asking.check_used(names, "--grader auto --judge PROVIDER/MODEL", dict.fromkeys(of_judge, True))
    models = asking.models(names)
    if len(models) > 1:
        raise UsageError(
            f"this recording holds {len(models)} models: {', '.join(model.name for model in models)}",
            where=options.judge,
            next_step="Choose one of them: replay:RUN#PROVIDER/MODEL",
        )
    return GradeSettings(
        options.grader,
        models[0] if models else None,
        options.judge_repeats,
        options.judge_prompt,
        options.delay,
        asking.limits([model.name for model in models]),
        options.reuse,
    )


def report(
    path: Graded,
    further: Annotated[
        list[Path] | None, paths("Gradings of the same answers by another judge or prompt.", "[RUN]…")
    ] = None,
    html: Html = None,
    out: MarkdownOut = None,
    human: Annotated[Path | None, setting("--human", _HUMAN, "FILE")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record of the grading as JSON.")] = False,
) -> None:
    """Show what a grading says and what it cannot say.

    Also writes it as a page or as Markdown; of several gradings it says whether the verdict turns.
    """
    from tellapart.longcontext import page as pages
    from tellapart.report.terminal import terminal

    view = replace(_view(path, human), others=tuple(map(_view, further or ())))
    for other_path, other in zip(further or (), view.others, strict=True):
        if not view.has_answers_of(other):
            raise UsageError(
                f"it grades other answers than {path}",
                where=other_path,
                next_step="Give gradings of the same results",
            )
    if as_json:
        print_json(pages.figures(view))
    else:
        show(*terminal(pages.document(view)))
    _write_pages(view, path, html, out, human)


def _view(path: Path, human: Path | None = None) -> View:
    """Read what ``grade`` left on the disk, and compare the models on the scores that lie beside it."""
    from tellapart.audit.ranking import rank_as_compared
    from tellapart.core.score_grid import score_grid
    from tellapart.longcontext import page as pages
    from tellapart.longcontext.score_table import comparison_of
    from tellapart.readers.labels import with_labels
    from tellapart.store import RunDirectory

    view = pages.load(path)
    scores = RunDirectory.open(path).scores()
    if human is not None:
        scores = with_labels(scores, human)
    comparison = comparison_of(scores)
    return replace(view, comparison=comparison, ranking=rank_as_compared(score_grid(scores), comparison))


def _write_pages(
    view: View, path: Path, html: Path | None, out: Path | None, human: Path | None = None
) -> None:
    """Write the page, with the audit of several models beside it, and the Markdown; say where they are."""
    from tellapart.longcontext import page as pages

    links = (
        () if view.comparison is None else write_linked_audit(html, [path / "scores.parquet"], human=human)
    )
    for written in pages.write_report(view, html=html, markdown=out, links=links):
        say(f"wrote {written}")


def agreement(
    grades: Graded,
    human: Annotated[
        Path, paths("Labels by people, such as a filled sheet of grade --to-label.", "SHEET.csv")
    ],
    as_json: Json = False,
) -> None:
    """Compare grades with labels by people.

    Cohen's kappa, the confusion table, and flips of the judge.
    """
    from tellapart.longcontext.grading_record import agreement_record
    from tellapart.longcontext.page import load
    from tellapart.report.numbers import decimal, plural, whole_percent
    from tellapart.report.tables import table
    from tellapart.report.terminal import fitted_table

    record = agreement_record(load(grades).record, human)
    if as_json:
        print_json({"grades": str(grades), "human": str(human), **record.model_dump()})
        return
    kappa = "no kappa" if record.kappa is None else f"kappa {record.kappa:.2f}"
    if record.kappa_ci is not None:
        kappa += f" [{', '.join(decimal(end, digits=2) for end in record.kappa_ci)}]"
    reason = f" ({record.reason})" if record.reason else ""
    agreed = "" if record.agreement is None else f", the same in {whole_percent(record.agreement)}"
    print_line(f"People and the grades: {kappa}{reason}{agreed} of {plural(record.n, 'probe')}")
    if record.n:
        rows = [[label, *map(str, row.values())] for label, row in record.confusion.items()]
        columns = ["", *record.confusion]
        show(fitted_table(table("confusion", "Labels below, grades beside", columns, rows)))
    if record.without_grade:
        print_line(f"{record.without_grade} labelled, but without a grade")
    judging = record.judging
    if judging.probes_repeated:
        ends = "" if judging.flip_ci is None else f" [{', '.join(map(whole_percent, judging.flip_ci))}]"
        print_line(
            f"the judge changed its mind in {whole_percent(judging.flip_rate or 0)}{ends} of "
            f"{judging.probes_repeated} probes that it was asked several times"
        )
