"""The API reference of the site, from the docstrings and signatures of the public names."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, ForwardRef

import superword
from site_docstrings import format_docstring
from site_pages import link_docs

__all__ = ["PUBLIC_MODULES", "write_api"]

# The modules beside `superword` itself that users import.
PUBLIC_MODULES = [
    "superword.errors",
    "superword.evaluation",
    "superword.exporting",
    "superword.transformers",
    "superword.vllm",
    "superword.lm_eval",
    "superword.datatrove",
    "superword.spark",
    "superword.patterns",
    "superword.reference",
]
OPENING = """# The Python API

What these pages name, users may import; [versions](../versioning.md) says what that promises. The
other modules of the package are not for users.

"""


def write_api() -> Iterator[tuple[str, str]]:
    """Yield the address and the text of each page of the reference."""
    members = {name: getattr(superword, name) for name in superword.__all__}
    functions = {name: each for name, each in members.items() if inspect.isroutine(each)}
    classes = {
        name: each
        for name, each in members.items()
        if isinstance(each, type) and not issubclass(each, BaseException)
    }
    tokenizer = {"Tokenizer": classes.pop("Tokenizer")}
    pages: dict[str, tuple[str, str, Mapping[str, Any]]] = {
        "functions": ("superword: functions", "", functions),
        "tokenizer": ("superword.Tokenizer", "", tokenizer),
        "classes": ("superword: options and results", "", classes),
    }
    for module in PUBLIC_MODULES:
        pages[module.rpartition(".")[2]] = read_module(module)
    addresses = {
        name: f"{page}.md#{anchor(name)}"
        for page, (_, _, found) in reversed(pages.items())
        for name in list_names(found)
    }
    contents = [describe_contents(page, title, found) for page, (title, _, found) in pages.items()]
    yield "api/index.md", link_docs(OPENING + "".join(contents), "api/index.md")
    for page, (title, opening, found) in pages.items():
        own = addresses | {name: f"#{anchor(name)}" for name in list_names(found)}
        text = describe_page(title, opening, found, own)
        yield f"api/{page}.md", link_docs(text, f"api/{page}.md")


def read_module(name: str) -> tuple[str, str, dict[str, Any]]:
    """Return the title, the description and the public names of a module."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.origin is not None
        text = ast.get_docstring(ast.parse(Path(spec.origin).read_text("utf-8"))) or ""
        return name, f"{text}\n\nThe library that it needs is too large to list its names here.", {}
    # Where a module only has an import path, the module behind it has the description.
    found = {each: getattr(module, each) for each in module.__all__}
    homes = {getattr(each, "__module__", name) for each in found.values()}
    home: ModuleType = importlib.import_module(homes.pop()) if len(homes) == 1 else module
    return name, format_docstring((home.__doc__ or "").partition("\n\n")[0], {}), found


