"""Which file an import means, language by language, in tiny repositories."""

import pytest

from tellapart.codesearch.index.links import MOST_MEANT, Places
from tellapart.extraction.references import references


def imported(files, path):
    """Return the files that one file imports; a file is given as its text."""
    paths = sorted(files)
    places = Places(paths, [references(path, files[path].encode()) for path in paths])
    return [paths[to] for to in places.imported(paths.index(path))]


def meant(path, text, others):
    """Return what one file imports among others that are empty, or have a text."""
    given = others if isinstance(others, dict) else dict.fromkeys(others, "")
    return imported({path: text, **given}, path)


def test_python_modules_packages_and_what_is_relative():
    others = [
        "r/src/shop/__init__.py",
        "r/src/shop/item.py",
        "r/src/shop/tax/__init__.py",
        "r/src/shop/tax/eu.py",
    ]
    inside = "r/src/shop/tax/us.py"
    assert meant(inside, "import shop.item", others) == ["r/src/shop/item.py"]
    assert meant(inside, "import shop", others) == ["r/src/shop/__init__.py"]
    assert meant(inside, "from shop import item, tax, name", others) == [
        "r/src/shop/__init__.py",
        "r/src/shop/item.py",
        "r/src/shop/tax/__init__.py",
    ]
    assert meant(inside, "from shop.item import *", others) == ["r/src/shop/item.py"]
    assert meant(inside, "from . import eu", others) == ["r/src/shop/tax/eu.py"]
    assert meant(inside, "from .eu import rate", others) == ["r/src/shop/tax/eu.py"]
    assert meant(inside, "from ..item import Item", others) == ["r/src/shop/item.py"]
    assert meant(inside, "from .. import item", others) == ["r/src/shop/item.py"]


def test_python_no_import_begins_inside_a_package():
    """``import item`` means no ``shop/item.py``, but a script beside it."""
    assert meant("r/run.py", "import item", ["r/shop/__init__.py", "r/shop/item.py"]) == []
    assert meant("r/bin/run.py", "import item", ["r/bin/item.py"]) == ["r/bin/item.py"]


@pytest.mark.parametrize(
    ("written", "there"),
    [
        ("./item", "r/web/item.ts"),
        ("./item", "r/web/item.jsx"),
        ("./item", "r/web/item/index.tsx"),
        ("./item.js", "r/web/item.ts"),
        ("./item.js", "r/web/item.js"),
        ("../item", "r/item.js"),
        (".", "r/web/index.ts"),
        ("..", "r/index.js"),
        ("./item.css", "r/web/item.css"),
        ("@/shared/item", "r/src/shared/item.ts"),
        ("src/shared/item", "r/src/shared/item.ts"),
    ],
)
def test_javascript_and_typescript(written, there):
    for importing in ("r/web/cart.ts", "r/web/cart.jsx"):
        assert meant(importing, f"import {{a}} from '{written}';", [there]) == [there]


def test_javascript_packages_and_paths_out_of_the_repository_mean_nothing():
    others = ["r/react.js", "r/lib/react/index.js", "item.js", "s/item.js"]
    assert meant("r/cart.js", "import a from 'react'; import b from '../s/item';", others) == []


def test_java_classes_members_and_packages():
    others = {
        "r/src/shop/Item.java": "package shop; class Item {}",
        "r/src/shop/tax/Rate.java": "package shop.tax; class Rate {}",
        "r/src/shop/tax/Unused.java": "package shop.tax; class Unused {}",
        "r/src/other/Item.java": "package other; class Item {}",
    }
    cart = "r/src/shop/cart/Cart.java"
    assert meant(cart, "import shop.Item;", others) == ["r/src/shop/Item.java"]
    assert meant(cart, "import static shop.Item.of;", others) == ["r/src/shop/Item.java"]
    assert meant(cart, "import shop.tax.*; class C { Rate r; }", others) == ["r/src/shop/tax/Rate.java"]
    assert meant(cart, "import java.util.List;", others) == []


def test_kotlin_functions_are_found_wherever_their_package_is():
    others = {
        "r/Money.kt": "package shop.money\nfun round(x: Int) = x",
        "r/J.java": "package shop; class Item {}",
    }
    assert meant("r/Cart.kt", "import shop.money.round", others) == ["r/Money.kt"]
    assert meant("r/Cart.kt", "import shop.Item as I", others) == ["r/J.java"]


def test_go_packages_are_directories():
    others = {
        "r/internal/money/round.go": "package money\nfunc Round() {}",
        "r/internal/money/unused.go": "package money\nfunc Unused() {}",
        "r/fmt/print.go": "package fmt\nfunc Print() {}",
    }
    used = "package cart\nimport {}\nfunc f() {{ money.Round(); fmt.Print() }}"
    money = ["r/internal/money/round.go"]
    assert meant("r/cart.go", used.format('"example.com/us/r/internal/money"'), others) == money
    assert meant("r/cart.go", used.format('"example.com/us/elsewhere/money"'), others) == money
    assert meant("r/cart.go", used.format('"example.com/money"'), others) == []
    assert meant("r/cart.go", used.format('"fmt"'), others) == []


