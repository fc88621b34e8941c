"""What a recording answers while the program lives, of its guards, partitions and kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dynamo_lab.api.handle import Handle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dynamo_lab.live.budgets import Budgets
    from dynamo_lab.live.kernel_checks import KernelChecks
    from dynamo_lab.model.assembly import Assembly, Parts
    from dynamo_lab.view.guards.would_pass import WouldPass
    from dynamo_lab.view.guards.writers import WhoWrote


class Asked(Handle, frozen=True, kw_only=True, dict=True):
    """Facts with questions to their living objects: each answer is facts, not a recording."""

    def would_pass(self, *args: Any, frame: int | None = None, **kwargs: Any) -> WouldPass:
        """What a call with these arguments would do: reuse compiled code, or recompile.

        It runs the compiled guards, so it works only in the process that recorded. `frame` is the
        id of the frame to try, by default the first that was compiled.

        Raises:
            GuardsError: there are no live guards, or the arguments do not fit.
        """
        from dynamo_lab.live.guards import ask

        return ask(self, self.session, args, kwargs, frame)

    def who_wrote(self, run: Callable[[], Any], name: str = "") -> WhoWrote:
        """Which line writes the value that makes the program recompile, its scheduler's perhaps.

        It runs `run`, a function without arguments that makes a few of the recorded calls, once,
        eagerly and line by line, so slowly; what that changes is restored. `name` is the value as
        the guards name it, by default the one behind most recompilations.

        Raises:
            GuardsError: nothing was recompiled for such a value, or `run` does not use it.
        """
        from dynamo_lab.live.writers import who_wrote

        return who_wrote(self, self.session, run, name)

    def repartition(self, *budgets: float, partition: int | None = None) -> Budgets:
        """What the forward of a graph would save under other activation memory budgets.

        It runs PyTorch's partitioner, and compiles and runs nothing else; it works only in the
        process that recorded. A budget is the share of activation memory to save, from 1 (the
        fastest) to 0 (only inputs); some values between are tried if none is given. To compile with
        one, set `torch._functorch.config.activation_memory_budget`. `partition` is an id, by
        default that of the first with a backward.

        Raises:
            BudgetError: the joint graph is not available, or there is no such budget or partition.
        """
        from dynamo_lab.live.budgets import ask

        return ask(self, self.session, budgets, partition)

    def assembly(self, kernel: int, target: str | None = None) -> Assembly:
        """A kernel, by its id, down to machine code, each line tied to a line of the kernel.

        A Triton kernel goes through TTIR, TTGIR, LLVM IR, PTX and SASS, or AMD's code, with no GPU
        and the block sizes that Inductor would try first; a C++ kernel through the compiler that
        Inductor uses. It compiles the kernel's text, so it works only in the process that recorded;
        for a loaded file, it returns what was stored. `target` is by default the kernel's own.

        Raises:
            AssemblyError: there is no such kernel, or no tool to assemble it.
            OptionError: there is no such target.
        """
        from dynamo_lab.live.assembly.assembly import ask

        return ask(self, self.session, kernel, target)

    def write_kernels(self, folder: str | Path, target: str | None = None) -> Parts:
        """Compile a lowering's Triton kernels for a GPU that need not be here, into a folder.

        For each kernel its text, its assembly and, where Triton has an assembler, its binary, with
        how it is launched in `parts.json`; for each graph the module that calls them. What a
        program for the device needs besides is named: see `Parts.missing`. Only in the process that
        recorded: code from a file is not compiled.

        Raises:
            AssemblyError: the recording is not of a GPU, or was loaded.
            OutputError: the folder cannot be written to.
        """
        from dynamo_lab.live.assembly.parts import write

        return write(self, self.session, folder, target)

    def check_kernels(self) -> KernelChecks:
        """Run the Triton kernels of a lowering on the CPU, and compare them with the operators.

        Triton's interpreter runs them, in its own process, on made-up inputs of the recorded
        shapes; the graph's operators give the expected results. Only in the process that lowered.

        Raises:
            LoweringError: the lowering is not available, or the interpreter gave no answer.
        """
        from dynamo_lab.live.kernel_checks import ask

        return ask(self, self.session)
