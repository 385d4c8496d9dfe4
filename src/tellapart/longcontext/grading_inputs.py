"""What a grading reads: results of one or more programs, with the key that says what is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tellapart.core.fingerprint import sha256_of_json
from tellapart.errors import UsageError
from tellapart.files import sha256_of
from tellapart.longcontext.case import AnswerKey, Case, key_of
from tellapart.longcontext.reading import read_answers, read_cases, read_results
from tellapart.longcontext.transcript import PlayedCase, Results


@dataclass(frozen=True)
class GradingInputs:
    """All that a grading reads.

    Attributes:
        results: File by file; no two of all conversations have the same model, name and epoch, see
            ``read_grading_inputs``.
        key: What stands beside the probes of the cases, then what the file of answers says.
        answers: The file of answers alone; None without one.
        cases: Case files by the names of their cases.
        notes: What could not be used, for people.
        inputs: SHA-256 of everything that was read, by what it is.
    """

    results: tuple[Results, ...]
    key: AnswerKey
    answers: AnswerKey | None
    cases: Mapping[str, Case]
    notes: tuple[str, ...]
    inputs: Mapping[str, str]

    @property
    def played(self) -> tuple[PlayedCase, ...]:
        """All conversations, in order."""
        return tuple(case for results in self.results for case in results.cases)

    @property
    def controls(self) -> set[str]:
        """Names of the models as they were asked without the conversation."""
        return {case.model for case in self.played if case.control}


def read_grading_inputs(
    results: Sequence[Path],
    answers: Path | None = None,
    cases: Sequence[Path] = (),
    names: Sequence[str] = (),
) -> GradingInputs:
    """Read what is to be graded.

    A conversation that was played as a control is one of another model, ``M (closed-book)``, so that it is
    never mixed with the experiment. Where two files hold the same case of the same model and the same epoch,
    that of the later file gets the next epoch that is free, and a note says so. The system prompt of a record
    that does not hold it is taken from the case file.
    """
    read = _read_named(results, names)
    _check_distinct(read)
    written = read_cases(cases)
    by_name = {case.name: case for case in written}
    of_file = read_answers(answers) if answers is not None else None
    key = key_of(written, _named(of_file) if of_file else None)
    if not key.by_id and not key.by_case:
        raise UsageError(
            "no right answers are given",
            next_step="Name a file of answers with --answers, or case files that hold answers with --cases",
        )
    notes: list[str] = [f"{part.source}: {note}" for part in read for note in part.notes]
    notes += key.notes
    numbered = tuple(_numbered(read, by_name, notes))
    inputs = {f"results {number}": _fingerprint(part) for number, part in enumerate(read, 1)}
    inputs |= {f"case {case.name}": sha256_of_json(asdict(replace(case, source=""))) for case in written}
    inputs |= {"answers": sha256_of(answers)} if answers is not None else {}
    return GradingInputs(numbered, key, of_file, by_name, tuple(notes), inputs)


def _read_named(results: Sequence[Path], names: Sequence[str]) -> tuple[Results, ...]:
    if len(names) > 1 and len(names) != len(results):
        raise UsageError(
            f"{len(names)} names are given for {len(results)} file(s) of results",
            next_step="Give --name once, or once for each file, in their order",
        )
    read = tuple(
        read_results(path, (names[index] if len(names) > 1 else names[0]) if names else None)
        for index, path in enumerate(results)
    )
    unused = [name for name in names if not any(case.model == name for part in read for case in part.cases)]
    if unused:
        raise UsageError(
            f"these results name their models themselves, so this has no effect: --name {unused[0]}",
            next_step="Leave it out",
        )
    return read


def _named(of_file: AnswerKey) -> AnswerKey:
    """The same with notes that say which file they are about."""
    return replace(of_file, notes=tuple(f"{of_file.source}: {note}" for note in of_file.notes))


def _check_distinct(read: Sequence[Results]) -> None:
    seen: dict[str, str] = {}
    for results in read:
        fingerprint = _fingerprint(results)
        if fingerprint in seen:
            raise UsageError(
                f"these results are those of {seen[fingerprint]} again and would count twice",
                where=results.source,
                next_step="Name each file once",
            )
        seen[fingerprint] = results.source


def _numbered(read: Sequence[Results], cases: Mapping[str, Case], notes: list[str]) -> Iterator[Results]:
    taken: dict[tuple[str, str], set[int]] = {}
    for results in read:
        conversations = []
        for case in results.cases:
            model = f"{case.model} ({case.control})" if case.control else case.model
            epochs = taken.setdefault((model, case.name), set())
            epoch = case.epoch
            # Runs of the same case that were made apart both call their first attempt epoch 0.
            if epoch in epochs:
                epoch = max(epochs) + 1
                notes.append(
                    f"{results.source}: {case.name} of {model} counts as epoch {epoch}, since an earlier "
                    f"file has its epoch {case.epoch}; if it is another model, name that in the file, in "
                    "'model', or with --name"
                )
            epochs.add(epoch)
            system = cases[case.name].system if case.system is None and case.name in cases else case.system
            conversations.append(replace(case, model=model, epoch=epoch, system=system))
        yield replace(results, cases=conversations)


def _fingerprint(results: Results) -> str:
    return sha256_of_json([asdict(case) for case in results.cases])