def test_ruby_paths():
    others = ["r/lib/shop/item.rb", "r/lib/money.rb", "r/app/money.rb"]
    assert meant("r/lib/shop/cart.rb", "require_relative 'item'", others) == ["r/lib/shop/item.rb"]
    assert meant("r/lib/shop/cart.rb", "require_relative '../money'", others) == ["r/lib/money.rb"]
    assert meant("r/app/cart.rb", "require 'shop/item'", others) == ["r/lib/shop/item.rb"]
    assert meant("r/app/cart.rb", "require 'money'\nrequire 'json'", others) == ["r/lib/money.rb"]
    assert meant("r/app/cart.rb", "autoload :Item, 'shop/item.rb'", others) == ["r/lib/shop/item.rb"]


@pytest.mark.parametrize("ending", ["c", "cpp", "h"])
def test_c_headers(ending):
    others = ["r/src/item.h", "r/include/item.h", "r/include/shop/money.h"]
    cart = f"r/src/cart.{ending}"
    assert meant(cart, '#include "item.h"', others) == ["r/src/item.h"]
    assert meant(cart, '#include "../include/item.h"', others) == ["r/include/item.h"]
    assert meant(cart, "#include <item.h>", others) == ["r/include/item.h"]
    assert meant(cart, "#include <shop/money.h>", others) == ["r/include/shop/money.h"]
    assert meant(cart, '#include "shop/money.h"', others) == ["r/include/shop/money.h"]
    assert meant(cart, "#include <stdio.h>", others) == []


def test_rust_modules():
    others = [
        "r/src/lib.rs",
        "r/src/item.rs",
        "r/src/tax/mod.rs",
        "r/src/tax/eu.rs",
        "r/money-kit/src/lib.rs",
    ]
    assert meant("r/src/main.rs", "mod item;\nmod tax;", others) == ["r/src/item.rs", "r/src/tax/mod.rs"]
    assert meant("r/src/tax.rs", "mod eu;", others) == ["r/src/tax/eu.rs"]
    assert meant("r/src/cart.rs", "use crate::item::Item;", others) == ["r/src/item.rs"]
    assert meant("r/src/cart.rs", "use crate::{item, tax::eu::rate};", others) == [
        "r/src/item.rs",
        "r/src/tax/eu.rs",
    ]
    assert meant("r/src/tax/us.rs", "use super::eu;", others) == ["r/src/tax/eu.rs"]
    assert meant("r/src/cart.rs", "use money_kit::Round;", others) == ["r/money-kit/src/lib.rs"]
    assert meant("r/src/cart.rs", "use std::io;", others) == []


def test_php_namespaces_and_files():
    others = {
        "r/app/Models.php": "<?php namespace Shop\\Models; class Item {}",
        "r/src/Tax/Rate.php": "",
        "r/src/money.php": "",
    }
    assert meant("r/src/a.php", "<?php use Shop\\Models\\Item;", others) == ["r/app/Models.php"]
    assert meant("r/src/a.php", "<?php use Shop\\Tax\\Rate;", others) == ["r/src/Tax/Rate.php"]
    assert meant("r/src/a.php", "<?php use Shop\\Models\\{Item, Other};", others) == ["r/app/Models.php"]
    assert meant("r/src/a.php", "<?php require __DIR__ . '/money.php';", others) == ["r/src/money.php"]


def test_csharp_namespaces_as_far_as_they_are_used():
    others = {
        "r/Item.cs": "namespace Shop.Models { class Item {} }",
        "r/Unused.cs": "namespace Shop.Models { class Unused {} }",
    }
    assert meant("r/Cart.cs", "using Shop.Models; class Cart { Item item; }", others) == ["r/Item.cs"]
    assert meant("r/Cart.cs", "using M = Shop.Models.Item;", others) == ["r/Item.cs"]
    assert meant("r/Cart.cs", "using System;", others) == []


def test_what_is_ambiguous_means_the_nearest_and_no_other_repository_if_it_can():
    text = "import 'shared/item';"
    assert meant("r/web/cart.js", text, ["r/shared/item.js", "s/shared/item.js"]) == ["r/shared/item.js"]
    assert meant("r/web/cart.js", text, ["s/shared/item.js"]) == ["s/shared/item.js"]
    far = [f"r/{part}/shared/item.js" for part in "abcdef"]
    assert MOST_MEANT == 5
    assert meant("r/web/cart.js", text, [*far, "r/web/shared/item.js"]) == [*far[:4], "r/web/shared/item.js"]


def test_a_file_does_not_import_itself():
    assert meant("r/a.py", "from . import a\nimport a", []) == []


def test_a_file_in_no_known_language_imports_nothing():
    assert meant("r/README.md", "import a", ["r/a.py"]) == []
