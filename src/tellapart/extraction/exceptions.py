"""What the table of languages cannot say: parameters, names with owners, docstrings."""

from __future__ import annotations

import ast
import inspect
import re
import tokenize
import warnings
from collections.abc import Callable, Mapping
from io import BytesIO

from tree_sitter import Node

from tellapart.extraction.unit import Parameter


def text(node: Node) -> str:
    """Return a node's source on one line, runs of white space made one space."""
    return " ".join((node.text or b"").decode().split())


def part(node: Node, field: str | None) -> str | None:
    """Return the text of a node's field, or None where it has none."""
    child = node.child_by_field_name(field) if field else None
    return text(child) if child else None


def without_colon(written: str) -> str:
    """Return a type without the colon that TypeScript's grammar has in front of it; Rust's ``::`` stays."""
    return written if written.startswith("::") else written.removeprefix(":").strip()


def whole_name(name: str) -> tuple[str, ...]:
    """Take a name as it is."""
    return (name,)


def parameters_by_shape(shapes: Mapping[str, Mapping[str, str]], node: Node) -> tuple[Parameter, ...]:
    """Read a list by the fields in which each kind of parameter keeps its name, type and default.

    A kind without a field for its name is a name as it stands, such as a pattern, and so is a list of one.
    Kinds that are not in the table are as its ``other``, if it has one.
    """
    declared = []
    for child in [node] if node.type == "identifier" else node.named_children:
        shape = shapes.get(child.type, shapes.get("other"))
        if shape is not None and "comment" not in child.type:
            written = without_colon(part(child, shape.get("type")) or "")
            name = part(child, shape.get("name")) or text(child)
            declared.append(Parameter(name, written or None, part(child, shape.get("default"))))
    return tuple(declared)


def _c_parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list; a parameter's type is all of it but its name, and ``(void)`` is none."""
    declared = tuple(_c_parameter(child) for child in node.named_children if child.type != "comment")
    return () if declared == (Parameter("", "void"),) else declared


def _c_parameter(node: Node) -> Parameter:
    if node.type in ("identifier", "variadic_parameter"):
        return Parameter(text(node))
    name, default = _innermost(node), part(node, "default_value")
    source, start = node.text or b"", node.start_byte
    if name is None:
        return Parameter("", text(node), default)
    end = node.child_by_field_name("declarator")
    before, after = source[: name.start_byte - start], source[name.end_byte - start :]
    if end and default:
        after = source[name.end_byte - start : end.end_byte - start]
    return Parameter(text(name), " ".join((before + after).decode().split()), default)


def _innermost(node: Node) -> Node | None:
    """Climb down the declarators to the name."""
    inner = node.child_by_field_name("declarator")
    while inner and inner.type != "identifier":
        named = inner.named_children
        inner = inner.child_by_field_name("declarator") or (named[-1] if named else None)
    return inner


def _csharp_parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list; the grammar leaves ``params T[] xs`` without a node of its own."""
    declared = []
    for child in node.named_children:
        if child.type == "parameter":
            last = child.named_child(child.named_child_count - 1)
            default = text(last) if last and last != child.child_by_field_name("name") else None
            declared.append(Parameter(part(child, "name") or "", part(child, "type"), default))
    if rest := part(node, "name"):
        declared.append(Parameter(rest, part(node, "type")))
    return tuple(declared)


def _go_parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list: ``a, b int`` is two parameters, and one without a name has an empty name."""
    declared: list[Parameter] = []
    for child in node.named_children:
        if child.type not in ("parameter_declaration", "variadic_parameter_declaration"):
            continue
        dots = "..." if child.type == "variadic_parameter_declaration" else ""
        written = f"{dots}{part(child, 'type')}"
        names = [text(name) for name in child.children_by_field_name("name")]
        declared += [Parameter(name, written) for name in names or [""]]
    return tuple(declared)


def _java_parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list; dots and dimensions go with the type, modifiers are left out."""
    declared = []
    for child in node.named_children:
        if child.type == "formal_parameter":
            written = f"{part(child, 'type')}{part(child, 'dimensions') or ''}"
            declared.append(Parameter(part(child, "name") or "", written))
        elif child.type == "spread_parameter":
            kind, name = (n for n in child.named_children if n.type not in ("modifiers", "comment"))
            declared.append(Parameter(text(name), f"{text(kind)}..."))
    return tuple(declared)


def _kotlin_parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list: modifiers stand before a parameter, its default after it."""
    declared: list[Parameter] = []
    modifiers = ""
    for child in node.named_children:
        if child.type == "parameter_modifiers":
            modifiers = f"{text(child)} "
        elif child.type == "parameter":
            name, *rest = child.named_children
            declared.append(Parameter(text(name), modifiers + text(rest[-1]) if rest else None))
            modifiers = ""
        elif declared and "comment" not in child.type:
            last = declared.pop()
            declared.append(Parameter(last.name, last.type, text(child)))
    return tuple(declared)


def _python_parameters(node: Node) -> tuple[Parameter, ...]:
    """Read a parameter list; stars stay with the name, ``*`` and ``/`` alone are no parameters."""
    return tuple(
        _python_parameter(child)
        for child in node.named_children
        if child.type not in ("comment", "keyword_separator", "positional_separator")
    )


