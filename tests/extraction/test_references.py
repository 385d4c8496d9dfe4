"""What each language's references are, from a file that has every kind of them."""

import pytest

from tellapart.extraction.imports import Import
from tellapart.extraction.languages import all_languages
from tellapart.extraction.references import References, references

PYTHON = """
import a.b, c as d
from .x import (y, z as w)
from . import q
from m import *
LIMIT = 1
class Cart:
    size: int = 0
    def total(self):
        return f"not_me {self.size}"  # nor_me
def outer():
    def inner(): return LIMIT
"""
JAVASCRIPT = """
import A, {b as c, d} from './x';
import * as n from 'y/z';
const f = require('./r');
export {g} from './h';
const lazy = () => import(`./no${f}`), LIMIT = 1;
export const SHOWN = <Tag title="not_me">{d}</Tag>;
class Cart { total() { return this.size; } }
function load() { return import('./later'); }
"""
TYPESCRIPT = """
import type {A} from './a';
import q = require('./q');
type Id = string;
interface Shape { area(): number; sides: number }
abstract class Base { private size: number; abstract run(): void }
"""
JAVA = """package shop.cart;
import shop.Item;
import static shop.Money.round;
import shop.tax.*;
class Cart { static final int LIMIT = 1; int total() { return round("not_me"); } }
interface Priced { int price(); }
enum Size { SMALL }
"""
KOTLIN = """package shop.cart
import shop.Item
import shop.tax.*
data class Line(val item: Item)
val limit = 1
fun total() = limit
typealias Lines = List<Line>
"""
GO = """package cart
import "fmt"
import (
  m "example.com/shop/money"
)
const Limit = 1
type Cart struct { Size int }
type Priced interface { Price() int }
func (c *Cart) Total() int { return m.Round("not_me") }
"""
RUBY = """require 'shop/item'
require_relative '../money'
autoload :Tax, 'shop/tax'
LIMIT = 1
class Cart
  attr_reader :size
  before_save :recount
  def total; Money.round("not_me"); end
end
class Empty < Cart; end
"""
C = """#include <shop/item.h>
#include "money.h"
#define LIMIT 1
#define TWICE(x) ((x) * 2)
typedef int count;
enum size { SMALL };
int later(int n);
int total(struct cart *c) { return later(c->size); }
"""
CPP = """#include "money.hpp"
namespace shop {
using Id = int;
class Cart { public: int size; int later(); int total() { return later(); } };
}
int shop::Cart::later() { return 1; }
"""
RUST = """mod line;
pub mod tax { }
use crate::shop::{item, money::{self, Round as R}, tags::*};
use super::up;
const LIMIT: u32 = 1;
struct Id(u32);
trait Priced { fn price(&self) -> u32; }
impl Cart { fn total(&self) -> u32 { self.size } }
macro_rules! twice { () => {} }
"""
PHP = r"""<?php
namespace Shop\Cart;
use Shop\Item;
use Shop\{Tax, Money as M};
require_once __DIR__ . '/money.php';
const LIMIT = 1;
class Cart { public $size; function total() { return round($this->size, 'not_me'); } }
"""
CSHARP = """using System;
using static Shop.Money;
namespace Shop.Carts {
class Cart { public int Size { get; set; } int Total() { return Round("not_me"); } }
delegate void Changed();
}
"""

