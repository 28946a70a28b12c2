"""Kept for old imports: see `superword.interop`."""

from superword.interop import Comparison, Format, compare_export, export

__all__ = ["Comparison", "Format", "compare_export", "export"]
