"""Sources put together in groups, so that a report tells kinds of text apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from superword.evaluation.measurement import Share

__all__ = ["grouped"]

OTHER = "other"


def grouped(sources: Mapping[str, Share], groups: Mapping[str, Sequence[str]]) -> dict[str, Share]:
    """Sum up sources by the first group that has a glob for their name.

    Example:
        >>> sources = {"a/b": Share(1, 10, 2), "a/c": Share(1, 20, 4), "d": Share(1, 5, 1)}
        >>> grouped(sources, {"letters": ["a/*"]})["letters"]
        Share(documents=2, bytes=30, tokens=6)
        >>> grouped(sources, {"letters": ["a/*"]})["other"]
        Share(documents=1, bytes=5, tokens=1)
    """
    found: dict[str, Share] = {}
    for name, share in sources.items():
        matching = (
            group
            for group, globs in groups.items()
            if any(fnmatchcase(name, glob) for glob in globs)
        )
        group = next(matching, OTHER)
        before = found.get(group, Share(0, 0, 0))
        found[group] = Share(*map(sum, zip(before, share, strict=True)))
    ordered = [*groups, OTHER]
    return {group: found[group] for group in ordered if group in found}