def _python_parameter(node: Node) -> Parameter:
    if node.type == "typed_parameter":
        named = node.named_child(0)
        return Parameter(text(named) if named else text(node), part(node, "type"))
    return Parameter(part(node, "name") or text(node), part(node, "type"), part(node, "value"))


PARAMETERS: dict[str, Callable[[Node], tuple[Parameter, ...]]] = {
    "c": _c_parameters,
    "cpp": _c_parameters,
    "csharp": _csharp_parameters,
    "go": _go_parameters,
    "java": _java_parameters,
    "kotlin": _kotlin_parameters,
    "python": _python_parameters,
}
"""How a list of parameters is read, receivers included, where shapes in the table do not say it."""

_OPERATOR = re.compile(r"(?<!\w)(operator(?!\w)(?:\(\)|[^(]*))")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_DOTTED = re.compile(r"[\w$#]+(?:\.[\w$#]+)+")
_NOT_OWNERS = {"exports", "module", "prototype", "this"}
_NOT_NAME = {
    "go": re.compile(r"\[.{0,2000}\]|[*() ]"),
    "kotlin": re.compile(r"<.{0,2000}>|\?"),
    "rust": re.compile(r"<.{0,2000}>|&|'\w+ |\b(?:dyn|mut) "),
}


def _cpp_name(name: str) -> tuple[str, ...]:
    """Cut ``a::C<T>::f`` into ``("a", "C", "f")``; an operator keeps its signs."""
    operator = _OPERATOR.search(name)
    owners = name[: operator.start()] if operator else name
    while _ARGUMENTS.search(owners):
        owners = _ARGUMENTS.sub("", owners)
    names = [owner.strip("() ") for owner in owners.split("::") if owner.strip("() ")]
    return (*names, operator[1].strip()) if operator else tuple(names)


def _javascript_name(name: str) -> tuple[str, ...]:
    """Name a function by what it is assigned to: ``X.prototype.run`` is X's, ``exports.run`` is nobody's."""
    if not _DOTTED.fullmatch(name):
        return (name.strip("\"'"),)
    *owners, last = name.split(".")
    return (*(owner for owner in owners if owner not in _NOT_OWNERS), last)


SPLIT_NAME: dict[str, Callable[[str], tuple[str, ...]]] = {
    # Parentheses protect a name from a macro.
    "c": lambda name: (name.strip("() "),),
    "cpp": _cpp_name,
    "csharp": lambda name: tuple(name.split(".")),
    # Receivers: without pointers, type parameters and question marks.
    "go": lambda name: (_NOT_NAME["go"].sub("", name),),
    "kotlin": lambda name: (_NOT_NAME["kotlin"].sub("", name).strip("`"),),
    "rust": lambda name: tuple(_NOT_NAME["rust"].sub("", name).split("::")),
    "javascript": _javascript_name,
    "typescript": _javascript_name,
    "php": lambda name: tuple(name.removeprefix("$").split("\\")),
    # ``self`` is the class around it and adds nothing.
    "ruby": lambda name: tuple(piece for piece in name.split("::") if piece not in ("self", "")),
}
"""How a written name is cut into its owners and itself, where it is not taken as it is."""

_REFERENCE = re.compile(r'<(?:see|seealso|paramref|typeparamref)\s+\w+="(?:\w:)?([^"]*)"\s*/>')
_PARAMETER = re.compile(r'(?<!\s)\s*+<param name="(\w+)">')
_RETURNS = re.compile(r"(?<!\s)\s*+<returns>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def _without_tags(comment: str) -> str:
    """Turn XML documentation into text: the summary first, parameters as ``@param name``."""
    comment = _REFERENCE.sub(r"\1", comment)
    comment = _PARAMETER.sub(r"\n\n@param \1 ", comment)
    return _TAG.sub("", _RETURNS.sub("\n\n@returns ", comment))


PLAIN_DOC: dict[str, Callable[[str], str]] = {"csharp": _without_tags}

_PLAIN = re.compile(r"""[rRuU]?(\"{3}|'{3}|["'])((?:(?!\1)[^\\])*)\1""")


def _python_docstring(body: Node) -> tuple[Node, str | None] | None:
    """Find the docstring of a function or class."""
    statement = next((child for child in body.named_children if child.type != "comment"), None)
    if statement is None or statement.type != "expression_statement" or statement.named_child_count != 1:
        return None
    string = statement.named_child(0)
    if string is None or string.type not in ("string", "concatenated_string"):
        return None
    value = _string_value((string.text or b"").decode())
    return None if value is None else (statement, inspect.cleandoc(value).strip() or None)


def _string_value(literal: str) -> str | None:
    """Evaluate a string literal; None for bytes and f-strings, which are no docstrings."""
    if plain := _PLAIN.fullmatch(literal):
        return plain[2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = ast.literal_eval(literal)
        except (SyntaxError, ValueError):
            return None
    return value if isinstance(value, str) else None


DOCSTRING: dict[str, Callable[[Node], tuple[Node, str | None] | None]] = {"python": _python_docstring}

DECLARED_ENCODING: dict[str, Callable[[bytes], str]] = {
    "python": lambda data: tokenize.detect_encoding(BytesIO(data).readline)[0]
}
