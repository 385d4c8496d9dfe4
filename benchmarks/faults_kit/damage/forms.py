"""Every form that a command reads: its files, what is mutated of them, and the command line that reads it."""

from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Form:
    """Files of one form, as ``forms.yaml`` has them.

    Attributes:
        run: The command line.
        needs: Paths in the material that it needs: files, patterns of them, or directories; as ``FROM>TO``
            where they have another name.
        targets: Patterns of those whose bytes are mutated; all by default.
        answer: What the answer to the unharmed files holds.
        codes: Exit codes of honest verdicts, 0 among them.
        kept: Whether the files are frozen or journalled: a change is refused, or work is done again, and
            never is the answer silently another.
        optional: Pattern of a file of which nothing says that it must be there.
        salvages: What is said where what can be read of a damaged file is the answer; empty where none is
            taken so.
        exact: Whether other bytes of the same meaning may give another answer: some answers hold hashes, or
            follow the order of keys.
        writes: Patterns of what the command may write.
        shows: Patterns of what it writes that is its answer as well.
        weight: How often it is drawn; costly ones less.
    """

    name: str
    run: str
    needs: tuple[str, ...]
    targets: tuple[str, ...] = ("*",)
    answer: str = ""
    codes: frozenset[int] = frozenset({0})
    kept: bool = False
    optional: str = ""
    salvages: str = ""
    exact: bool = False
    writes: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    weight: int = 4

    def is_target(self, path: str) -> bool:
        return any(fnmatch(path, pattern) for pattern in self.targets)


def _form(name, row):
    lists = {key: tuple(row[key].split()) for key in ("needs", "targets", "writes", "shows") if key in row}
    return Form(name, **row | lists | {"codes": frozenset(row.get("codes", {0}))})


FORMS = {
    name: _form(name, row)
    for name, row in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")).items()
}
