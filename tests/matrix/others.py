"""Public names that have no row, each with the reason."""

OTHERS = {
    "compiler.reset": "forgets compiled code; a recording starts with it",
    "compiler.cudagraph_mark_warmup_incomplete": "asks for one more warm-up while CUDA graphs run; "
    "on a GPU the paths of CUDA graphs list each warm-up",
    "compiler.config.compile_on_one_rank": "for several ranks: a graph asks for its device and "
    "rank when it runs",
    "compiler.config.job_id": "names a job to PyTorch's remote cache of profiles",
    "compiler.config.accumulated_recompile_limit": "as `recompile_limit`, over all its objects",
    "compiler.config.verbose": "longer error messages; a recording has the whole of them",
    "compiler.config.log_file_name": "where PyTorch writes its logs; see the view of messages",
    "compiler.config.allow_unspec_int_on_nn_module": "which numbers of a module become symbols; "
    "the view of shapes shows those that do",
    "compiler.config.skip_tensor_guards_with_matching_dict_tags": "a shortcut of checks",
    "compiler.config.enable_cpp_symbolic_shape_guards": "the language of those checks",
    "compiler.config.wrap_top_frame": "compiles a module's hooks with it",
}
