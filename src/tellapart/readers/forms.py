"""All forms of scores: the marks of each, the settings that it takes, and the function that reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from tellapart.errors import InputError, UsageError, option
from tellapart.files import cannot_read, first_row, head, read_json, refuse_foreign
from tellapart.readers.column_names import looks_like_measure
from tellapart.readers.reader import LogScores, NoItemScores
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import RowTexts
from tellapart.store.runs import DATABASE

_LIKE_JSON = re.compile(r'\{\s*"|\[\s*[\[{"]')


class Beginning:
    """The beginning of a file, which all forms look at for their marks; a folder has an empty one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = head(path).decode(errors="replace") if path.is_file() else ""

    @property
    def is_json(self) -> bool:
        """Whether it may be JSON or JSON Lines."""
        return self.text[:1] in ("[", "{")

    @cached_property
    def names(self) -> frozenset[str]:
        """The keys of the object in the first line, or the columns that it names."""
        if self.is_json:
            return frozenset(first_row(self.path) if self.text.startswith("{") else ())
        line = self.text.partition("\n")[0]
        return frozenset(name.strip().strip('"') for name in re.split("[,\t;]", line))

    @cached_property
    def lines(self) -> list[list[str]]:
        """The fields of each line, at white space, but of the last where it may be cut off."""
        lines = [line.split() for line in self.text[: self.text.rfind("\n") + 1 or None].split("\n")]
        return [fields for fields in lines if fields and not fields[0].startswith("#")]


Marks = Callable[[Beginning], bool]


@dataclass(frozen=True)
class Form:
    """A form of scores.

    Attributes:
        name: What the form is called in messages.
        marks: Whether a file, or a folder, has the form. It raises nothing.
        function: The function that reads it, ``module.name`` in this package: from the path and the settings
            to a `Log`, or to `LogScores`.
        takes: The fields of `ReadingSettings` that it can use, beside those that hold for all forms.
        texts_function: The one that finds its texts, where what reads it gives no `Log`.
        refusal: Of a form that holds no scores of items, what it holds, and what to do.
    """

    name: str
    marks: Marks
    function: str = ""
    takes: tuple[str, ...] = ("metric", "model")
    texts_function: str = ""
    refusal: tuple[str, str] | None = None

    def read(self, path: Path, settings: ReadingSettings) -> LogScores:
        """Read the scores of one file or folder."""
        read = self._call(self.function, path, settings)
        return read if isinstance(read, LogScores) else read.scores(path, settings)

    def texts(self, path: Path, settings: ReadingSettings) -> RowTexts[Any] | None:
        """Find the texts of each item; None where the form holds scores alone."""
        found = self._call(self.texts_function or self.function, path, settings)
        if isinstance(found, LogScores):
            return None
        texts: RowTexts[Any] = found if isinstance(found, RowTexts) else found.texts(path, settings)
        return texts

    def _call(self, function: str, path: Path, settings: ReadingSettings) -> Any:
        if self.refusal is not None:
            what, next_step = self.refusal
            raise NoItemScores(what, where=path, next_step=next_step)
        module, name = function.split(".")
        return getattr(import_module(f"tellapart.readers.{module}"), name)(path, settings)


# Marks.


def _starts(start: str) -> Marks:
    """A beginning that matches."""
    return lambda beginning: re.match(start, beginning.text) is not None


def _has(*names: str, start: str = "") -> Marks:
    """All keys of one of these lists; or all columns, unless it is JSON that has to start so."""

    def is_marked(beginning: Beginning) -> bool:
        if not beginning.is_json:
            return not start and any({*of.split()} <= beginning.names for of in names)
        text = beginning.text
        there = (all(re.search(rf'"{re.escape(key)}"\s*:', text) for key in of.split()) for of in names)
        return re.match(start, text) is not None and any(there)

    return is_marked


