"""Kinds of variables in plain words: Dynamo has a class for each kind of value it traces."""

_WORDS = {
    "TensorVariable": "tensor",
    "SymNodeVariable": "symbolic number",
    "UnspecializedPythonVariable": "number held as a tensor",
    "ConstantVariable": "constant",
    "LazyConstantVariable": "constant, not looked at yet",
    "ComputedLazyConstantVariable": "constant, not looked at yet",
    "LazyVariableTracker": "not looked at yet",
    "NullVariable": "NULL, a marker that CPython pushes before a call",
    "UnknownVariable": "result of the break, unknown until it runs",
    "GetAttrVariable": "attribute",
    "UserFunctionVariable": "function",
    "UserMethodVariable": "method",
    "NestedUserFunctionVariable": "function",
    "FunctoolsPartialVariable": "partial function",
    "LocalGeneratorObjectVariable": "generator",
    "TorchInGraphFunctionVariable": "torch function",
    "TorchHigherOrderOperatorVariable": "higher-order operator",
    "SkipFunctionVariable": "function Dynamo skips",
    "BuiltinVariable": "builtin",
    "PythonModuleVariable": "module",
    "UnspecializedNNModuleVariable": "nn.Module",
    "FSDPManagedNNModuleVariable": "nn.Module",
    "NNModuleVariable": "nn.Module",
    "UserDefinedObjectVariable": "object",
    "UserDefinedClassVariable": "class",
    "ListVariable": "list",
    "TupleVariable": "tuple",
    "SizeVariable": "torch.Size",
    "RangeVariable": "range",
    "SliceVariable": "slice",
    "ConstDictVariable": "dict",
    "SetVariable": "set",
    "ListIteratorVariable": "iterator",
    "CellVariable": "variable of a closure",
    "SuperVariable": "super()",
    "ExceptionVariable": "exception",
}


def kind_in_words(kind: str) -> str:
    """'tensor' for "TensorVariable"; kinds without our own words keep Dynamo's name."""
    return _WORDS.get(kind) or kind.removesuffix("Variable")
