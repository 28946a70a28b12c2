"""Causal language models of transformers, as functions that score windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from superword.errors import ModelFormatError, SuperwordError
from superword.evaluation.windows import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DTYPES", "TransformersModel", "open_language_model"]

DTYPES = ("auto", "float32", "bfloat16", "float16")


class TransformersModel:
    """A causal language model of transformers, called with windows.

    Args:
        model: The model. It is scored on the device and in the type that it is in.
        folder: The folder that it was loaded from, if there is one.

    Attributes:
        folder: The folder.
        dtype: The name of the type that it computes in.
        max_context: How many tokens it can read; None if its configuration does not say.
        vocab_size: The number of ids that it has probabilities for.

    Raises:
        ValueError: If tokens change what the model says of earlier ones.
    """

    def __init__(self, model: Any, folder: Path | None = None) -> None:
        self.folder = folder
        self._torch, _ = import_libraries()
        self._model = model.eval()
        config = model.config.get_text_config()
        self.dtype = str(model.dtype).removeprefix("torch.")
        self.max_context: int | None = getattr(config, "max_position_embeddings", None)
        self.vocab_size = int(config.vocab_size)
        self._check_causality()

    def __call__(self, windows: Sequence[Window]) -> list[NDArray[np.float32]]:
        """Return the log-probabilities of the ids to score in each window."""
        torch = self._torch
        # Padding on the right: later ids do not change what a causal model says of earlier ones.
        rows = np.zeros((len(windows), max(len(each.ids) for each in windows) - 1), np.int64)
        for row, window in zip(rows, windows, strict=True):
            row[: len(window.ids) - 1] = window.ids[:-1]
        scored = []
        with torch.inference_mode():
            for logits, (ids, first) in zip(self._run(rows), windows, strict=True):
                used = torch.log_softmax(logits[first - 1 : len(ids) - 1].float(), -1)
                targets = torch.from_numpy(ids[first:]).to(used.device)
                scored.append(used.gather(-1, targets[:, None])[:, 0].cpu().numpy())
        return scored

    def _run(self, rows: NDArray[np.int64]) -> Any:
        """Return the logits after each id of each row."""
        input_ids = self._torch.from_numpy(rows).to(self._model.device)
        return self._model(input_ids=input_ids, use_cache=False).logits

    def _check_causality(self) -> None:
        """Reject a model that sees what comes after a token, such as a masked one."""
        length = min(8, self.max_context or 8)
        rows = np.arange(2 * length).reshape(2, length) % self.vocab_size
        rows[1, :-1] = rows[0, :-1]
        with self._torch.inference_mode():
            first, second = self._run(rows)[:, :-1].float()
        # Rounding may differ, where tokens are sorted to experts.
        allowed = min(0.02, 1000 * self._torch.finfo(self._model.dtype).eps) * first.std()
        if (first - second).abs().max() > allowed:
            raise ValueError(
                f"{self.folder or type(self._model).__name__}: not a causal language model: what "
                "it says of a token depends on later ones"
            )


def open_language_model(
    folder: str | PathLike[str], *, device: str | None = None, dtype: str = "auto"
) -> TransformersModel:
    """Load a causal language model from a folder that transformers saved.

    Code in the folder is not run.

    Args:
        folder: The folder.
        device: Where to run it, such as `cuda:1`; a GPU by default, if there is one.
        dtype: The type to compute in: `float32`, `bfloat16`, `float16`, or `auto` for the one in
            the folder.

    Raises:
        SuperwordError: If torch or transformers is not installed.
        ModelFormatError: If the folder does not hold all of a causal language model.
        ValueError: If there is no such type.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}")
    path = Path(folder)
    if not (path / "config.json").is_file():
        raise ModelFormatError(f"{path}: not the folder of a model: it has no config.json")
    torch, transformers = import_libraries()
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        with silence(transformers.utils.logging):
            model, loaded = transformers.AutoModelForCausalLM.from_pretrained(
                path, dtype=dtype, local_files_only=True, output_loading_info=True
            )
        model.to(device)
    except Exception as error:  # transformers and safetensors raise many kinds.
        reason = str(error).strip().partition("\n")[0]
        raise ModelFormatError(f"{path}: cannot be loaded as a language model: {reason}") from None
    # transformers would fill them with random numbers.
    if missing := sorted(loaded["missing_keys"]):
        raise ModelFormatError(
            f"{path}: not a whole causal language model: it has no {missing[0]}"
            + (f", nor {len(missing) - 1:,} other weights" if len(missing) > 1 else "")
        )
    return TransformersModel(model, path)


@contextmanager
def silence(logging: Any) -> Iterator[None]:
    """Let transformers print neither bars nor reports of what it loads."""
    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()


def import_libraries() -> tuple[Any, Any]:
    """Import torch and transformers, or say how to install them.

    Raises:
        SuperwordError: If one is not installed.
    """
    try:
        import torch
        import transformers
    except ImportError as missing:
        raise SuperwordError(
            f"a language model in a folder needs {missing.name}; "
            "pip install torch 'superword[transformers]'"
        ) from None
    return torch, transformers