_RAGAS_METRICS = re.compile(
    r"faithfulness\w*|answer_\w+|context_\w+|llm_context_\w+|non_llm_\w+|id_based_\w+|nv_\w+|noise_sensitivity"
    r"\w*|factual_correctness.*|semantic_similarity|response_\w+|bleu_score|rouge_score.*|chrf_score|"
    r"exact_match|string_presence|aspect_critic|topic_adherence.*|tool_call_\w+|agent_goal_\w+"
)


def _feedback(beginning: Beginning) -> bool:
    """LangSmith has columns ``feedback.…``; Ragas one of questions, one of answers, and metrics."""
    names = beginning.names
    if any(name.startswith("feedback.") for name in names):
        return not names.isdisjoint(("example_id", "id"))
    has_texts = not names.isdisjoint(("user_input", "question")) and not names.isdisjoint(
        ("response", "answer", "retrieved_contexts")
    )
    return has_texts and any(map(_RAGAS_METRICS.fullmatch, names))


def _helm(beginning: Beginning) -> bool:
    if beginning.path.name == "stats.json":
        return re.match(r'\[\s*\{\s*"name"\s*:\s*\{\s*"name"\s*:', beginning.text) is not None
    is_list = re.match(r'\[\s*\{[^\[\]]*"instance_id"\s*:', beginning.text) is not None
    return is_list and '"train_trial_index"' in beginning.text


def _inspect(beginning: Beginning) -> bool:
    if beginning.path.suffix == ".eval":
        return beginning.path.is_file()
    if beginning.text.startswith("PK"):
        from tellapart.readers.inspect_log import holds_log

        return holds_log(beginning.path)
    start = r'\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{'
    return re.match(start, beginning.text) is not None


def _lm_eval(beginning: Beginning) -> bool:
    """Samples, or a run's averages."""
    if beginning.path.suffix == ".json":
        is_results = re.match(r'\{\s*"results"\s*:\s*\{', beginning.text) is not None
        return is_results and beginning.path.name.startswith("results_")
    return beginning.is_json and {"doc_id", "resps", "filtered_resps"} <= beginning.names


def _promptfoo(beginning: Beginning) -> bool:
    """A whole export, of version 3 or older, or a result a line."""
    whole = r'\{\s*("evalId"\s*:|"version"\s*:\s*\d+\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"prompts"\s*:)'
    is_row = beginning.is_json and {"promptIdx", "testIdx", "testCase"} <= beginning.names
    return re.match(whole, beginning.text) is not None or is_row


def _promptfoo_table(beginning: Beginning) -> bool:
    """Cells with an outcome, below a column ``[provider] prompt``."""
    if beginning.is_json or re.search(r"\[(PASS|FAIL|ERROR)\]", beginning.text) is None:
        return False
    from tellapart.readers.promptfoo import has_columns_of_models

    return has_columns_of_models(beginning.path)


def is_number(text: str) -> bool:
    """Check whether a text is a finite number."""
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


def _trec_run(beginning: Beginning) -> bool:
    """TREC's first line has six fields, the second Q0, the fourth and fifth numbers.

    MS MARCO's lines have three, the third a rank: the first query has the ranks 1, 2 and so on, as no
    judgments or scores have.
    """
    lines = beginning.lines
    first = lines[0] if lines else []
    if len(first) == 6 and first[1].casefold() == "q0":
        return first[3].lstrip("-").isdecimal() and is_number(first[4])
    if len(first) != 3 or any(map(looks_like_measure, first[:2])):
        return False
    if any(len(fields) != 3 or not fields[2].isdecimal() for fields in lines):
        return False
    ranks = [rank for query, _, rank in lines if query == first[0]]
    return len(ranks) > 1 and ranks == [str(rank) for rank in range(1, len(ranks) + 1)]


def _printed(beginning: Beginning) -> bool:
    """A measure, a query and a value in the first line, in either order."""
    fields = next((line.split() for line in beginning.text.split("\n") if line.strip()), [])
    if len(fields) != 3:
        return False
    return fields[:2] == ["runid", "all"] or (
        is_number(fields[2]) and any(map(looks_like_measure, fields[:2]))
    )


