"""What a grammar does not know costs what it stands in, not what encloses that."""

import pytest

from tellapart.extraction.extract import extract_units
from tellapart.extraction.sources import find_sources

TYPESCRIPT = """\
import data from "./data.json" with { type: "json" };
export type * from "./types.js";

export function rows(ctx: Ctx): string[] {
  const found = ctx.sql<{ content_hash: string }[]>`select content_hash from files`;
  const small = found.filter((x) => x.score < -0.3);
  const helper = (row: { content_hash: string }) => {
    const text = row.content_hash;
    return text.trim();
  };
  return small.map(helper);
}

export class Store<const T extends readonly string[]> extends Base {
  static accessor count = 0;

  first<const K extends string>(key: K): asserts key is K {
    if (!key) {
      throw new Error(key);
    }
  }

  async second(doc: import("../types.js").DocumentType[]) {
    using file = open("a");
    const value = { a: doc[0]! } satisfies Record<string, unknown>;
    return value;
  }
}

export type Overloaded = {
  <A>(f: (value: A) => boolean): (self: A) => Option<A>
  <A>(self: A, f: (value: A) => boolean): Option<A>
}

export const last = async <const T,>(x: T) => {
  const y = x;
  return y;
};
"""


@pytest.fixture
def extract(tmp_path):
    def extracted(name, text):
        (tmp_path / name).write_text(text)
        return extract_units(find_sources(tmp_path), min_lines=3)

    return extracted


def spans(extraction):
    return [(unit.name, unit.start_line, unit.end_line) for unit in extraction.units]


def test_what_a_grammar_does_not_know_is_read(extract):
    extraction = extract("a.ts", TYPESCRIPT)
    assert spans(extraction) == [
        ("rows", 4, 12),
        ("helper", 7, 10),
        ("Store", 14, 28),
        ("first", 17, 21),
        ("second", 23, 27),
        ("last", 35, 38),
    ]
    assert extraction.skipped.counts == {}
    lines = TYPESCRIPT.splitlines()
    assert extraction.units[0].content == "\n".join(lines[3:12])
    assert extraction.units[4].content == "\n".join(line[2:] for line in lines[22:27])


CLASS = "class A {{\n  {0} one() {{\n    a();\n    {1}\n  }}\n  {0} two() {{\n    b();\n    c();\n  }}\n}}\n"
KINDS = {"a.js": "async", "a.java": "int", "a.cs": "int", "a.php": "function"}


def broken_class(name, statement):
    return ("<?php " if name == "a.php" else "") + CLASS.format(KINDS[name], statement)


@pytest.mark.parametrize("name", KINDS)
def test_an_error_in_a_method_costs_neither_its_class_nor_its_neighbours(extract, name):
    extraction = extract(name, broken_class(name, "return x ?!* [y, (z)] ~> w;"))
    assert spans(extraction) == [("A", 1, 10), ("one", 2, 5), ("two", 6, 9)]
    assert "?!* [y, (z)] ~> w" in extraction.units[1].content


def test_without_a_partner_for_every_bracket_nothing_is_certain(extract):
    extraction = extract("a.js", broken_class("a.js", "return (x ?!* y;"))
    assert "one" not in [unit.name for unit in extraction.units]
    assert "A" not in [unit.name for unit in extraction.units]


def test_an_end_that_is_not_certain_is_no_end(extract):
    """Where an arrow's body has no brackets, what was not read may be its end."""
    text = "const one = (x) =>\n  f(x,\n  2)\n  ?!* {};\nconst two = (x) => {{\n  g(x);\n  h();\n}};\n"
    extraction = extract("a.js", text.format("y").replace("{{", "{").replace("}}", "}"))
    assert ("two", 5, 8) in spans(extraction)
    assert "one" not in [unit.name for unit in extraction.units]


def test_many_errors_take_no_time_to_speak_of(extract):
    text = "function f() {\n  return x ?!* y;\n}\n" * 300
    assert len(extract("a.js", text).units) == 300
