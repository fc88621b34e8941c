"""What a piece of advice on a recompilation is made of."""

import re

from msgspec import Struct

from dynamo_lab.view.guards.dynamic import Dynamic


class Remedy(Struct, frozen=True, kw_only=True):
    """What to do, and the code that does it, where there is some."""

    text: str
    code: str = ""


COMPILE_DYNAMIC = Remedy(
    text="Or make all sizes and numbers dynamic from the start; sizes that are equal in the first "
    "call stay tied to each other then:",
    code="compiled = torch.compile(fn, dynamic=True)",
)
OF_PARAMETER = Remedy(
    text="Dynamo takes the sizes of parameters and buffers for constants, also with `dynamic=True` "
    "or a mark. Expect one compilation for each size, or tell Dynamo before the first call:",
    code="torch._dynamo.config.force_parameter_static_shapes = False\n"
    "torch._dynamo.config.force_nn_module_property_static_shapes = False",
)
BESIDE_PARAMETER = Remedy(
    text="An operator takes it with a parameter or buffer, which has to be as large, and whose "
    f"size is a constant. {OF_PARAMETER.text}",
    code=OF_PARAMETER.code,
)
TOLD_APART = (
    "A test in the code tells {0} from all others, and needs code of its own for it. From here on "
    "`{1}` is dynamic for the others."
)
LEFT_OUT = (
    "A test in the code tells {0} from what it is now, and each side of it needs code of its own. "
    "From here on `{1}` is dynamic for what the test does not tell apart."
)
_NAME = r"(?!___)[A-Za-z_]\w*"


def is_written(name: str) -> bool:
    """Whether code can name it: a variable, or an attribute of one. Dynamo invents some names."""
    return bool(re.fullmatch(rf"{_NAME}(?:\.{_NAME})*", name))


def assigned(name: str, value: str, new: Dynamic) -> str:
    """The line that gives a variable another value.

    Empty for what is inside an object: a tuple or a frozen dataclass takes no assignment, and a
    parameter of a module no plain tensor. Nor does a line outside reach a closure's variable.
    """
    return f"{name} = {value}" if re.fullmatch(_NAME, name) and name not in new.outer else ""


def ended(text: str, code: str) -> str:
    """A sentence that ends in a colon where code follows."""
    return f"{text}{':' if code else '.'}"
