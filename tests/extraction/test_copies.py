import random
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from contrastive.fakes import make_unit
from tellapart.extraction.copies import distinct, normal_form
from tellapart.extraction.extract import extract_units
from tellapart.extraction.sources import find_sources


def unit(content, *, path="a.py", line=1, language="python"):
    made = make_unit("f", line, path=path, language=language, content=content)
    return replace(made, id=f"{path}::f#{line}", end_line=line)


def same(first, second, language="python"):
    return len(distinct([unit(first, language=language), unit(second, line=2, language=language)]).kept) == 1


def test_the_first_by_path_and_line_stands_for_all():
    one, two, three = (
        unit("f()", path="b.py"),
        unit("f()", path="a.py", line=9),
        unit("f()", path="a.py", line=3),
    )
    other = unit("f(1)", path="c.py")
    kept, copies = distinct([other, one, two, three])
    assert kept == (three, other)
    assert copies == {one.id: three.id, two.id: three.id}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("def f(a):\n    return a", "def f(a):\n\n        return  a"),
        ("def f(a):\n    return a", "def g(b):  # why\n    return b"),
        ("def f(self):\n    return self.x", "def g(self):\n    return self.y"),
        ("x = '''a\nb'''\ny", "z = '''a\nb'''\nw"),
        ("f(a, b, a)", "g(x, y, x)"),
    ],
)
def test_copies(first, second):
    assert same(first, second)


DIFFERENT = r'''f(a, b, a) | f(a, b, b)
return True | return False
return None | return x
x = 1.5 | x = 15
x = 'a b' | x = 'ab'
x = '#a' | x = '#b'
x = r'\d' | x = '\d'
x = """a # b""" | x = """a # c"""
if a: b | while a: b
a // b | a
a = b | a == b'''


@pytest.mark.parametrize("pair", DIFFERENT.splitlines())
def test_no_copies(pair):
    assert not same(*pair.split(" | "))


@pytest.mark.parametrize(
    ("language", "first", "second", "expected"),
    [
        ("javascript", "f(a) // x\n", "g(b) /* y\n */", True),
        ("javascript", "f(`a ${b}`)", "f(`a ${c}`)", False),
        ("javascript", "return null", "return undefined", False),
        ("typescript", "f(a: string)", "f(a: number)", False),
        ("typescript", "f(a: Foo)", "f(a: Bar)", True),
        ("c", "int f(int a)", "int g(int b)", True),
        ("c", "int f(int a)", "int f(char a)", False),
        ("c", 'puts("//a")', 'puts("//b")', False),
        ("rust", "fn f<'a>(x: &'a str)", "fn g<'b>(y: &'b str)", True),
        ("rust", "let c = '\"'; let d = 1", "let c = '\"'; let d = 2", False),
        ("rust", 'x(r#"a"b"#)', 'x(r#"a"c"#)', False),
        ("ruby", "x = 1 # a", "y = 1 # b", True),
        ("ruby", "=begin\na\n=end\nx", "y", True),
        ("php", "$a = 1; # x\n", "$b = 1; // y\n", True),
        ("php", "#[A] f()", "f()", False),
        ("go", "x := `a`", "x := `b`", False),
        ("go", "return nil", "return err", False),
        ("java", 'x = """a\nb"""', 'x = """a\nc"""', False),
        ("csharp", 'x = @"a\\"', 'y = @"a\\"', True),
        ("kotlin", 'val x = """a"""', 'val y = """b"""', False),
        ("cpp", 'x = R"(a)"', 'x = R"(b)"', False),
    ],
)
def test_each_language_has_its_own_tokens(language, first, second, expected):
    assert same(first, second, language) is expected


def test_languages_do_not_mix():
    kept, _ = distinct([unit("f(a)"), unit("f(a)", line=2, language="ruby")])
    assert len(kept) == 2


def test_normal_form_by_hand():
    form = normal_form(unit("def f(a):\n    # why\n    return f(a, 'x', 1)"))
    assert form == (
        *("python", "def", "$0", "(", "$1", ")", ":"),
        *("return", "$0", "(", "$1", ",", "'x'", ",", "1", ")"),
    )


def test_real_units_renamed_are_copies_and_their_order_does_not_matter():
    units = extract_units(find_sources(Path(sysconfig.get_path("stdlib")) / "json")).units
    expected = distinct(units)
    assert {*expected.copies} | {u.id for u in expected.kept} == {u.id for u in units}
    assert set(expected.copies.values()) <= {u.id for u in expected.kept}
    shuffled = list(units)
    random.Random(1).shuffle(shuffled)
    assert distinct(shuffled) == expected
