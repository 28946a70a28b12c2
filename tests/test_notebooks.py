"""The notebooks in `examples` run in a real kernel, and show HTML."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import superword

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
# In the order of the notebook's outputs, what each HTML must have.
SHOWN = {
    "train_and_see": ["Most frequent superwords", 'class="token superword"', "bytes per token"],
    "compare": ["BoundlessBPE", "unstable prompt ends", "Each token"],
    "extend_a_base": ["BPE · 4,096 tokens", "BoundlessBPE · 5,096 tokens", "special token"],
}


def read(path: Path) -> Any:
    return pytest.importorskip("nbformat").read(path, as_version=4)


def test_there_are_three_notebooks_without_outputs() -> None:
    assert [path.stem for path in NOTEBOOKS] == sorted(SHOWN)
    for path in NOTEBOOKS:
        cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
        assert all(not cell.outputs and cell.execution_count is None for cell in cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    kernel = tmp_path / "kernels" / "here"
    kernel.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    described = {"argv": command, "display_name": "here", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(described))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    # The kernel imports the package that is tested.
    package = Path(superword.__file__).parent.parent
    paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    resources = {"metadata": {"path": str(tmp_path)}}
    notebook = read(path)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="here", resources=resources)
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not any(output.output_type == "error" for output in outputs)
    assert not any(output.get("name") == "stderr" for output in outputs)
    html = "".join(output.data.get("text/html", "") for output in outputs if "data" in output)
    for expected in SHOWN[path.stem]:
        assert expected in html
    # What a kernel sends beside the HTML, for terminals, has no escapes.
    plain = "".join(output.data.get("text/plain", "") for output in outputs if "data" in output)
    assert "tokens" in plain and "\x1b" not in plain
