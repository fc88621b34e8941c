# %% 11.1: is not a node that computes
def counting(counts):
    def backend(gm, inputs):
        counts.update(node.target for node in gm.graph.nodes)
        return gm.forward

    return backend


# %% 11.1: Each operator was counted once
def counting(counts):
    def backend(gm, inputs):
        for node in gm.graph.nodes:
            if node.op.startswith("call_"):
                counts[node.target] = 1
        return gm.forward

    return backend


# %% 11.1: is not a node that computes
def counting(counts):
    def backend(gm, inputs):
        counts.update(node.name for node in gm.graph.nodes if node.op.startswith("call_"))
        return gm.forward

    return backend


# %% 11.1: Your backend returns nothing that can be called
def counting(counts):
    def backend(gm, inputs):
        counts.update(node.target for node in gm.graph.nodes if node.op.startswith("call_"))

    return backend


# %% 11.2: The nodes are changed, but what runs is the code from before
def approximate_gelu(gm, inputs):
    for node in gm.graph.nodes:
        if node.target is F.gelu:
            node.kwargs = {"approximate": "tanh"}
    return gm.forward


# %% 11.2: Some GELUs are approximate now, and some are exact still
def approximate_gelu(gm, inputs):
    for node in gm.graph.nodes:
        if node.target is F.gelu:
            node.kwargs = {"approximate": "tanh"}
            break
    gm.recompile()
    return gm.forward


# %% 11.2: It computes neither
def approximate_gelu(gm, inputs):
    for node in gm.graph.nodes:
        if node.target is F.gelu:
            node.target = F.relu
            node.kwargs = {}
    gm.recompile()
    return gm.forward


# %% 11.3: There was no backward graph
def sizes_of(sizes):
    def backend(gm, inputs):
        sizes["forward"] = sizes["backward"] = len(gm.graph.nodes)
        return gm.forward

    return backend


# %% 11.3: operators; sizes['forward'] is
def sizes_of(sizes):
    def compile_graph(gm, inputs):
        sizes["forward"] = sizes["backward"] = sum(n.op == "call_function" for n in gm.graph.nodes)
        return make_boxed_func(gm.forward)

    def backend(gm, inputs):
        return aot_module_simplified(gm, inputs, fw_compiler=compile_graph)

    return backend


# %% 11.3: operators; sizes['forward'] is
def sizes_of(sizes):
    def compiler(name):
        def compile_graph(gm, inputs):
            sizes[name] = len(gm.graph.nodes)
            return make_boxed_func(gm.forward)

        return compile_graph

    def backend(gm, inputs):
        return aot_module_simplified(
            gm, inputs, fw_compiler=compiler("forward"), bw_compiler=compiler("backward")
        )

    return backend


# %% 11.4: computes something else
def no_division(graph):
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.div.Tensor):
        if not isinstance(node.args[1], fx.Node):
            node.target = torch.ops.aten.mul.Tensor


# %% 11.4: Divisions by a number are left
def no_division(graph):
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.div.Tensor):
        if isinstance(node.args[1], float):
            node.target = torch.ops.aten.mul.Tensor
            node.args = (node.args[0], 1 / node.args[1])


# %% 11.4: The division by a tensor is gone too
def no_division(graph):
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.div.Tensor):
        numerator, divisor = node.args
        node.target = torch.ops.aten.mul.Tensor
        if isinstance(divisor, fx.Node):
            with graph.inserting_before(node):
                inverse = graph.call_function(torch.ops.aten.reciprocal.default, (divisor,))
            node.args = (numerator, inverse)
        else:
            node.args = (numerator, 1 / divisor)
