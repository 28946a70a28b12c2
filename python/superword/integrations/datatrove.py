"""A pipeline step for datatrove that encodes documents; needs `datatrove`."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from superword.tokenizer import load
from superword.tokens import encode_corpus

try:
    from datatrove.pipeline.base import PipelineStep
except ImportError as missing:
    raise ImportError(f"{missing}; pip install datatrove", name=missing.name) from None

__all__ = ["SuperwordEncoder"]


class SuperwordEncoder(PipelineStep):
    """Encodes the documents of each task to one file: `00000.bin`, `00001.bin`, ...

    Args:
        model: The model file; each task loads it.
        output_folder: The folder; it is made if it does not exist.
        format: The suffix of the files: `.npy`, `.bin`, `.parquet` or `.idx`.
        end_of_text: The special token, or the id, to put after each document.
        threads: Threads per task; one by default, since tasks run in parallel.
    """

    type = "Tokenizer"
    name = "superword"

    def __init__(
        self,
        model: str | PathLike[str],
        output_folder: str | PathLike[str],
        *,
        format: str = ".bin",
        end_of_text: int | str | None = None,
        threads: int = 1,
    ) -> None:
        super().__init__()
        self.model = model
        self.output_folder = Path(output_folder)
        self.format = format
        self.end_of_text = end_of_text
        self.threads = threads

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Encode the documents of a task. Like other tokenizer steps, it passes none on."""
        tok = load(self.model)
        self.output_folder.mkdir(parents=True, exist_ok=True)
        with self.track_time("file"):
            encoded = encode_corpus(
                tok,
                (document.text for document in data),
                self.output_folder / f"{rank:05}{self.format}",
                end_of_text=self.end_of_text,
                threads=self.threads,
            )
        self.stat_update("tokens", value=encoded.tokens, unit="file")
        self.stat_update("documents", value=encoded.documents, unit="file")
        yield from ()
