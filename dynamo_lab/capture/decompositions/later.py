"""The decompositions of a recording that is over, worked out when somebody first looks at them.

Taking the calls of a model apart takes a second or two, and imports Inductor where the program did
not. Whoever asks how many kernels or breaks there are need not wait for that. What is kept until
then are calls by the layouts of their tensors, no objects of the program.
"""

import threading
from collections.abc import Callable
from typing import Any

from msgspec import structs

from dynamo_lab.model.decompositions import Decompositions, Traced

_LATER = ("calls", "steps", "rules")


class Later(Decompositions, frozen=True, kw_only=True, dict=True):
    """Equal to the facts that it becomes. Copies of a recording share it: they become it at once.

    A field that was never set asks `__getattr__`, and nothing else can read it: what msgspec writes
    or compares without asking has to be made `whole` first, or it raises.
    """

    @classmethod
    def of(cls, traced: tuple[Traced, ...], unfold: Callable[[], Decompositions]) -> "Later":
        """Those that `unfold` gives; it is called once, whichever threads ask, until it returns."""
        made = cls(traced=traced)
        for name in _LATER:
            vars(Decompositions)[name].__delete__(made)
        vars(made).update(_unfold=unfold, _unfolding=threading.Lock())
        return made

    def __getattr__(self, name: str) -> Any:
        if name not in _LATER:
            raise AttributeError(name)
        return getattr(self.whole(), name)

    def whole(self) -> Decompositions:
        """Itself, with all fields."""
        if unfolding := vars(self).get("_unfolding"):
            with unfolding:
                self._become()
        return self

    def _become(self) -> None:
        """Nothing if another thread, for which this one waited, has done it."""
        unfold = vars(self).get("_unfold")
        if unfold is None:
            return
        found = unfold()
        for name in _LATER:
            structs.force_setattr(self, name, getattr(found, name))
        vars(self).clear()  # facts hold nothing alive

    def _plain(self) -> Decompositions:
        return Decompositions(**structs.asdict(self.whole()))

    def __eq__(self, other: object) -> bool:
        return self._plain() == (other._plain() if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self._plain())

    def __repr__(self) -> str:
        return repr(self._plain())

    def __copy__(self) -> "Later":
        return self

    def __reduce__(self) -> Any:
        return self._plain().__reduce__()