EXPECTED = {
    "x.py": (
        PYTHON,
        "Cart Cart.total LIMIT outer outer.inner size",
        "Cart LIMIT a b c d inner int m outer q self size total w x y z",
        [
            Import("a.b"),
            Import("c"),
            Import(".x", ("y", "z")),
            Import(".", ("q",)),
            Import("m", ("*",)),
        ],
    ),
    "x.js": (
        JAVASCRIPT,
        "Cart Cart.total LIMIT SHOWN f lazy load",
        "A Cart LIMIT SHOWN Tag b c d f g lazy load n require size title total",
        [
            Import("./x", ("b", "d")),
            Import("y/z"),
            Import("./r"),
            Import("./h", ("g",)),
            Import("./later"),
        ],
    ),
    "x.ts": (
        TYPESCRIPT,
        "Base Id Shape area run sides size",
        "A Base Id Shape area q run sides size",
        [Import("./a", ("A",)), Import("./q")],
    ),
    "x.java": (
        JAVA,
        "shop.cart.Cart shop.cart.Cart.total shop.cart.LIMIT shop.cart.Priced shop.cart.SMALL "
        "shop.cart.Size shop.cart.price",
        "Cart Item LIMIT Money Priced SMALL Size cart price round shop tax total",
        [Import("shop.Item"), Import("shop.Money.round"), Import("shop.tax", ("*",))],
    ),
    "x.kt": (
        KOTLIN,
        "shop.cart.Line shop.cart.Lines shop.cart.item shop.cart.limit shop.cart.total",
        "Item Line Lines List cart item limit shop tax total",
        [Import("shop.Item"), Import("shop.tax", ("*",))],
    ),
    "x.go": (
        GO,
        "Cart Cart.Total Limit Price Priced Size",
        "Cart Limit Price Priced Round Size Total c cart int m",
        [Import("fmt"), Import("example.com/shop/money")],
    ),
    "x.rb": (
        RUBY,
        "Cart Cart.total Empty LIMIT size",
        "Cart Empty LIMIT Money Tax attr_reader autoload before_save recount require require_relative round "
        "size total",
        [Import("shop/item"), Import("../money", (), True), Import("shop/tax")],
    ),
    "x.c": (
        C,
        "LIMIT SMALL TWICE count later size total",
        "LIMIT SMALL TWICE c cart count later n size total x",
        [Import("shop/item.h"), Import("money.h", (), True)],
    ),
    "x.cpp": (
        CPP,
        "Id shop.Cart shop.Cart.later shop.Cart.total size",
        "Cart Id later shop size total",
        [Import("money.hpp", (), True)],
    ),
    "x.rs": (
        RUST,
        "Cart.total Id LIMIT Priced price twice",
        "Cart Id LIMIT Priced R Round item line money price shop size tags tax total twice up",
        [
            Import("line", (), True),
            Import("crate::shop", ("item",)),
            Import("crate::shop::money", ("self",)),
            Import("crate::shop::money", ("Round",)),
            Import("crate::shop::tags", ("*",)),
            Import("super", ("up",)),
        ],
    ),
    "x.php": (
        PHP,
        "LIMIT Shop.Cart.Cart Shop.Cart.Cart.total size",
        "Cart Item LIMIT M Money Shop Tax __DIR__ round size this total",
        [Import("Shop\\Item"), Import("Shop", ("Tax", "Money")), Import("/money.php", (), True)],
    ),
    "x.cs": (
        CSHARP,
        "Changed Shop.Carts.Cart Shop.Carts.Cart.Total Size",
        "Cart Carts Changed Money Round Shop Size System Total",
        [Import("System"), Import("Shop.Money")],
    ),
}


@pytest.mark.parametrize("path", EXPECTED)
def test_references_of_a_language(path):
    source, definitions, identifiers, imports = EXPECTED[path]
    found = references(path, source.encode())
    assert found.definitions == tuple(definitions.split())
    assert found.identifiers == tuple(identifiers.split())
    assert found.imports == tuple(imports)
    assert found.unusable is None


def test_every_language_is_here():
    assert {references(path, b"").language for path in EXPECTED} == {one.name for one in all_languages()}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"x = 1\0", "binary"),
        (b"n\xe9 = 1", "undecodable"),
        (b"x" * 100_001, "too large"),
        (b"x = 1\n" * 400_000, "too large"),
    ],
)
def test_what_cannot_be_used_says_why(data, why):
    assert references("x.py", data) == References("python", unusable=why)


def test_a_broken_file_gives_what_can_be_made_out():
    found = references("x.py", b"import a\ndef whole():\n    return b\n\ndef broken(:\n  x = = \n")
    assert Import("a") in found.imports
    assert "whole" in found.definitions
    assert {"a", "b", "whole"} <= set(found.identifiers)
