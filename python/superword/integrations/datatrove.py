"""A pipeline step for datatrove that encodes documents; needs `datatrove`."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from superword.atomic_files import local_path
from superword.tokenizer import load
from superword.tokens import Encoded, encode_corpus

try:
    from datatrove.io import DataFolder, get_datafolder
    from datatrove.pipeline.base import PipelineStep
except ImportError as missing:
    raise ImportError(f"{missing}; pip install datatrove", name=missing.name) from None

__all__ = ["SuperwordEncoder"]


class SuperwordEncoder(PipelineStep):
    """Encodes the documents of each task to one file: `00000.bin`, `00001.bin`, ...

    Args:
        model: The model file; each task loads it.
        output_folder: The folder, or any folder of datatrove's, such as `s3://bucket/tokens`; it is
            made if it does not exist. Files of a remote folder are first written to a temporary
            folder.
        format: The suffix of the files: `.npy`, `.bin`, `.parquet` or `.idx`.
        end_of_text: The special token, or the id, to put after each document.
        threads: Threads per task; one by default, since tasks run in parallel.
    """

    type = "Tokenizer"
    name = "superword"

    def __init__(
        self,
        model: str | PathLike[str],
        output_folder: str | PathLike[str] | tuple[Any, ...] | DataFolder,
        *,
        format: str = ".bin",
        end_of_text: int | str | None = None,
        threads: int = 1,
    ) -> None:
        super().__init__()
        self.model = model
        is_url = isinstance(output_folder, str) and "://" in output_folder
        if isinstance(output_folder, (str, PathLike)) and not is_url:
            # fsspec would take a relative path from the folder in which the process started.
            output_folder = str(local_path(output_folder).absolute())
        self.output_folder = get_datafolder(output_folder)
        self.format = format
        self.end_of_text = end_of_text
        self.threads = threads

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Encode the documents of a task. Like other tokenizer steps, it passes none on."""
        self.output_folder.makedirs("", exist_ok=True)
        with self.track_time("file"):
            if self.output_folder.is_local():
                encoded = self._encode(data, Path(self.output_folder.path), rank)
            else:
                with TemporaryDirectory() as folder:
                    encoded = self._encode(data, Path(folder), rank)
                    self._upload(Path(folder))
        self.stat_update("tokens", value=encoded.tokens, unit="file")
        self.stat_update("documents", value=encoded.documents, unit="file")
        yield from ()

    def _encode(self, data: Any, folder: Path, rank: int) -> Encoded:
        return encode_corpus(
            load(self.model),
            (document.text for document in data),
            folder / self._name(rank),
            end_of_text=self.end_of_text,
            threads=self.threads,
        )

    def _name(self, rank: int) -> str:
        return f"{rank:05}{self.format}"

    def _upload(self, folder: Path) -> None:
        """Copy the files of a task. The description is removed first and copied last."""
        names = sorted((file.name for file in folder.iterdir()), key=is_description)
        if is_description(names[-1]) and self.output_folder.exists(names[-1]):
            self.output_folder.rm(names[-1])
        for name in names:
            self.output_folder.put_file(str(folder / name), name)


def is_description(name: str) -> bool:
    """Return whether a file is the description of a token file, which vouches for the others."""
    return name.endswith(".json")
