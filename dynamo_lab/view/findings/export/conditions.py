"""Conditions on sizes, as Python."""

import ast


def as_python(condition: str) -> str:
    """'a == b' for SymPy's 'Eq(a, b)', 'a % 2' for 'Mod(a, 2)'."""
    try:
        return ast.unparse(_Plain().visit(ast.parse(condition, mode="eval")))
    except SyntaxError:
        return condition


class _Plain(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A comparison or a remainder in place of the call that SymPy prints."""
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if len(node.args) != 2 or name not in ("Eq", "Ne", "Mod"):
            return node
        left, right = node.args
        if name == "Mod":
            return ast.BinOp(left, ast.Mod(), right)
        return ast.Compare(left, [ast.Eq() if name == "Eq" else ast.NotEq()], [right])
