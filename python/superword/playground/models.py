"""The tokenizers that the page opens, and their addresses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from superword.errors import ModelFormatError
from superword.interop.folders import find_tokenizer_file
from superword.tokenizer import find_bundled, load

__all__ = ["MAX_COLUMNS", "ServedModel", "find_models", "list_models"]

# The page shows as many side by side.
MAX_COLUMNS = 4
# WebAssembly addresses 4 GB, and a loaded model is several times as large as its file.
MAX_MODEL_BYTES = 256_000_000


class ServedModel(NamedTuple):
    """A tokenizer: its name in the page, and what reads its file."""

    name: str
    read: Callable[[], bytes]


def find_models(paths: Iterable[str | PathLike[str]]) -> list[ServedModel]:
    """Find tokenizers: models in the package, files, and folders that have one.

    The browser reads them and says what is wrong with their content.

    Raises:
        ModelFormatError: If a folder has no tokenizer, or a file is too large for a browser.
        ValueError: If there are more than the page can show, or a model in the package does not
            have the size.
        OSError: If a file cannot be read.
    """
    given = list(map(Path, paths))
    if len(given) > MAX_COLUMNS:
        raise ValueError(
            f"the playground shows up to {MAX_COLUMNS} tokenizers side by side, not {len(given)}"
        )
    models = []
    for path in given:
        if find_bundled(path) is not None:
            models.append(ServedModel(str(path), load(path)._model.to_json))
            continue
        file = find_tokenizer_file(path)
        with file.open("rb"):
            size = file.stat().st_size
        if size > MAX_MODEL_BYTES:
            raise ModelFormatError(
                f"{file}: has {size:,} bytes; the browser opens up to {MAX_MODEL_BYTES:,}"
            )
        name = f"{path.resolve().name}/{file.name}" if path.is_dir() else file.name
        models.append(ServedModel(name, file.read_bytes))
    return models


def list_models(models: Sequence[ServedModel], bundled: bytes) -> bytes:
    """Return the page's list of tokenizers: the given ones, to be opened, and the bundled ones.

    Example:
        >>> bundled = b'{"open": ["a"], "models": [{"name": "a", "url": "samples/a.json"}]}'
        >>> json.loads(list_models([], bundled))["open"]
        ['a']
        >>> json.loads(list_models([ServedModel("b", bytes)], bundled))["open"]
        ['b']
    """
    listing: dict[str, Any] = json.loads(bundled)
    if models:
        names: list[str] = []
        for model in models:
            count = names.count(model.name)
            names.append(model.name if not count else f"{model.name} ({count + 1})")
        served = [{"name": name, "url": f"models/{at}"} for at, name in enumerate(names)]
        listing = {"open": names, "models": [*served, *listing["models"]]}
    return json.dumps(listing).encode()
