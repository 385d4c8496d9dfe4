"""C#: documentation is XML, a namespace without braces holds for the rest of the file."""

from __future__ import annotations

import re

from tree_sitter import Node

from tellapart.extraction.languages.language import QUOTED, Language, Lexis, part, text
from tellapart.extraction.unit import Parameter

QUERY = """
(method_declaration
  returns: (_) @return name: (_) @name parameters: (_) @parameters body: (_) @body) @method
(constructor_declaration
  name: (_) @name parameters: (_) @parameters (constructor_initializer)? @stop body: (_) @body) @method
(destructor_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @method
(operator_declaration
  type: (_) @return operator: _ @name parameters: (_) @parameters body: (_) @body) @method
(conversion_operator_declaration
  type: (_) @name @return parameters: (_) @parameters body: (_) @body) @method
(local_function_statement
  type: (_) @return name: (_) @name parameters: (_) @parameters body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(struct_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(namespace_declaration name: (_) @name) @scope
(file_scoped_namespace_declaration name: (_) @name) @scope.rest
(attribute_list) @attribute
(comment) @comment
"""
BUILT_IN = (
    "true false null this base bool byte char decimal double dynamic float int long object sbyte short "
    "string uint ulong ushort void var"
)
REFERENCE = re.compile(r'<(?:see|seealso|paramref|typeparamref)\s+\w+="(?:\w:)?([^"]*)"\s*/>')
PARAMETER = re.compile(r'(?<!\s)\s*+<param name="(\w+)">')
RETURNS = re.compile(r"(?<!\s)\s*+<returns>")
TAG = re.compile(r"</?[A-Za-z][^<>]*>")

NAMES = """
(method_declaration name: (_) @defined)
(property_declaration name: (_) @defined)
(field_declaration (variable_declaration (variable_declarator name: (_) @defined)))
(delegate_declaration name: (_) @defined)
(enum_member_declaration name: (_) @defined)
"""


def parameters(node: Node) -> tuple[Parameter, ...]:
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


def without_tags(comment: str) -> str:
    """Turn XML documentation into text: the summary first, parameters as ``@param name``."""
    comment = REFERENCE.sub(r"\1", comment)
    comment = PARAMETER.sub(r"\n\n@param \1 ", comment)
    return TAG.sub("", RETURNS.sub("\n\n@returns ", comment))


LANGUAGES = (
    Language(
        name="csharp",
        extensions=(".cs",),
        grammar="tree_sitter_c_sharp.language",
        query=QUERY,
        lexis=Lexis(
            string=rf'(?:"{{3,}}.*?"{{3,}}|\$?@\$?"(?:""|[^"])*"|{QUOTED})', words=frozenset(BUILT_IN.split())
        ),
        parameters=parameters,
        doc_comment=re.compile(r"///(?!/)|/\*\*(?!/)"),
        plain_doc=without_tags,
        split_name=lambda name: tuple(name.split(".")),
        names=NAMES,
    ),
)
