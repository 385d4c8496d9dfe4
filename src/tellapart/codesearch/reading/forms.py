"""What the fields of each record must be; further ones are let through, since real pipelines write more."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from tellapart.codesearch.case import Actionable


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def _whole(text: str) -> str:
    """Put the replacement character where a text was cut through the middle of a character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _id(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _item(value: Any) -> Any:
    return {"path": value} if isinstance(value, str) else value


def _none_as_empty(value: Any) -> Any:
    return [] if value is None else value


def _none_as_no_fields(value: Any) -> Any:
    return {} if value is None else value


def _actionable(value: Any) -> Any:
    spelled = {True: "yes", False: "no", None: "no"}
    if value is None or isinstance(value, bool):
        return spelled[value]
    return value.strip().lower() if isinstance(value, str) else value


Text = Annotated[str, AfterValidator(_whole)]
Filled = Annotated[Text, AfterValidator(_filled)]
Id = Annotated[Filled, BeforeValidator(_id)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", frozen=True)


class Item(_Form):
    """A file: a path alone, or an object; the names of its fields differ from one pipeline to the next."""

    path: str = Field(validation_alias=AliasChoices("path", "file_path", "file"))
    repo: str | None = None
    relevance: Any = None
    terms: list[Text] | None = Field(None, validation_alias=AliasChoices("terms", "matched_terms"))


class FoundItem(Item):
    """A file of search results that anybody wrote: one without a path is left out alone."""

    path: str = Field("", validation_alias=AliasChoices("path", "file_path", "file"))


def _found_item(value: Any) -> Any:
    return value if isinstance(value, dict) else {"path": value if isinstance(value, str) else repr(value)}


FoundItems = list[Annotated[FoundItem, BeforeValidator(_found_item)]]
Items = list[Annotated[Item, BeforeValidator(_item)]]
Texts = Annotated[list[Text], BeforeValidator(_none_as_empty)]


class SnippetForm(_Form):
    """A piece of a file."""

    path: str = Field(validation_alias=AliasChoices("file_path", "path", "file"))
    content: Text
    repo: str | None = None
    line_start: int | None = None
    line_end: int | None = None


class ConversationForm(_Form):
    """A conversation, searched or not."""

    conversation_id: Id
    issue_summary: Filled
    product_area: Text | None = None
    classification_confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    repository: Text | None = None
    base_commit: Text | None = None
    touched_files: Annotated[list[Text], BeforeValidator(_none_as_empty)] | None = None
    touched_files_left_out: dict[str, Annotated[int, Field(ge=0)]] = {}


class ResultForm(_Form):
    """``search_results``."""

    files_found: FoundItems
    search_terms_used: Texts = []
    exploration_log: Any = None
    snippets: Annotated[list[Any], BeforeValidator(_none_as_empty)] = []
    search_duration_ms: Annotated[float, Field(ge=0)] | None = None
    terms_by_file: Annotated[dict[str, Texts], BeforeValidator(_none_as_no_fields)] = {}
    error: Any = None


class MadeUpForm(_Form):
    """A path that a system returned, at which there is nothing."""

    path: Filled
    place: Annotated[int, Field(ge=0)]


class SearchedForm(ConversationForm):
    """A conversation with what the system under test returned for it."""

    search_results: ResultForm
    search_duration_ms: Annotated[float, Field(ge=0)] | None = None


class FailureForm(_Form):
    """Why something failed, as evaluations of ours say it."""

    failed_cause: str | None = None
    failed_kind: str = ""
    failed_detail: str = ""


class RunForm(_Form):
    """``run_a`` and its like."""

    model: Text | None = None
    files_found: Items
    error: Any = None
    error_cause: str | None = None
    error_kind: str = ""


class JudgementForm(FailureForm):
    """One of ``our_unique_judgments``."""

    file: str
    relevant: bool | None
    actionable: Annotated[Actionable, BeforeValidator(_actionable)] = "no"
    reasoning: Text | None = None
    error: Any = None
    fingerprint: Text | None = None


class AssessmentForm(FailureForm):
    """``assessment``, which only evaluations of ours have."""

    scores: dict[str, Annotated[int, Field(ge=1, le=5)]]
    product_area: Text | None = None
    reasoning: Text = ""


class GoldForm(_Form):
    """``gold`` of a conversation, which only evaluations of ours have."""

    files: list[Text]
    absent: list[Text] = []
    left_out: dict[str, int] = {}


class EvaluatedForm(ConversationForm):
    """A conversation of an evaluation; what follows from other fields is compared, and may be missing."""

    run_a: RunForm
    run_b: RunForm
    our_files: Items
    our_unique_judgments: list[JudgementForm]
    search_terms_used: Texts = []
    search_duration_ms: Annotated[float, Field(ge=0)] | None = None
    snippets: list[SnippetForm] = []
    terms_by_file: dict[str, list[Text]] = {}
    terms_in_files: dict[str, list[Text]] = {}
    retest_a: RunForm | None = None
    retest_b: RunForm | None = None
    assessment: AssessmentForm | None = None
    gold: GoldForm | None = None


class Head(_Form):
    """What every file has beside its conversations."""

    iteration_number: Annotated[int, Field(ge=1)] | None = None
    timestamp: Text | int | float | None = None