def are_judgments(path: Path) -> bool:
    """Check whether a file begins as judgments of TREC do, or with the names of BEIR's columns."""
    first = Beginning(path).text.partition("\n")[0].split()
    if len(first) == 4 and first[1].casefold() in ("0", "q0"):
        return is_number(first[3])
    return first == ["query-id", "corpus-id", "score"]


_TEXT = r'"(?:[^"\\]|\\.)*"'
_NUMBERS_BY_TWO = rf"\{{\s*{_TEXT}\s*:\s*\{{\s*{_TEXT}\s*:\s*(?:-?[0-9]|NaN|null)"
_MTEB = (r'\{(?s:.*)"mteb_model_meta"', r'\{(?s:.*)"mteb_version"(?s:.*)"scores"', _NUMBERS_BY_TWO)


def _table(beginning: Beginning) -> bool:
    from tellapart.readers.table import is_table

    return is_table(beginning.path)


_OF_RANKINGS = ("metric", "qrels", "model", "trec_eval")
_VOTES = "model_a model_b winner"
TABLE = Form("table", _table, "table.read", ("columns", "models", "model", "right", "metric"), "table.texts")

FORMS = (
    Form("LangSmith or Ragas results", _feedback, "harnesses.feedback_table"),
    Form("HELM statistics by instance", _helm, "benchmarks.helm"),
    Form("Inspect log", _inspect, "inspect_log.log"),
    Form("lm-evaluation-harness samples", _lm_eval, "lm_eval.log"),
    Form("promptfoo results", _promptfoo, "promptfoo.results"),
    Form("promptfoo table", _promptfoo_table, "promptfoo.table"),
    Form("MTEB or BEIR JSON", _starts("|".join(_MTEB)), "retrieval.by_query_or_rankings", _OF_RANKINGS),
    Form("scores by query of trec_eval or ir_measures", _printed, "retrieval.printed"),
    Form("TREC or MS MARCO run", _trec_run, "retrieval.run", _OF_RANKINGS),
    Form(
        "run directory",
        lambda beginning: (beginning.path / DATABASE).is_file(),
        "run_directory.read",
        ("metric",),
        "run_directory.texts",
    ),
    # Marks that are only keys come last: whole logs of others may have them, too.
    Form(
        "AlpacaEval annotations",
        _has("instruction generator_2 output_2", start=r"\["),
        "benchmarks.alpaca_eval",
    ),
    Form(
        "Braintrust experiment",
        _has(*(f"input scores {of}" for of in ("span_id", "experiment_id", "span_attributes", "_xact_id"))),
        "harnesses.braintrust",
    ),
    Form(
        "DeepEval test run",
        _starts(r'\{\s*("testRunData"\s*:\s*\{\s*)?("testFile"\s*:[^,]*,\s*)?"testCases"\s*:\s*\['),
        "harnesses.deepeval",
    ),
    Form(
        "EvalPlus or BigCodeBench results",
        _starts(r'(?s)\{.*?"eval"\s*:\s*\{\s*"[^"]*"\s*:\s*\[?\s*\{\s*"task_id"'),
        "benchmarks.evalplus",
    ),
    Form(
        "Every Eval Ever instances",
        _has("schema_version evaluation_id model_id sample_id interaction_type", start=r"\{"),
        "benchmarks.every_eval_ever",
    ),
    Form(
        "Every Eval Ever averages",
        _has("schema_version evaluation_id model_info evaluation_results", start=r"\{"),
        refusal=(
            "this file holds the averages of a run, and no scores of items",
            "Give its file of instances, *_samples.jsonl, where its source published one; or compare "
            "averages with: tellapart leaderboard",
        ),
    ),
    Form(
        "Langfuse scores",
        _has("name value traceId dataType", "name value trace_id data_type"),
        "harnesses.langfuse",
    ),
    Form(
        "LiveCodeBench results",
        _has("question_title question_id contest_id difficulty", "pass@1 detail", start=r"\["),
        "benchmarks.live_code_bench",
    ),
    Form(
        "MLflow evaluation table",
        _starts(r'\{\s*"columns"\s*:\s*\[[^\]]*/score"[^\]]*\]\s*,\s*"data"\s*:'),
        "harnesses.mlflow",
    ),
    Form(
        "MLflow traces",
        _has(
            "trace_id trace_location trace_metadata",
            "request_id experiment_id timestamp_ms execution_time_ms",
            "trace_id client_request_id execution_duration",
        ),
        refusal=(
            "these are traces of MLflow, and not the scores of an evaluation",
            "Give the evaluation's table, eval_results_table.json; or a table of the assessments in them, "
            "with columns model, item and score",
        ),
    ),
    Form(
        "Phoenix experiment",
        _has("example_id repetition_number reference_output annotations", start=r"\["),
        "harnesses.phoenix",
    ),
    Form(
        "SWE-bench report",
        _has("resolved_ids submitted_instances", "resolved no_generation", start=r"\{"),
        "benchmarks.swe_bench",
    ),
    Form(
        "figures of whole runs of bundles",
        _has("eval_header overall", "capsules", start=r"\{"),
        refusal=(
            "this holds figures of whole runs, and an audit compares item by item",
            "Give the *.scores.parquet beside it; or compare the runs in it: tellapart bundles seeds FILE",
        ),
    ),
    Form(
        "votes on pairs of models",
        _has(
            *(f"{_VOTES} {mark}" for mark in ("conversation_a", "judge", "evaluation_session_id")),
            "model_a model_b response_a winner_model_a",
        ),
        refusal=(
            "these are votes on pairs of models, each on a question of its own, so no two models have scores "
            "on the same items",
            "Give scores of each model on the same items, such as a judge's, with columns model, item and "
            "score; a ranking by votes is not computed here",
        ),
    ),
    TABLE,
)
"""In the order in which they are tried; tables take what is left."""


