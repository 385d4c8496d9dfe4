"""The files that go into ``evaluate`` and ``search``: conversations, with and without what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from tellapart.codesearch.case import (
    UNCERTAIN,
    Base,
    Conversation,
    Conversations,
    Gold,
    Searched,
    SearchResult,
    SearchResults,
    Snippet,
)
from tellapart.codesearch.reading.envelope import (
    Envelope,
    expect,
    left_out_before,
    open_envelope,
    read_each,
)
from tellapart.codesearch.reading.forms import (
    ConversationForm,
    FoundItem,
    Item,
    MadeUpForm,
    ResultForm,
    SearchedForm,
    SnippetForm,
)
from tellapart.codesearch.reading.paths import (
    NamesOnly,
    PathList,
    PathReader,
    claimed_paths,
    normalised,
    path_list,
)
from tellapart.codesearch.secret_files import secret_by_content, without_secret_texts
from tellapart.errors import InputError, quoted
from tellapart.files import first_fault

if TYPE_CHECKING:
    from tellapart.codesearch.base_trees import Trees


def read_search_results(
    text: str | bytes,
    *,
    approved: Collection[str] | None = None,
    trees: Trees | None = None,
    where: str = "standard input",
) -> SearchResults:
    """Read what the system under test returned: the input of ``evaluate``.

    As the source document has it, and as pipelines write it: files as paths or as objects, with snippets,
    terms by file, durations and a log, without iteration or time. Fields that nobody knows are passed over.
    """
    envelope = open_envelope(text, where)
    expect("search results", envelope, where)

    made_up = _made_up(envelope)

    def build(form: SearchedForm) -> tuple[Searched, list[str]]:
        conversation = conversation_of(form)
        tree = NamesOnly(approved) if trees is None else trees.tree_of(conversation.base)
        _put_back(made_up.get(form.conversation_id, ()), form.search_results)
        result, notes = _result(form.search_results, form.search_duration_ms, PathReader(tree))
        gold, of_gold = gold_of(form, approved)
        return Searched(conversation, result, gold), [*notes, *of_gold]

    searched, unusable, notes = read_each(envelope.conversations, SearchedForm, build, where)
    notes += _left_out_before(envelope)
    return SearchResults(
        envelope.iteration,
        envelope.timestamp,
        tuple(searched),
        (*left_out_before(envelope), *unusable),
        tuple(notes),
        _system(envelope),
        envelope.further.get(AT_BASE) is True,
        _text(envelope, GOLD_FORM),
    )


def read_conversations(text: str | bytes, *, where: str = "standard input") -> Conversations:
    """Read issues to search for: the input of ``search``.

    The same objects as in search results, without what was found; also as a list alone. Search results and
    evaluations serve too: what was found is passed over, and a note says so.
    """
    envelope = open_envelope(text, where, bare_list=True)
    gold: dict[str, Gold] = {}

    def build(form: ConversationForm) -> tuple[Conversation, list[str]]:
        gold_files, notes = gold_of(form, None)
        if gold_files is not None:
            gold[form.conversation_id] = gold_files
        return conversation_of(form), notes

    conversations, unusable, notes = read_each(envelope.conversations, ConversationForm, build, where)
    if envelope.kind != "conversations":
        notes.insert(0, f"this looks like {envelope.kind}: only its issues are read")
    return Conversations(
        envelope.iteration,
        envelope.timestamp,
        tuple(conversations),
        tuple(unusable),
        tuple(notes),
        gold,
        _text(envelope, GOLD_FORM),
    )


GOLD_FORM = "gold_form"
"""Field of conversations, search results and evaluations with where gold came from, in words."""

AT_BASE = "at_base"
"""Field of search results and of evaluations that is true where each issue's base commit was searched."""


LEFT_OUT = "left_out"
"""Field of search results: what the system returned and is no file; has ``issue``, ``line``, ``reason``."""

LEFT_OUT_COUNTS = "left_out_counts"
"""Field of search results: how many lines were left out, by issue and reason, also those not shown."""


MADE_UP = "made_up"
"""Field of search results: by issue, paths that were left out since nothing is there, and which count as not
relevant; has ``path`` and ``place``, that in the list of these and the files, from 0."""


def conversation_of(form: ConversationForm) -> Conversation:
    """What was asked; an area that is missing or blank is ``UNCERTAIN``."""
    area = (form.product_area or "").strip() or UNCERTAIN
    base = Base(form.repository, form.base_commit) if form.repository and form.base_commit else None
    return Conversation(form.conversation_id, form.issue_summary, area, form.classification_confidence, base)


def gold_of(form: ConversationForm, approved: Collection[str] | None) -> tuple[Gold | None, list[str]]:
    """The gold files that came with an issue, None without any, and notes on paths that were left out."""
    if form.touched_files is None:
        return None, []
    files, faults = set(), []
    for path in form.touched_files:
        try:
            files.add(normalised(path, approved))
        except InputError as error:
            faults.append(error.what)
    notes = [f"left out {len(faults)} gold file(s), the first since {faults[0]}"] if faults else []
    left_out = dict(form.touched_files_left_out)
    if faults:
        left_out["unusable"] = left_out.get("unusable", 0) + len(faults)
    return Gold(tuple(sorted(files)), left_out=left_out), notes


