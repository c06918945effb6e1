"""What the nodes of syntax trees are, by the names that grammars give them (C16).

Nine languages have rules of their own. All others share general ones: names of nodes and fields that most grammars
of tree-sitter use. What no rule knows is still whole while it fits, and opened into its children where it does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_BODY = r"block|suite|compound_statement|\w+_(?:body|block)|(?:\w+_)?declaration_list|enum\w*_list"
_DEFINES = (
    r"(?:\w+_)?(?:function|method|class|interface|enum|struct|union|impl|trait|mod|namespace|constructor|module|record)"
    r"(?:_\w+)?_(?:definition|declaration|item|specifier)|internal_module"
)
_DEFINES_ANYWHERE = (
    r"(?:\w+_)?(?:function|method|class|interface|enum|struct|trait|module|namespace|service|message|contract)"
    r"(?:_(?:statement|definition|declaration|item|binding))?"
)
_IMPORTS = r"(?:future_)?import(?:_from)?_(?:statement|declaration)|preproc_include|use_declaration|package_\w+"
_GOES_BEFORE = r".*comment|decorator|attribute_item|attribute_declaration|marker_annotation|annotation"
_IMPORTS_ANYWHERE = (
    r"(?:\w+_)?imports?(?:_(?:statement|declaration|decl|directive|header|list|attribute|or_export))?|preproc_include"
    r"|(?:namespace_)?use_(?:statement|declaration|clause)|using_(?:statement|directive|declaration)"
    r"|include_(?:statement|directive)|pp_include\w*|open_module|package_(?:clause|header|statement)"
)
_GOES_BEFORE_ANYWHERE = (
    r"haddock|pod|decorators|annotations|file_annotation|attribute_(?:list|group|statement)|\w*signature"
    r"|type_annotation|role_annotation|spec|pragma|unary_operator|string_literal"  # Elixir's @doc, Julia's docstring
)
_EQUATIONS = frozenset({"function", "fun_decl", "equation"})
"""Nodes of which several in a row with one name are one function: Haskell, PureScript, Erlang."""
_DEEPEST = 100
"""Levels of nesting in which the end of a node is looked for: else deep nesting would take quadratic time."""
_NAMES = re.compile(r"\w*identifier|\w*_?name|constant")


class Types(dict[str, bool]):
    """Whether a type of node is one of those that an expression names, each looked up once."""

    def __init__(self, pattern: str) -> None:
        super().__init__()
        self._pattern = re.compile(pattern)

    def __missing__(self, kind: str) -> bool:
        found = self[kind] = self._pattern.fullmatch(kind) is not None
        return found


class Rules(NamedTuple):
    """What nodes are.

    Attributes:
        body, defines, imports, goes_before: The types of nodes that hold the statements of another one; that are a
            function, class or the like; that import something; that stay with what they stand before.
        general: Whether fields tell as well, and comments at the end of a node go before what follows it.
    """

    body: Types
    defines: Types
    imports: Types
    goes_before: Types
    general: bool

    def is_definition(self, node: Node) -> bool:
        """Whether a node with a body is something that has a signature."""
        if self.defines[node.type]:
            return True
        return self.general and (node.child_by_field_name("name") is not None or node.children[-1].type == "do_block")

    def parted(self, node: Node, defines: bool) -> tuple[list[Node], bool] | None:
        """What stands from the statements on, and whether the first of it opens them; None where nothing is known.

        The statements are in a child of their own or, in some grammars, after a brace among the children.
        """
        children = node.children
        at = self._body_of(node, defines)
        if at is not None and (within := children[at].children):
            opens = within[0].type == "{" or (self.general and not within[0].is_named)
            before = at
            while not opens and before > 1 and is_comment(children[before - 1]):
                before -= 1  # comments between a signature and an indented body describe the body's first statement
            return [*children[before:at], *within, *children[at + 1 :]], opens
        if self.general and defines and at is None:
            at = next((at for at, child in enumerate(children) if at and child.type == "{"), None)
            return None if at is None else (children[at:], True)
        return None

    def _body_of(self, node: Node, defines: bool) -> int | None:
        children = node.children
        if self.general and (field := node.child_by_field_name("body")) is not None and field.child_count:
            return children.index(field)
        if self.general and not defines:
            return None
        named = (at for at, child in enumerate(children) if child.is_named and self.body[child.type])
        return next(named, None)

    def name_of(self, node: Node) -> Node | None:
        """The node that names a definition."""
        named = node.child_by_field_name("name")
        if named is None and self.general:
            named = next((child for child in node.children if _NAMES.fullmatch(child.type)), None)
        return named

    def go_on(self, node: Node, following: Node) -> bool:
        """Whether both are equations or clauses of one function."""
        if not self.general or node.type not in _EQUATIONS or following.type != node.type:
            return False
        name, other = _clause_name(node), _clause_name(following)
        return name is not None and other is not None and name.text == other.text


def _clause_name(node: Node) -> Node | None:
    """The name of an equation, or of the clause that it holds."""
    return node.child_by_field_name("name") or (node.children[0].child_by_field_name("name") if node.children else None)


MAIN = Rules(
    Types(_BODY), Types(_DEFINES), Types(_IMPORTS), Types(_GOES_BEFORE), general=False
)  # fmt: skip
"""For Python, JavaScript, TypeScript, Java, Go, Rust, C and C++."""

ANY = Rules(
    Types(rf"{_BODY}|\w*body\w*|\w*members|statements|structure|(?:\w+_)?declarations|declarative_part"),
    Types(f"{_DEFINES}|{_DEFINES_ANYWHERE}"),
    Types(_IMPORTS_ANYWHERE),
    Types(f"{_GOES_BEFORE}|{_GOES_BEFORE_ANYWHERE}"),
    general=True,
)
"""For all other languages."""


def is_comment(node: Node) -> bool:
    """Whether a node is a comment and nothing else."""
    return node.type.endswith("comment") or node.type in ("haddock", "pod")


def code_and_comments(node: Node) -> tuple[Node, list[Node]]:
    """The last node inside that is no comment, and the comments after it."""
    after: list[Node] = []
    for _ in range(_DEEPEST):
        count = node.child_count
        last = node.child(count - 1) if count else None
        if last is not None and is_comment(last):
            children = node.children
            while count and is_comment(children[count - 1]):
                count -= 1
            after = children[count:] + after
            last = children[count - 1] if count else None
        if last is None:
            return node, after
        node = last
    return node, after
