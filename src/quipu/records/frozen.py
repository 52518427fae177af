"""A mapping that stays as it was made, for frozen records that hold named numbers."""

from typing import Any, NoReturn, Self

__all__ = ["FrozenDict"]


class FrozenDict(dict[str, float]):
    """A dict of which nothing can be set or taken away; `|` makes a plain one."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("it is frozen: make another with `{**this, name: value}`")

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]  # never returns
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]  # the same

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, float]]]:
        return type(self), (dict(self),)
