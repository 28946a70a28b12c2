"""Options that are declared once, and passed as keywords or as one object.

A configuration object is a frozen dataclass. `option` gives each of its fields a default and a
help text; the command line and `help()` show the same. A public function takes the fields as
keywords, typed by a `TypedDict`, or the object itself, and calls `gather` to get the object.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import Field, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar

__all__ = ["document_options", "expand_keywords", "gather", "list_options", "option"]

Options = TypeVar("Options")
P = ParamSpec("P")
R = TypeVar("R")


def option(default: Any, help: str) -> Any:
    """Declare a field of a configuration object."""
    return field(default=default, metadata={"help": help})


def list_options(kind: type) -> list[Field[Any]]:
    """Return the options of a dataclass: its fields, and what only its constructor takes."""
    return list(vars(kind)["__dataclass_fields__"].values())


def document_options(kind: type[Options]) -> type[Options]:
    """Add the help texts of a dataclass's options to its docstring."""
    lines = [f"    {each.name}: {each.metadata['help']}" for each in list_options(kind)]
    kind.__doc__ = "\n".join([f"{kind.__doc__}\n", "Attributes:", *lines])
    return kind


def gather(kind: type[Options], given: Options | None, keywords: Mapping[str, object]) -> Options:
    """Return the configuration object: the one that was given, or one made of keywords.

    Raises:
        ValueError: If there are both, or an option makes no sense.
    """
    names = [each.name for each in list_options(kind) if each.name in keywords]
    if given is None:
        return kind(**{name: keywords[name] for name in names})
    if not isinstance(given, kind):
        raise TypeError(f"expected a {kind.__name__}, not {given!r}")
    if names:
        raise ValueError(
            f"{names[0]} is given both as a keyword and by a {kind.__name__}; "
            f"set it in the {kind.__name__} only"
        )
    return given


def read_type(option: Field[Any]) -> Any:
    """Return the type of an option as it is declared, without `InitVar`."""
    declared = option.type
    is_wrapped = isinstance(declared, str) and declared.startswith("InitVar[")
    return declared[len("InitVar[") : -1] if is_wrapped else declared


def expand_keywords(accepted: type, *kinds: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show the `**keywords` of a function, typed by `accepted`, with the defaults of `kinds`.

    `help()` shows the expanded signature. Other keywords raise a `TypeError`.
    """
    declared = {each.name: each for kind in kinds for each in list_options(kind)}

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        plain = inspect.signature(function)
        first = [each for each in plain.parameters.values() if each.kind is not each.VAR_KEYWORD]
        expanded = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=each.default,
                annotation=read_type(each),
            )
            for name, each in declared.items()
            if name in accepted.__annotations__
        ]
        signature = plain.replace(parameters=[*first, *expanded])

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{function.__name__}() {error}") from None
            return function(*args, **kwargs)

        call.__signature__ = signature  # type: ignore[attr-defined]
        return call

    return decorate
