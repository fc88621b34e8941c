# %% 11.1
def counting(counts):
    def backend(gm, inputs):
        for node in gm.graph.nodes:
            if node.op.startswith("call_"):
                counts[node.target] += 1
        return gm.forward

    return backend


# %% 11.2
def approximate_gelu(gm, inputs):
    for node in gm.graph.nodes:
        if node.target is F.gelu:
            node.kwargs = {**node.kwargs, "approximate": "tanh"}
    gm.recompile()
    return gm.forward


# %% 11.3
def sizes_of(sizes):
    def compiler(name):
        def compile_graph(gm, inputs):
            sizes[name] = sum(node.op == "call_function" for node in gm.graph.nodes)
            return make_boxed_func(gm.forward)

        return compile_graph

    def backend(gm, inputs):
        return aot_module_simplified(
            gm, inputs, fw_compiler=compiler("forward"), bw_compiler=compiler("backward")
        )

    return backend


# %% 11.4
def no_division(graph):
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.div.Tensor):
        numerator, divisor = node.args
        if isinstance(divisor, int | float):
            node.target = torch.ops.aten.mul.Tensor
            node.args = (numerator, 1 / divisor)
