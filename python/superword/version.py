"""The version of the package."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

__all__ = ["find_version"]


def find_version(package: Path = Path(__file__).parent) -> str:
    """Return the version of the package in a folder: a checkout's own, else the installed one.

    A checkout may be on the path while another version is installed.
    """
    root = package.parent.parent
    if (root / "crates" / "superword-python").is_dir():
        manifest = tomllib.loads((root / "Cargo.toml").read_text("utf-8"))
        return str(manifest["workspace"]["package"]["version"])
    try:
        return metadata.version("superword")
    except metadata.PackageNotFoundError:
        return "unknown"
