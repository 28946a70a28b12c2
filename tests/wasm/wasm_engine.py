"""An engine that runs the built superword.wasm, as engine.js does."""

from __future__ import annotations

import array
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import wasmtime

import superword

SITE = Path(superword.__file__).parent / "playground" / "site"


class WasmEngine:
    """The exported functions of superword.wasm, with Python values."""

    def __init__(self, wasm: bytes) -> None:
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        linker = wasmtime.Linker(engine)
        self.report: Callable[[int, float, float], bool] = lambda stage, done, total: False
        kinds = [wasmtime.ValType.i32(), wasmtime.ValType.f64(), wasmtime.ValType.f64()]
        linker.define_func(
            "page",
            "report_progress",
            wasmtime.FuncType(kinds, [wasmtime.ValType.i32()]),
            lambda *progress: int(self.report(*progress)),
        )
        module = wasmtime.Module(engine, wasm)
        self._exports = linker.instantiate(self._store, module).exports(self._store)
        memory = self._exports["memory"]
        assert isinstance(memory, wasmtime.Memory)
        self._memory = memory

    def close(self) -> None:
        """Free the memory. At the end of the process it would be too late."""
        self._store.close()

    def run(self, name: str, *numbers: int) -> int:
        """Call a function on numbers."""
        function = self._exports[name]
        assert isinstance(function, wasmtime.Func)
        return int(function(self._store, *numbers) or 0)

    def call(self, name: str, *numbers: int, inputs: tuple[bytes, ...] = ()) -> list[bytes]:
        """Call a function on numbers and inputs, and return its results.

        Raises:
            ValueError: If it fails, with its sentence.
        """
        for number, content in enumerate(inputs):
            start = self.run("reserve_input", number, len(content))
            assert start, "there is no memory"
            self._memory.write(self._store, content, start)
        succeeded = self.run(name, *numbers)
        results = [self._read(number) for number in range(self.run("result_count"))]
        if not succeeded:
            raise ValueError(results[0].decode())
        return results

    def _read(self, number: int) -> bytes:
        start, length = self.run("result_start", number), self.run("result_length", number)
        return bytes(self._memory.read(self._store, start, start + length))

    def load(self, content: bytes, name: str = "") -> dict[str, Any]:
        """Open a file, and return its summary."""
        return self._summary(self.call("load_model", inputs=(content, name.encode())))

    def train(self, documents: list[str], config: dict[str, object]) -> dict[str, Any]:
        """Train a model, and return its summary."""
        contents = [document.encode() for document in documents]
        ends = array.array("I")
        for content in contents:
            ends.append(len(content) + (ends[-1] if ends else 0))
        inputs = b"".join(contents), ends.tobytes(), json.dumps(config).encode()
        return self._summary(self.call("train_model", inputs=inputs))

    def _summary(self, results: list[bytes]) -> dict[str, Any]:
        summary: dict[str, Any] = json.loads(results[0])
        return summary

    def encode(self, handle: int, text: str, name: str = "encode_text") -> list[list[int]]:
        """Return the results of a function on a text, each a list of numbers."""
        return [read_numbers(r) for r in self.call(name, handle, inputs=(text.encode(),))]

    def decode(self, handle: int, ids: list[int]) -> bytes:
        """Return the bytes of ids."""
        return self.call("decode_ids", handle, inputs=(array.array("I", ids).tobytes(),))[0]


def read_numbers(result: bytes) -> list[int]:
    """Return the numbers of a result."""
    return list(array.array("I", result))


@pytest.fixture(scope="session")
def engine() -> Iterator[WasmEngine]:
    """Return an engine of the file that is part of the package."""
    engine = WasmEngine((SITE / "superword.wasm").read_bytes())
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def site() -> Path:
    """Return the folder of superword.wasm and engine.js."""
    return SITE
