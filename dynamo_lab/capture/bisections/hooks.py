"""Private names of PyTorch for bisections."""

from dynamo_lab.capture.core.private import Private

_PARTS = "a wrong result is not followed to the part of the compiler that makes it."

LOOKUP = Private("torch._dynamo.backends.registry", "lookup_backend", _PARTS)
DISABLE = Private("torch._inductor.compiler_bisector", "CompilerBisector.disable_subsystem", _PARTS)
DISABLE_PASS = Private(
    "torch.fx.passes.graph_transform_observer",
    "GraphTransformObserver._check_disable_pass",
    "a wrong result is not followed to the pass that makes it.",
)
_MATCHER = "torch._inductor.pattern_matcher"
_REWRITES = "a wrong result is not followed to the rewrite that makes it."
REWRITES = (
    Private(_MATCHER, "LoweringPatternEntry.apply", _REWRITES),
    Private(_MATCHER, "GraphPatternEntry.apply", _REWRITES),
    Private(_MATCHER, "ReplacementPatternEntry.apply", _REWRITES),
)
FUSABLE = Private(
    "torch._inductor.scheduler",
    "Scheduler.can_fuse",
    "a wrong result is not followed to the fusion that makes it.",
)
_INDICES = "a wrong result is not followed to the rule that shortens an index wrongly."
MODULAR_INDEXING = Private("torch.utils._sympy.functions", "ModularIndexing.eval", _INDICES)
SIMPLIFY_WITH_RANGES = Private(
    "torch._inductor.sizevars", "SizeVarAllocator._simplify_with_ranges", _INDICES
)
_FAKES = "whether an operator's fake agrees with the operator is not known."
FAKE_MODE = Private("torch._subclasses.fake_tensor", "FakeTensorMode", _FAKES)
MAPPED = Private("torch.utils._pytree", "tree_map", _FAKES)
LEAVES = Private("torch.utils._pytree", "tree_leaves", _FAKES)
SHAPE_ENV = Private("torch.fx.experimental.symbolic_shapes", "ShapeEnv", _FAKES)
SETTINGS = Private("torch._inductor.config", "", _PARTS)
_KERNELS = "kernels are not compared with eager operators on their own inputs."
GENERATED = Private("torch._inductor.graph", "GraphLowering.codegen", _KERNELS)
COMPILED_CALL = Private("torch._inductor.output_code", "CompiledFxGraph.__call__", _KERNELS)
