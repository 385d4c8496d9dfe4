"""The names that a file of each language defines."""

import pytest

from tellapart.extraction.cutting import defined_names

# Each block: the file, the names that it defines, its text.
FILES = r"""
x.py: Cart LIMIT inner outer size total
from .x import (y, z as w)
LIMIT = 1
class Cart:
    size: int = 0
    def total(self):
        return f"not_me {self.size}"  # nor_me
def outer():
    def inner(): return LIMIT

x.js: Cart LIMIT SHOWN f lazy load total
import A, {b as c, d} from './x';
const f = require('./r');
const lazy = () => import(`./no${f}`), LIMIT = 1;
export const SHOWN = <Tag title="not_me">{d}</Tag>;
class Cart { total() { return this.size; } }
function load() { return import('./later'); }

x.ts: Base Id Shape area run sides size
type Id = string;
interface Shape { area(): number; sides: number }
abstract class Base { private size: number; abstract run(): void }

x.java: Cart LIMIT Priced SMALL Size price total
import static shop.Money.round;
class Cart { static final int LIMIT = 1; int total() { return round("not_me"); } }
interface Priced { int price(); }
enum Size { SMALL }

x.kt: Line Lines item limit total
data class Line(val item: Item)
val limit = 1
fun total() = limit
typealias Lines = List<Line>

x.go: Cart Limit Price Priced Size Total
package cart
const Limit = 1
type Cart struct { Size int }
type Priced interface { Price() int }
func (c *Cart) Total() int { return m.Round("not_me") }

x.rb: Cart Empty LIMIT size total
LIMIT = 1
class Cart
  attr_reader :size
  before_save :recount
  def total; Money.round("not_me"); end
end
class Empty < Cart; end

x.c: LIMIT SMALL TWICE count later size total
#define LIMIT 1
#define TWICE(x) ((x) * 2)
typedef int count;
enum size { SMALL };
int later(int n);
int total(struct cart *c) { return later(c->size); }

x.cpp: Cart Id later size total
namespace shop {
using Id = int;
class Cart { public: int size; int later(); int total() { return later(); } };
}
int shop::Cart::later() { return 1; }

x.rs: Id LIMIT Priced price total twice
use crate::shop::{item, money::{self, Round as R}, tags::*};
const LIMIT: u32 = 1;
struct Id(u32);
trait Priced { fn price(&self) -> u32; }
impl Cart { fn total(&self) -> u32 { self.size } }
macro_rules! twice { () => {} }

x.php: Cart LIMIT size total
<?php
namespace Shop\Cart;
const LIMIT = 1;
class Cart { public $size; function total() { return round($this->size, 'not_me'); } }

x.cs: Cart Changed Size Total
namespace Shop.Carts {
class Cart { public int Size { get; set; } int Total() { return Round("not_me"); } }
delegate void Changed();
}
"""


@pytest.mark.parametrize("file", FILES.strip().split("\n\n"))
def test_names_of_a_language(file):
    head, source = file.split("\n", 1)
    path, names = head.split(": ")
    assert defined_names(path, f"{source}\n".encode()) == tuple(names.split())


def test_what_cannot_be_read_defines_nothing_and_a_broken_file_what_can_be_made_out():
    for data in (b"x = 1\0", b"n\xe9 = 1", b"x" * 100_001):
        assert defined_names("x.py", data) == ()
    assert defined_names("x.txt", b"x = 1") == ()
    broken = b"import a\ndef whole():\n    return b\n\ndef broken(:\n  x = = \n"
    assert "whole" in defined_names("x.py", broken)
