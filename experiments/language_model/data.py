"""The tokens of an arm: batches to train on, windows to measure on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from superword.evaluation.windows import cut_windows

__all__ = ["END_OF_TEXT", "ArmData", "Windows", "folder_of", "read_arm", "read_windows"]

END_OF_TEXT = "<|endoftext|>"


def folder_of(work: Path, arm: str) -> Path:
    """Return the folder of an arm."""
    return work / arm.replace(", ", "-").replace(" ", "-").lower()


@dataclass(frozen=True)
class ArmData:
    """What `prepare.py` has written for an arm.

    Attributes:
        vocab_size: Size of the vocabulary, end-of-text included.
        end_of_text: The id of end-of-text.
        train: The ids to train on: all documents, each followed by end-of-text.
        train_bytes: The bytes of their text.
        evaluation: The ids to measure on, without end-of-text.
        offsets: Where each document starts in `evaluation`, and the end of the last.
        lengths: The bytes of each token.
    """

    vocab_size: int
    end_of_text: int
    train: NDArray[Any]
    train_bytes: int
    evaluation: NDArray[Any]
    offsets: NDArray[Any]
    lengths: NDArray[Any]

    @property
    def bytes_per_token(self) -> float:
        """Bytes of text per token to train on."""
        return self.train_bytes / len(self.train)

    def batch(self, step: int, rows: int, context: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the ids of a batch, and the id that follows each.

        Rows follow each other in the order of the documents, in every arm.

        Raises:
            ValueError: If the text to train on ends before.
        """
        start = step * rows * context
        ids = self.train[start : start + rows * context + 1].astype(np.int64)
        if len(ids) <= rows * context:
            raise ValueError(f"the text to train on ends before step {step:,}")
        return ids[:-1].reshape(rows, context), ids[1:].reshape(rows, context)

    def bytes_per_document(self) -> NDArray[np.int64]:
        """Return the bytes of each document to measure on."""
        ends = np.concatenate([[0], np.cumsum(self.lengths[self.evaluation], dtype=np.int64)])
        sizes: NDArray[np.int64] = np.diff(ends[self.offsets])
        return sizes


def read_arm(work: Path, arm: str) -> ArmData:
    """Read what `prepare.py` has written for an arm.

    Raises:
        ValueError: If the tokens to measure on do not have the bytes of the text.
    """
    folder = folder_of(work, arm)
    described = json.loads((folder / "arm.json").read_text())
    data = ArmData(
        vocab_size=described["vocab_size"],
        end_of_text=described["end_of_text"],
        train=np.load(folder / "train.npy", mmap_mode="r"),
        train_bytes=described["train"]["bytes"],
        evaluation=np.load(folder / "evaluation.npy", mmap_mode="r"),
        offsets=np.load(folder / "evaluation.offsets.npy"),
        lengths=np.load(folder / "lengths.npy"),
    )
    found, wanted = int(data.lengths[data.evaluation].sum()), described["evaluation"]["bytes"]
    if found != wanted:
        raise ValueError(f"{folder}: the tokens have {found:,} bytes, the text {wanted:,}")
    return data


@dataclass(frozen=True)
class Windows:
    """A batch of windows over documents.

    Attributes:
        ids: Rows of ids, filled up with end-of-text.
        targets: For each of them, the id that follows.
        documents: For each target, the document that it belongs to; -1 where it is not scored.
    """

    ids: NDArray[np.int64]
    targets: NDArray[np.int64]
    documents: NDArray[np.int64]


def read_windows(data: ArmData, rows: int, context: int) -> Iterator[Windows]:
    """Yield windows in which each token is scored once.

    Windows begin half a context apart.
    """
    parts = [
        (document, window)
        for document, (start, end) in enumerate(zip(data.offsets, data.offsets[1:], strict=False))
        for window in cut_windows(
            data.evaluation[start:end], data.end_of_text, context, max(1, context // 2)
        )
    ]
    for first in range(0, len(parts), rows):
        ids = np.full((rows, context + 1), data.end_of_text, dtype=np.int64)
        documents = np.full((rows, context), -1, dtype=np.int64)
        for row, (document, window) in enumerate(parts[first : first + rows]):
            length = len(window.ids)
            ids[row, :length] = window.ids
            documents[row, window.first - 1 : length - 1] = document
        yield Windows(ids[:, :-1], ids[:, 1:], documents)
