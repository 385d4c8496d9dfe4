"""The names that a file of each language defines."""

import pytest

from tellapart.extraction.defined_names import defined_names

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
    "x.py": (PYTHON, "Cart LIMIT inner outer size total"),
    "x.js": (JAVASCRIPT, "Cart LIMIT SHOWN f lazy load total"),
    "x.ts": (TYPESCRIPT, "Base Id Shape area run sides size"),
    "x.java": (JAVA, "Cart LIMIT Priced SMALL Size price total"),
    "x.kt": (KOTLIN, "Line Lines item limit total"),
    "x.go": (GO, "Cart Limit Price Priced Size Total"),
    "x.rb": (RUBY, "Cart Empty LIMIT size total"),
    "x.c": (C, "LIMIT SMALL TWICE count later size total"),
    "x.cpp": (CPP, "Cart Id later size total"),
    "x.rs": (RUST, "Id LIMIT Priced price total twice"),
    "x.php": (PHP, "Cart LIMIT size total"),
    "x.cs": (CSHARP, "Cart Changed Size Total"),
}


@pytest.mark.parametrize("path", EXPECTED)
def test_names_of_a_language(path):
    source, names = EXPECTED[path]
    assert defined_names(path, source.encode()) == tuple(names.split())


@pytest.mark.parametrize("data", [b"x = 1\0", b"n\xe9 = 1", b"x" * 100_001])
def test_what_cannot_be_read_defines_nothing(data):
    assert defined_names("x.py", data) == defined_names("x.txt", b"x = 1") == ()


def test_a_broken_file_gives_what_can_be_made_out():
    assert "whole" in defined_names(
        "x.py", b"import a\ndef whole():\n    return b\n\ndef broken(:\n  x = = \n"
    )