def recognised(path: Path, *, tables: bool = True) -> Form | None:
    """Give the form that a file or folder has; None where none fits."""
    beginning = Beginning(path)
    forms = (form for form in FORMS if tables or form is not TABLE)
    return next((form for form in forms if form.marks(beginning)), None)


def form_of(path: Path, settings: ReadingSettings) -> Form:
    """Give the form that a file or folder is read as."""
    if settings.are_of_a_table and path.is_file():
        return TABLE
    if (form := recognised(path)) is not None:
        return form
    refuse_foreign(head(path), path, "scores")
    text = Beginning(path).text
    if path.suffix.casefold() == ".json" or _LIKE_JSON.match(text):
        # Says where what looks like JSON is none.
        read_json(path)
    lines = text.splitlines()
    if len(lines) > 2 and any(0 < lines[1].count(sign) == lines[2].count(sign) for sign in ",;\t"):
        raise InputError(
            f"the first line, {lines[0][:60]!r}, names no columns, so it may be a title",
            where=path,
            next_step="Delete what is above the row of names",
        )
    raise InputError(
        "the form of these scores is not recognised", where=path, next_step=f"Expected one of: {form_names()}"
    )


def form_names() -> str:
    """List the forms for a message."""
    return ", ".join(form.name for form in FORMS)


def check_used(settings: ReadingSettings, files: list[tuple[str, Form]]) -> None:
    """Refuse a setting that would be passed over in silence."""
    for name in sorted({name for form in FORMS for name in form.takes}):
        if getattr(settings, name) and not any(name in form.takes for _, form in files):
            if name == "qrels" and settings.qrels and not settings.qrels.exists():
                raise cannot_read(settings.qrels)
            file, form = files[0]
            others = f", and {len(files) - 1} more" if len(files) > 1 else ""
            raise UsageError(
                f"{option(name)} does not apply to any of these files: {file} is read as {form.name}{others}",
                next_step=f"It is for: {', '.join(form.name for form in FORMS if name in form.takes)}",
            )
