"""What items ask and what was answered, of all files that scores were read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tellapart.readers.folders import files_of
from tellapart.readers.forms import form_of
from tellapart.readers.reader import NoItemScores, Source, Together
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import RowTexts
from tellapart.store import ItemText


def item_texts(
    sources: Sequence[Source],
    settings: ReadingSettings | None = None,
    models: Mapping[str, Sequence[str]] | None = None,
) -> ItemTexts:
    """Find the texts of all items of files, runs, and folders of these; each is read when it is looked up."""
    files: list[tuple[RowTexts[Any], Sequence[str]]] = []
    for source, of_this in zip(sources, (settings or ReadingSettings()).of_paths(sources), strict=True):
        members = source.parts if isinstance(source, Together) else (source,)
        paths = [path for path in members if isinstance(path, Path) and path.exists()]
        for file in (file for path in paths for file in files_of(path, of_this)):
            try:
                texts = form_of(file, of_this).texts(file, of_this)
            except NoItemScores:
                continue
            if texts is not None and (models is None or str(file) in models):
                files.append((texts, () if models is None else models[str(file)]))
    return ItemTexts(files)


class ItemTexts(Mapping[str, tuple[ItemText, ...]]):
    """Texts of the items of several files, for pages; an item without any is not in it."""

    def __init__(self, files: Iterable[tuple[RowTexts[Any], Sequence[str]]]) -> None:
        """Take the texts of each file, and the models that came from it as they are called now."""
        self._files = tuple(files)

    def __getitem__(self, item: str) -> tuple[ItemText, ...]:
        """The question, the expected answer and the first answer of each model."""
        texts: dict[ItemText, None] = {}
        answers: dict[str, ItemText] = {}
        for file, models in self._files:
            for answered in file.of(item):
                texts |= dict.fromkeys(answered.item_texts)
                name = f"Answer of {called(answered.model, models)}"
                if answered.answer:
                    answers.setdefault(name, ItemText(name, answered.answer))
        if not texts and not answers:
            raise KeyError(item)
        return (*texts, *answers.values())

    def __iter__(self) -> Iterator[str]:
        """Ids of the items, in the order of the files."""
        ids = dict.fromkeys(item for file, _ in self._files for item in file.items)
        return (item for item in ids if item in self)

    def __len__(self) -> int:
        """Count the items that have a text."""
        return sum(1 for _ in self)


def called(model: str, models: Sequence[str]) -> str:
    """The name of a model among those of its file, which may have the file behind it."""
    renamed = (name for name in models if name.rpartition(" (")[0] == model)
    return model if model in models else next(renamed, model)
