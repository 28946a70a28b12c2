"""Reading a JSON object from a file that may be damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from superword.errors import ModelFormatError

__all__ = ["read_json_object"]


def read_json_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file.

    Raises:
        ModelFormatError: If the file holds anything else.
        OSError: If it cannot be read.
    """
    try:
        found = json.loads(path.read_bytes())
    except RecursionError:
        raise ModelFormatError(f"{path}: damaged: it is nested too deeply") from None
    except ValueError as error:
        raise ModelFormatError(f"{path}: not JSON, or damaged: {error}") from None
    if not isinstance(found, dict):
        raise ModelFormatError(f"{path}: not a JSON object")
    return found
