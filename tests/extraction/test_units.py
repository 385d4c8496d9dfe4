import ast
import hashlib
import sysconfig
from pathlib import Path

import pytest

from support.left_out import by_cause
from tellapart.extraction.extract import extract_units
from tellapart.extraction.sources import find_sources
from tellapart.extraction.unit import Parameter

FIVE = "def {name}(a):\n    b = a\n    c = b\n    d = c\n    return d\n"


@pytest.fixture
def extract(tmp_path):
    """Write files (text or bytes by path) and extract their units."""

    def run(files, **limits):
        for path, content in files.items():
            target = tmp_path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return extract_units(find_sources(tmp_path), **limits)

    return run


def only(extraction):
    (unit,) = extraction.units
    return unit


def test_every_field_of_a_unit(extract):
    source = (
        "class A:\n"
        "    @cached\n"
        "    def f(self, a: int, *b, c=1) -> str:\n"
        '        """Do it.\n\n        Well.\n        """\n'
        "        return g(a,\n"
        "                 b)\n"
    )
    unit = extract({"pkg/m.py": source}, min_lines=1).units[1]
    content = "@cached\ndef f(self, a: int, *b, c=1) -> str:\n    return g(a,\n             b)"
    assert unit.content == content
    assert unit.id == f"pkg/m.py::A.f#{hashlib.sha256(content.encode()).hexdigest()[:8]}"
    assert (unit.path, unit.name, unit.type, unit.language) == ("pkg/m.py", "f", "method", "python")
    assert unit.signature == "def f(self, a: int, *b, c=1) -> str"
    assert unit.parameters == (Parameter("a", "int"), Parameter("*b"), Parameter("c", None, "1"))
    assert unit.return_type == "str"
    assert unit.docstring == "Do it.\n\nWell."
    assert (unit.start_line, unit.end_line) == (2, 9)


@pytest.mark.parametrize(
    ("path", "head", "parameters", "returns"),
    [
        ("a.rs", "fn f(a: ::std::string::String) -> ::E {", [("a", "::std::string::String")], "::E"),
        ("a.js", "function f(undefined, a) {", [("undefined",), ("a",)], None),
        ("b.js", "const f = (/* none */) => {", [], None),
        ("a.ts", "function f(a: string): number {", [("a", "string")], "number"),
    ],
)
def test_parameters_and_types_are_as_written(extract, path, head, parameters, returns):
    unit = only(extract({path: head + "\n  g(a);\n  h(a);\n  i(a);\n}\n"}))
    assert unit.parameters == tuple(Parameter(*one) for one in parameters)
    assert unit.return_type == returns


REST = "    a = 1\n    b = 2\n    c = 3"


@pytest.mark.parametrize(
    ("statement", "docstring", "kept"),
    [
        ("    'Say.'\n", "Say.", ""),
        ("    'Say.'; d = 0\n", "Say.", "    d = 0\n"),
        ("    'Say.'  # why\n", "Say.", ""),
        ("    # Why.\n    'Say.'\n", "Say.", "    # Why.\n"),
        ("    'Say' ' on.'\n", "Say on.", ""),
        ("    'A\\tb \\d.'\n", "A       b \\d.", ""),
        ("    r'A\\tb.'\n", "A\\tb.", ""),
        ("    '  '\n", None, ""),
        ("    f'No.'\n", None, "    f'No.'\n"),
        ("    b'No.'\n", None, "    b'No.'\n"),
        ("    d = 1\n    'No.'\n", None, "    d = 1\n    'No.'\n"),
    ],
)
def test_python_docstrings_leave_the_code(extract, statement, docstring, kept):
    unit = only(extract({"a.py": f"def f():\n{statement}{REST}\n"}, min_lines=1))
    assert (unit.docstring, unit.content) == (docstring, f"def f():\n{kept}{REST}")


