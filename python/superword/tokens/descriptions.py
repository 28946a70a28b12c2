"""The description beside a token file. It is the manifest of all files of an output."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from superword.errors import ModelFormatError
from superword.json_files import read_json_object

__all__ = ["Checksum", "Description", "TokenFormat", "read_description", "read_fields"]


class TokenFormat(NamedTuple):
    """The format of a token file.

    Attributes:
        dtype: The type of the ids.
        fingerprint: The fingerprint of the tokenizer.
        end_of_text: The id after each document, if there is one.
    """

    dtype: str
    fingerprint: str
    end_of_text: int | None

    def reject_other(self, path: Path, fingerprint: object, end_of_text: object) -> None:
        """Reject appending to a file of another tokenizer, or with another end of text.

        Raises:
            ValueError: If one of them differs.
        """
        if fingerprint != self.fingerprint:
            is_known = isinstance(fingerprint, str) and fingerprint
            other = f"the model {str(fingerprint)[:12]}" if is_known else "an unknown model"
            raise ValueError(
                f"{path}: was written with {other}, and this one is {self.fingerprint[:12]}: "
                "their ids must not be mixed; choose another output"
            )
        if end_of_text != self.end_of_text:
            raise ValueError(
                f"{path}: has the end of text {end_of_text}, not {self.end_of_text}; "
                "use the same, or another output"
            )


class Checksum:
    """The number of bytes, and their CRC-32."""

    def __init__(self) -> None:
        self.bytes = 0
        self.crc32 = 0

    def add(self, data: NDArray[Any] | bytes) -> None:
        """Add bytes, or the bytes of an array, at the end."""
        view = memoryview(data if isinstance(data, bytes) else data.data)
        self.crc32 = zlib.crc32(view, self.crc32)
        self.bytes += view.nbytes

    def as_json(self) -> dict[str, object]:
        """Return plain values.

        Example:
            >>> checksum = Checksum()
            >>> checksum.add(b"to be")
            >>> checksum.as_json()
            {'bytes': 5, 'crc32': 'fb6b8c55'}
        """
        return {"bytes": self.bytes, "crc32": f"{self.crc32:08x}"}


@dataclass(frozen=True)
class Description:
    """What the description says.

    Attributes:
        token_format: The type, the tokenizer and the end of text.
        count: The number of ids.
        documents: The number of documents.
        files: The size and the checksum of `ids`, and of `offsets` or `index`, without the headers
            of `.npy` files; none if an earlier version wrote it.
    """

    token_format: TokenFormat
    count: int
    documents: int
    files: dict[str, dict[str, object]]

    def as_json(self) -> bytes:
        """Return the contents of the file."""
        fields = {
            "dtype": self.token_format.dtype,
            "count": self.count,
            "documents": self.documents,
            "fingerprint": self.token_format.fingerprint,
            "end_of_text": self.token_format.end_of_text,
            "files": self.files,
        }
        return json.dumps(fields, indent=2).encode() + b"\n"

    def check(self, name: str, path: Path, checksum: Checksum) -> None:
        """Reject a file with other contents than it was written with.

        Raises:
            ValueError: If the size or the checksum differs.
        """
        if self.files and self.files[name] != checksum.as_json():
            raise ValueError(
                f"{path}: its checksum is not that of the description: it is damaged, or of "
                "another output; encode anew"
            )


def read_fields(path: Path) -> Mapping[str, object]:
    """Return the fields of a description.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is no JSON object.
    """
    try:
        return read_json_object(path)
    except ModelFormatError:
        message = f"{path}: not the description of a token file, or damaged; encode anew"
        raise ValueError(message) from None


def read_description(
    path: Path, about: Path, token_format: TokenFormat, names: set[str]
) -> Description:
    """Return the description of a file to append to.

    Args:
        path: The token file.
        about: Its description.
        token_format: The format that appended tokens will have.
        names: The files that there must be.

    Raises:
        ValueError: If there is none, it is damaged, or the file has another format.
    """
    try:
        fields = read_fields(about)
    except FileNotFoundError:
        raise ValueError(
            f"{path}: was written with an unknown model, or not to its end: {about.name} is "
            "missing; encode anew, or choose another output"
        ) from None
    token_format.reject_other(path, fields.get("fingerprint"), fields.get("end_of_text"))
    if fields.get("dtype") != token_format.dtype:
        raise ValueError(
            f"{about}: the dtype must be {token_format.dtype!r}, as for all files of this model, "
            f"not {fields.get('dtype')!r}; encode anew"
        )
    count, documents = (
        read_number(about, name, fields.get(name)) for name in ("count", "documents")
    )
    # Earlier versions wrote no checksums.
    files = fields.get("files", {})
    if not isinstance(files, dict) or (files and files.keys() != names):
        listed = " and ".join(sorted(names))
        raise ValueError(f"{about}: files must describe {listed}; it is damaged: encode anew")
    return Description(token_format, count, documents, files)


def read_number(about: Path, name: str, value: object) -> int:
    """Return a number of a description."""
    if type(value) is not int or not 0 <= value < 2**48:
        raise ValueError(
            f"{about}: the {name} must be a number from 0 to 2^48; it is damaged: encode anew"
        )
    return value
