"""Names that tell tokenizers apart, taken from their paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os import PathLike
from os.path import abspath
from pathlib import Path

__all__ = ["default_name", "name_apart", "number_repeated"]

# Names of files that say nothing about a tokenizer; the folder's name does.
GENERIC_STEMS = ("tokenizer", "model", "superword")


def default_name(path: str | PathLike[str]) -> str:
    """Return the name of a tokenizer's file, or of the folder of a `tokenizer.json`.

    Example:
        >>> default_name("runs/bpe.json"), default_name("runs/bpe/tokenizer.json")
        ('bpe', 'bpe')
    """
    return name_with_parents(path, 0)


def name_apart(paths: Sequence[str | PathLike[str]], given: Sequence[str | None] = ()) -> list[str]:
    """Name tokenizers by their paths, each differently.

    Paths with the same name also show as many folders as tell them apart. The same path twice
    gets a number.

    Args:
        paths: The files or folders of the tokenizers.
        given: Names that the caller has chosen, in the order of the paths; None for no choice.

    Raises:
        ValueError: If there are more names than paths, or two are alike.

    Example:
        >>> name_apart(["runs/a/bpe.json", "runs/b/bpe.json", "boundless.json"])
        ['a/bpe', 'b/bpe', 'boundless']
        >>> name_apart(["bpe.json", "bpe.json"])
        ['bpe', 'bpe (2)']
    """
    if len(given) > len(paths):
        raise ValueError(f"{len(given)} names for {len(paths)} tokenizers; give one name to each")
    chosen = [*given, *[None] * (len(paths) - len(given))]
    taken = [name for name in chosen if name]
    if repeated := [name for name, count in Counter(taken).items() if count > 1]:
        raise ValueError(f"two tokenizers are named {repeated[0]}; give each its own name")
    open_paths = [path for path, name in zip(paths, chosen, strict=True) if not name]
    found = iter(number_repeated(extend_names(open_paths), taken))
    return [name or next(found) for name in chosen]


def extend_names(paths: Sequence[str | PathLike[str]]) -> list[str]:
    """Name paths; those of one name get their suffix or the fewest folders that differ."""
    names = list(map(default_name, paths))
    for name in set(names):
        alike = [at for at, each in enumerate(names) if each == name]
        files = [Path(abspath(paths[at])) for at in alike]
        for parents in range(max(len(file.parts) for file in files)):
            for name_file in (name_with_parents, full_name_with_parents):
                longer = [name_file(file, parents) for file in files]
                if len(set(longer)) == len(set(files)):
                    break
            else:
                continue
            for at, each in zip(alike, longer, strict=True):
                names[at] = each
            break
    return names


def number_repeated(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Add a number to each name that was used before."""
    used = set(taken)
    numbered = []
    for name in names:
        number, shown = 1, name
        while shown in used:
            number += 1
            shown = f"{name} ({number})"
        used.add(shown)
        numbered.append(shown)
    return numbered


def name_with_parents(path: str | PathLike[str], parents: int) -> str:
    """Return the name of a tokenizer with some of its folders before it."""
    path = Path(abspath(path))
    # The name of a folder may have dots, and no suffix.
    last = path.name if path.is_dir() else path.stem
    folders = list(path.parts[1:-1])
    if last in GENERIC_STEMS and folders:
        last = folders.pop()
    return "/".join([*folders[max(0, len(folders) - parents) :], last])


def full_name_with_parents(path: str | PathLike[str], parents: int) -> str:
    """Return the file name of a tokenizer, suffix included, with some of its folders before it."""
    *folders, last = Path(abspath(path)).parts[1:] or [""]
    return "/".join([*folders[max(0, len(folders) - parents) :], last])