def paths_of(items: Sequence[Item], approved: Collection[str] | None) -> PathList:
    """Write the files of a list as ``repo/path``, each once; see ``path_list``."""
    return path_list([(item.repo, item.path) for item in items], approved)


def snippet_of(form: SnippetForm, approved: Collection[str] | None) -> Snippet:
    """Take a snippet over."""
    path = normalised(form.path, approved, repo=form.repo)
    if secret_by_content(form.content.encode("utf-8", "replace")):
        raise InputError(f"what is shown of {path!r} holds a secret")
    return Snippet(path, form.content, form.line_start, form.line_end)


def _system(envelope: Envelope) -> str | None:
    """What searched; other pipelines may mean anything by the name."""
    return _text(envelope, "system")


def _text(envelope: Envelope, field: str) -> str | None:
    value = envelope.further.get(field)
    return value.strip() or None if isinstance(value, str) else None


def _left_out_before(envelope: Envelope) -> list[str]:
    """Say what the search returned and left out; messages, which claim no file, do not count."""
    counts: Counter[str] = Counter()
    by_issue = envelope.further.get(LEFT_OUT_COUNTS)
    made_up = _made_up(envelope)
    for issue, of_issue in by_issue.items() if isinstance(by_issue, dict) else ():
        expected_reasons = {"no path", "not in the tree"} if issue in made_up else {"no path"}
        if isinstance(of_issue, dict):
            counts.update(
                {reason: count for reason, count in of_issue.items() if reason not in expected_reasons}
            )
    if not counts:
        return []
    many = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
    return [f"the search returned paths that name no file, and left them out: {many}; no figure counts them"]


def _made_up(envelope: Envelope) -> Mapping[str, Sequence[MadeUpForm]]:
    field = envelope.further.get(MADE_UP, {})
    try:
        return TypeAdapter(dict[str, list[MadeUpForm]]).validate_python(field)
    except ValidationError:
        raise InputError(
            f"{MADE_UP!r} is {quoted(field)}, expected lists of objects with 'path' and 'place', by issue"
        ) from None


def _put_back(made_up: Iterable[MadeUpForm], form: ResultForm) -> None:
    """Put what the search left out since nothing is there where the system had it: it counts as returned."""
    for made_up_path in sorted(made_up, key=lambda made_up_path: made_up_path.place):
        form.files_found.insert(made_up_path.place, FoundItem.model_validate({"path": made_up_path.path}))


def _result(
    form: ResultForm, duration_ms: float | None, reader: PathReader
) -> tuple[SearchResult, list[str]]:
    paths = claimed_paths([(item.repo, item.path) for item in form.files_found], reader)
    snippets, left_out = _snippets(form.snippets, reader)
    terms, strange = _terms_by_file(form, paths, reader)
    result = SearchResult(
        paths.files,
        tuple(without_secret_texts(form.search_terms_used)[0]),
        snippets,
        terms,
        form.search_duration_ms if duration_ms is None else duration_ms,
    )
    return result, [*paths.notes, *strange, *left_out]


def _terms_by_file(
    form: ResultForm, paths: PathList, reader: PathReader
) -> tuple[Mapping[str, tuple[str, ...]], list[str]]:
    """Terms that led to a file, as the file says itself and then as the list beside the files does."""
    by_item = [
        (file, item.terms)
        for item, file in zip(form.files_found, paths.by_item, strict=True)
        if item.terms is not None and file is not None
    ]
    faults = []
    for path, terms in form.terms_by_file.items():
        named = reader.named(path)
        if named.claimed and named.file in paths.files:
            by_item.append((named.file, terms))
        else:
            faults.append(f"{path!r} is none of its files")
    notes = [f"left out the terms of {len(faults)} path(s), the first since {faults[0]}"] if faults else []
    return _joined(by_item), notes


def _joined(by_item: Iterable[tuple[str, Sequence[str]]]) -> dict[str, tuple[str, ...]]:
    terms: dict[str, tuple[str, ...]] = {}
    for file, item_terms in by_item:
        terms[file] = tuple(dict.fromkeys((*terms.get(file, ()), *item_terms)))
    return terms


def _snippets(given: Sequence[Any], reader: PathReader) -> tuple[tuple[Snippet, ...], list[str]]:
    usable: list[Snippet] = []
    faults: list[str] = []
    for record in given:
        try:
            form = SnippetForm.model_validate(record)
        except ValidationError as error:
            faults.append(first_fault(error, SnippetForm))
            continue
        named = reader.named(form.path, form.repo or None)
        if named.reason == "secret" or secret_by_content(form.content.encode("utf-8", "replace")):
            faults.append(f"{form.path!r} holds a secret, or shows one")
        elif named.claimed:
            usable.append(Snippet(named.file, form.content, form.line_start, form.line_end))
        else:
            faults.append(f"{form.path!r} is no file: {named.reason}")
    notes = (
        [f"left out {len(faults)} of {len(given)} snippets, the first since {faults[0]}"] if faults else []
    )
    return tuple(usable), notes
