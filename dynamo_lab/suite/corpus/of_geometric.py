"""Layers of torch_geometric on a small random graph: convolutions, aggregations, norms, models.

Arguments are given by their usual names. Layers that need extension packages, or graphs of several
kinds of nodes, are left out.
"""

from __future__ import annotations

import importlib
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from dynamo_lab.suite.corpus.program import Entry, Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_WIDTH = 16
_NODES = 12
_EDGES = 40
_KINDS = 3
"""Kinds of edges and of nodes."""
_ALONE = frozenset({
    "MessagePassing", "CuGraphSAGEConv", "CuGraphGATConv", "CuGraphRGCNConv", "FusedGATConv",
    "GravNetConv", "DynamicEdgeConv", "XConv", "SplineConv", "PANConv", "HGTConv", "HANConv",
    "HeteroConv", "SignedConv", "MeshCNNConv", "Aggregation", "MultiAggregation",
    "FusedAggregation", "DegreeScalerAggregation", "LCMAggregation", "EquilibriumAggregation",
    "MLPAggregation", "DNAConv", "WLConv",
})  # fmt: skip
"""What needs an extension, several graphs, or others of its kind."""
_USUAL: dict[str, Any] = {
    "in_channels": _WIDTH,
    "out_channels": _WIDTH,
    "hidden_channels": _WIDTH,
    "channels": _WIDTH,
    "num_layers": 2,
    "num_relations": _KINDS,
    "num_types": _KINDS,
    "num_node_types": _KINDS,
    "num_edge_types": _KINDS,
    "edge_type_emb_dim": 4,
    "edge_attr_emb_dim": 4,
    "edge_dim": _WIDTH,
    "filter_size": 2,
    "processing_steps": 2,
    "max_num_elements": 8,
    "patch_size": 4,
    "groups": 2,
    "dim": _WIDTH,
    "kernel_size": 2,
    "alpha": 0.1,
    "K": 2,
    "k": 2,
    "q": 0.5,
}
_MORE = {
    **dict.fromkeys(("GINEConv", "NNConv", "GMMConv", "PDNConv", "HEATConv"), ("edge_attr",)),
    **dict.fromkeys(("RGCNConv", "FastRGCNConv", "RGATConv"), ("edge_type",)),
    "HeteroLayerNorm": ("type_vec",),
}
"""What is called optional, and without which a layer fails, or does nothing of its own."""
_MODELS = ("GCN", "GraphSAGE", "GIN", "GAT", "EdgeCNN")
_PLACES = {
    "convolution": "torch_geometric.nn.conv",
    "aggregation": "torch_geometric.nn.aggr",
    "norm": "torch_geometric.nn.norm",
    "model": "torch_geometric.nn.models",
}


def entries() -> Iterator[Entry]:
    """An entry for each layer and model."""
    for kind, place in _PLACES.items():
        module = importlib.import_module(place)
        for name in _MODELS if kind == "model" else module.__all__:
            if name not in _ALONE and inspect.isclass(getattr(module, name)):
                yield Entry(f"{kind}.{name}", partial(_program, place, name))


def _program(place: str, name: str) -> Program:
    kind = getattr(importlib.import_module(place), name)
    layer = kind(**_required(kind, {**_USUAL, **_parts(name)})).eval()
    more = (*_MORE.get(name, ()), *(("index",) if place.endswith("aggr") else ()))
    return Program(layer, (), _required(layer.forward, _graph(), more))


def _required(
    fn: Callable[..., Any], values: Mapping[str, Any], more: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Of the values, those that a call of `fn` must or, as `more` says, should be given."""
    named = inspect.signature(fn).parameters
    given = [key for key, one in named.items() if one.default is one.empty or key in more]
    return {key: values[key] for key in given if key in values}


def _parts(name: str) -> dict[str, Any]:
    """The modules that a layer is made of, and what else is its own."""
    from torch import nn, ones

    def linear(before: int, after: int = _WIDTH) -> nn.Module:
        return nn.Sequential(nn.Linear(before, after), nn.ReLU())

    if name == "GPSConv":
        from torch_geometric.nn.conv import GCNConv  # pyright: ignore[reportMissingImports]

        return {"conv": GCNConv(_WIDTH, _WIDTH)}
    if name == "DirGNNConv":
        from torch_geometric.nn.conv import SAGEConv  # pyright: ignore[reportMissingImports]

        return {"conv": SAGEConv(_WIDTH, _WIDTH)}
    own: dict[str, dict[str, Any]] = {
        "EdgeConv": {"nn": linear(2 * _WIDTH)},
        "GINConv": {"nn": linear(_WIDTH)},
        "GINEConv": {"nn": linear(_WIDTH)},
        "NNConv": {"nn": linear(_WIDTH, _WIDTH * _WIDTH)},
        "PNAConv": {
            "aggregators": ["mean", "max"],
            "scalers": ["identity", "amplification"],
            "deg": ones(8).long(),
        },
        "PointGNNConv": {
            "mlp_h": linear(_WIDTH, 3),
            "mlp_f": linear(3 + _WIDTH),
            "mlp_g": linear(_WIDTH),
        },
        "AttentionalAggregation": {"gate_nn": linear(_WIDTH, 1)},
    }
    return own.get(name, {})


def _graph() -> dict[str, Any]:
    """What layers are called with: nodes, edges between them, and what is known of both."""
    import torch

    nodes = torch.randn(_NODES, _WIDTH)
    edges = torch.randint(0, _NODES, (2, _EDGES))
    return {
        "x": nodes,
        "x_0": torch.randn(_NODES, _WIDTH),
        "msg": torch.randn(_NODES, _WIDTH),
        "edge_index": edges,
        "hyperedge_index": edges,
        "edge_attr": torch.rand(_EDGES, _WIDTH),
        "edge_type": torch.randint(0, _KINDS, (_EDGES,)),
        "node_type": torch.randint(0, _KINDS, (_NODES,)),
        "type_vec": torch.randint(0, _KINDS, (_NODES,)),
        "pos": torch.randn(_NODES, 3),
        "normal": torch.randn(_NODES, 3),
        "index": torch.arange(_NODES) // 4,
    }
