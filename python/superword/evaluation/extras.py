"""Import the libraries of the extra `superword[eval]`."""

from __future__ import annotations

import importlib
from typing import Any

from superword.errors import SuperwordError

__all__ = ["import_extra"]


def import_extra(name: str) -> Any:
    """Import a library, or say how to install it.

    Raises:
        SuperwordError: If the library is not installed.

    Example:
        >>> import_extra("json").loads("[1]")
        [1]
        >>> import_extra("no_such_library")
        Traceback (most recent call last):
        superword.errors.SuperwordError: this needs no_such_library; pip install 'superword[eval]'
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        library = name.partition(".")[0]
        raise SuperwordError(f"this needs {library}; pip install 'superword[eval]'") from None
