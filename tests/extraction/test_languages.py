"""Every fixture gives exactly the units that its golden file lists; run as a program, this renews them."""

from pathlib import Path

import pytest

from tellapart.extraction.extract import extract_units
from tellapart.extraction.languages import all_languages, candidates, language_of
from tellapart.extraction.sources import find_sources

FIXTURES = Path(__file__).parent / "fixtures"
NAMES = "c cpp csharp go java javascript kotlin php python ruby rust typescript"


PATHS = sorted(path.name for path in (FIXTURES / "languages").iterdir())


def all_units():
    return extract_units(find_sources(FIXTURES / "languages")).units


units = pytest.fixture(scope="module")(all_units)


def rendered(unit):
    name = unit.id.partition("::")[2].partition("#")[0]
    parameters = [
        parameter.name
        + (f": {parameter.type}" if parameter.type else "")
        + (f" = {parameter.default}" if parameter.default else "")
        for parameter in unit.parameters
    ]
    lines = [
        f"{unit.type} {name} ({unit.language}, {unit.start_line}-{unit.end_line})",
        f"  {unit.signature}",
        *(f"  - {parameter}" for parameter in parameters),
        *([f"  -> {unit.return_type}"] if unit.return_type else []),
        *([f"  {unit.docstring!r}"] if unit.docstring else []),
    ]
    return "\n".join(lines) + "\n"


def units_of(units, path):
    return "\n".join(rendered(unit) for unit in units if unit.path == path)


@pytest.mark.parametrize("path", PATHS)
def test_units_of_a_file(units, path):
    assert units_of(units, path) == (FIXTURES / "expected" / f"{path}.txt").read_text()


def test_the_table_has_twelve_languages():
    assert sorted({language.name for language in all_languages()}) == NAMES.split()


@pytest.mark.parametrize("language", all_languages(), ids=lambda language: language.extensions[0])
def test_reserved_words_come_from_the_grammar(language):
    assert {"return", "if", "else", "for"} <= language.reserved_words
    assert not {"identifier", "comment", "parameters", "name", "end_of_file"} & language.reserved_words


def test_language_by_extension():
    extensions = {"a/b.py": "python", "B.PY": "python", "x.mjs": "javascript", "x.tsx": "typescript"}
    extensions |= {"x.mts": "typescript", "x.hpp": "cpp", "x.cc": "cpp", "x.kts": "kotlin"}
    assert {path: language_of(path).name for path in extensions} == extensions


def test_no_language():
    assert language_of("README.md") is None
    assert language_of("Makefile") is None
    assert candidates(".py") == ()


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b"int f(int a);\nstruct s { int x; };\n", "c"),
        (b'#ifdef __cplusplus\nextern "C" {\n#endif\nvoid f(void);\n', "c"),
        (b"/* the class of things */\nint f(void);\n", "c"),
        (b"class A;\n", "cpp"),
        (b"template<class T> T f();\n", "cpp"),
        (b"namespace a {\n}\n", "cpp"),
        (b"std::string f();\n", "cpp"),
        (b"struct S {\n public:\n  int x;\n};\n", "cpp"),
    ],
)
def test_a_header_is_c_unless_it_clearly_is_not(header, name):
    assert language_of("x.h", header).name == name


if __name__ == "__main__":
    found = all_units()
    for name in PATHS:
        (FIXTURES / "expected" / f"{name}.txt").write_text(units_of(found, name))