def list_names(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of a page: of classes, their members too."""
    for name, each in found.items():
        yield name
        if isinstance(each, type):
            yield from (f"{name}.{member}" for member in list_members(each))


def list_members(kind: type) -> dict[str, Any]:
    """Return the public methods and properties of a class that superword defines."""
    members: dict[str, Any] = {}
    if has_options(kind):
        return members
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("superword"):
            for name, each in vars(base).items():
                is_member = inspect.isroutine(each) or isinstance(
                    each, classmethod | staticmethod | property | cached_property
                )
                if not name.startswith("_") and is_member and each.__doc__:
                    members[name] = each
    return members


def has_options(kind: type) -> bool:
    """Tell whether a class only groups options; its methods are for the package itself."""
    fields = getattr(kind, "__dataclass_fields__", {}).values()
    return any("help" in each.metadata for each in fields)


def anchor(name: str) -> str:
    """Return the anchor of a name on its page."""
    return name.replace(".", "-")


def describe_page(
    title: str, opening: str, found: Mapping[str, Any], addresses: Mapping[str, str]
) -> str:
    """Return a page: each name with its signature, its docstring and its members."""
    parts = [f"# {title}", opening]
    constants = {name: each for name, each in found.items() if not is_described(each)}
    for name, each in found.items():
        if name not in constants:
            parts.append(f"## {name} {{ #{anchor(name)} }}")
            parts += describe(name, each, addresses)
            for member, value in list_members(each).items() if isinstance(each, type) else ():
                parts.append(f"### {name}.{member} {{ #{anchor(f'{name}.{member}')} }}")
                parts += describe(member, value, addresses)
    if constants:
        parts.append("## Constants and types")
    for name, each in constants.items():
        shown = repr(each) if len(repr(each)) <= 300 else f"{type(each).__name__} of {len(each)}"
        parts += [f"### {name} {{ #{anchor(name)} }}", f"```python\n{name} = {shown}\n```"]
    return "\n\n".join(filter(None, parts)) + "\n"


def is_described(each: object) -> bool:
    """Tell whether an object has a docstring of its own."""
    return isinstance(each, type) or inspect.isroutine(each)


def describe(name: str, each: Any, addresses: Mapping[str, str]) -> list[str]:
    """Return the signature and the docstring of an object."""
    if isinstance(each, property | cached_property):
        getter: Any = each.fget if isinstance(each, property) else each.func
        signature = f"{name}: {format_annotation(inspect.signature(getter).return_annotation)}"
    else:
        is_bound = isinstance(each, classmethod | staticmethod)
        signature = format_signature(name, each.__func__ if is_bound else each)
    doc = format_docstring(inspect.cleandoc(each.__doc__ or ""), addresses)
    return [f"```python\n{signature}\n```", doc] if signature else [doc]


def format_signature(name: str, target: Any) -> str:
    """Return a signature as source code, on several lines if it is long."""
    function = find_constructor(target) if isinstance(target, type) else target
    if function is None:
        return ""
    signature = inspect.signature(function)
    returns = "" if isinstance(target, type) else format_annotation(signature.return_annotation)
    parameters = list(format_parameters(signature.parameters.values()))
    arrow = f" -> {returns}" if returns else ""
    line = f"{name}({', '.join(parameters)}){arrow}"
    if len(line) <= 88:
        return line
    return "\n".join([f"{name}(", *(f"    {each}," for each in parameters), f"){arrow}"])


def find_constructor(kind: type) -> Any:
    """Return the function that takes the arguments of a class, if superword defines it."""
    for base in kind.__mro__:
        for name in ("__init__", "__new__"):
            if name in vars(base):
                return vars(base)[name] if base.__module__.startswith("superword") else None
    return None


def format_parameters(parameters: Iterable[inspect.Parameter]) -> Iterator[str]:
    """Yield the parameters of a signature as source code, without `self` and `cls`."""
    is_keyword_only = False
    for index, each in enumerate(parameters):
        if index == 0 and each.name in ("self", "cls", "_cls"):
            continue
        if each.kind is each.KEYWORD_ONLY and not is_keyword_only:
            yield "*"
        is_keyword_only = each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        shown = str(each).partition(":")[0].partition("=")[0]
        if each.annotation is not each.empty:
            shown += f": {format_annotation(each.annotation)}"
        if each.default is not each.empty:
            shown += f" = {each.default!r}"
        yield shown


def format_annotation(annotation: Any) -> str:
    """Return an annotation as source code."""
    if annotation is inspect.Signature.empty:
        return ""
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:typing|collections\.abc|superword(?:\.\w+)*)\.(?=\w)", "", text)


def describe_contents(page: str, title: str, found: Mapping[str, Any]) -> str:
    """Return the table of the names of a page."""
    rows = [
        f"| [`{name}`]({page}.md#{anchor(name)}) | {summarize(each)} |"
        for name, each in found.items()
        if is_described(each)
    ]
    table = "\n".join(["| name | what it is |", "|---|---|", *rows]) if rows else ""
    return f"## [{title}]({page}.md) {{ #{page} }}\n\n{table}\n\n"


def summarize(each: Any) -> str:
    """Return the first sentence of a docstring, for a table."""
    first = inspect.cleandoc(each.__doc__ or "").partition("\n\n")[0]
    return format_docstring(first, {}).replace("\n", " ").replace("|", "\\|")