def test_a_body_of_a_docstring_alone_is_no_body(extract):
    source = 'class A:\n    """Words.\n\n    More words.\n    """\n    # Only a comment.\n'
    extraction = extract({"a.py": source})
    assert extraction.units == ()
    assert extraction.skipped.counts == {"no body": 1}


def test_docstrings_and_contents_are_those_of_pythons_own_parser():
    """On part of the standard library, against ``ast``; last lines are not compared: comments may follow."""
    units = {}
    stdlib = Path(sysconfig.get_path("stdlib"))
    for unit in extract_units(find_sources(stdlib / "json"), min_lines=1, max_lines=10_000).units:
        units[unit.path, unit.start_line] = unit
    expected = 0
    for path in sorted((stdlib / "json").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                unit = units[path.name, min([node.lineno, *(d.lineno for d in node.decorator_list)])]
                docstring = ast.get_docstring(node)
                assert unit.docstring == docstring or unit.docstring == docstring.strip()
                assert type(ast.parse(unit.content).body[0]) is type(node)
                expected += 1
    assert len(units) == expected > 30


@pytest.mark.parametrize(("lines", "kept"), [(4, False), (5, True), (500, True), (501, False)])
def test_length_limits(extract, lines, kept):
    source = "def f():\n" + "    a = 1\n" * (lines - 1)
    extraction = extract({"a.py": source})
    assert len(extraction.units) == kept
    assert extraction.skipped.counts == ({} if kept else {"too short" if lines < 5 else "too long": 1})


def test_a_doc_comment_behind_an_attribute_leaves_the_code(extract):
    unit = only(extract({"a.rs": "#[inline]\n/// Say\n/// it.\n#[cold] // why\nfn f() {\n    g()\n}\n"}))
    assert unit.docstring == "Say\nit."
    assert unit.content == "#[inline]\n#[cold] // why\nfn f() {\n    g()\n}"


BODY = "{\n  g();\n  g();\n  g();\n}\n"


@pytest.mark.parametrize(
    ("header", "comment", "docstring"),
    [
        ("function f() ", "/** Say. */\n", "Say."),
        ("function f() ", "/**\n * Say.\n *\n *   More.\n */\n", "Say.\n\n  More."),
        ("function f() ", "/**\n   Say.\n   More. **/\n", "Say.\nMore."),
        ("function f() ", "/** Old. */\n/** Say. */\n", "Say."),
        ("function f() ", "/** Say. */\n// eslint-disable\n", "Say."),
        ("function f() ", "/** Say. */\n\n", None),
        ("function f() ", "// No.\n", None),
        ("function f() ", "let x; /** No. */\n", None),
        ("function f() ", "/** No. */ let x;\n", None),
        ("function f() ", "/***/\n", None),
        ("fn f() ", "/// Say.\n// Not.\n/// More.\n", "Say.\nMore."),
        ("fn f() ", "/// No.\n\n", None),
        ("void f() ", "/* Old. */\n// Say.\n", "Say."),
        ("void f() ", "// Old.\n/* Say. */\n", "Say."),
        ("void f() ", "int x; // No.\n", None),
        ("void f() ", "\ufeff/* Say. */\n", "Say."),
    ],
)
def test_doc_comments(extract, header, comment, docstring):
    path = {"function f() ": "a.js", "fn f() ": "a.rs", "void f() ": "a.c"}[header]
    assert only(extract({path: comment + header + BODY})).docstring == docstring


def test_windows_line_ends_and_byte_order_mark_change_nothing(extract):
    plain = extract({"a.py": FIVE.format(name="f")}).units
    windows = b"\xef\xbb\xbf" + FIVE.format(name="f").replace("\n", "\r\n").encode()
    assert extract({"a.py": windows}).units == plain


CLASS = (
    "class A {{\n  {0} one() {{\n    a();\n    return x ?!* [y, (z)] ~> w;\n  }}\n"
    "  {0} two() {{\n    b();\n  }}\n}}\n"
)


@pytest.mark.parametrize(
    ("name", "kind"), [("a.js", "async"), ("a.java", "int"), ("a.cs", "int"), ("a.php", "function")]
)
def test_a_syntax_error_costs_what_it_is_in_but_not_what_stands_beside(extract, name, kind):
    source = ("<?php " if name == "a.php" else "") + CLASS.format(kind)
    extraction = extract({name: source}, min_lines=3)
    assert [(unit.name, unit.start_line, unit.end_line) for unit in extraction.units] == [("two", 6, 8)]
    assert extraction.skipped.counts == {"syntax error": 2}


def test_a_star_before_a_parenthesis_is_python(extract):
    source = "def f(a, b):\n    c = a\n    d = b\n    e = c\n    return d, *(e for _ in g(a, *(b)))\n"
    extraction = extract({"a.py": source})
    assert (only(extraction).content, extraction.skipped.counts) == (source.rstrip(), {})


def test_but_not_among_parameters(extract):
    broken = "def broken(a, *(b)):\n    c = a\n    d = c\n    e = d\n    return e\n"
    extraction = extract({"a.py": broken + broken.replace("*(b)", "*b").replace("broken", "sound")})
    assert [(one.cause, one.name) for one in extraction.skipped.things] == [("syntax error", "broken")]
    assert only(extraction).name == "sound"


MACROS = """SYSCALL_DEFINE3(write, unsigned int, fd, const char __user *, buf,
		size_t, count)
{
	int ret = -EBADF;

	if (fd) { ret = vfs_write(fd, buf, count); }
	return ret;
}

static MOD_INIT(spam)
{
	return 0;
}

int plain(int a)
{
	trace(a);
	{
		a += 1;
	}
	return a;
}
"""


def test_functions_whose_header_is_a_macro_are_counted(extract):
    extraction = extract({"a.c": MACROS})
    assert [unit.name for unit in extraction.units] == ["plain"]
    # A macro's call before a block at the top of a file is a definition; in a function it is a statement.
    assert [(one.cause, one.name, one.line) for one in extraction.skipped.things] == [
        ("macro", "SYSCALL_DEFINE3", 1),
        ("macro", "MOD_INIT (spam)", 10),
    ]


def test_a_file_of_errors_or_of_mere_punctuation_is_unparsable(extract):
    html = "<html>\n<body>\nNot a program.\n</body>\n"
    extraction = extract({"a.py": html, "b.js": "{\n" * 30_000, "c.py": "(\n" * 30_000})
    assert by_cause(extraction.skipped) == {"unparsable": ("a.py", "b.js", "c.py")}


def test_encodings(extract):
    latin = "# -*- coding: latin-1 -*-\n" + FIVE.format(name="f").replace("return d", "return 'é'")
    files = {"a.py": b"\x7fELF\0\0", "b.py": b"x = '\xff'\n", "c.js": b"let x = '\xe9';\n"}
    extraction = extract({**files, "d.py": latin.encode("latin-1")})
    assert by_cause(extraction.skipped) == {"binary": ("a.py",), "undecodable": ("b.py", "c.js")}
    assert "return 'é'" in only(extraction).content


def test_a_huge_line_is_left_out(extract):
    assert by_cause(extract({"c.js": "y" * 100_001}).skipped) == {"too large": ("c.js",)}


def test_deep_nesting_does_not_overflow(extract):
    nested = "".join(" " * depth + f"def f{depth}():\n" for depth in range(300)) + " " * 300 + "return 1\n"
    extraction = extract({"a.py": nested})
    assert extraction.units[-1].name == "f49"
    assert extraction.skipped.counts == {"too deep": 250}


def test_equal_definitions_in_one_file_have_different_ids(extract):
    nested = "x = [function() { class A {} }, function() { class A {} }, function() { class A {} }];"
    ids = [
        unit.id for unit in extract({"a.py": FIVE.format(name="f") * 3, "b.js": nested}, min_lines=1).units
    ]
    assert ids == [ids[0], f"{ids[0]}@6", f"{ids[0]}@11", ids[3], f"{ids[3]}@1", f"{ids[3]}@1.2"]
