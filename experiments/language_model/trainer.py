"""Train one model, and measure it."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from language_model.configuration import Experiment, Size
from language_model.data import ArmData, read_windows
from language_model.flops import training_flops
from language_model.model import LanguageModel
from language_model.muon import Muon
from language_model.schedule import context_tokens, rate_factor, row_count

__all__ = ["Trainer"]

State = dict[str, Any]

# Losses are fetched from the device, and checkpoints considered, after so many steps.
REPORT_STEPS = 50


class Trainer:
    """A model in training.

    Attributes:
        step: The steps made.
        losses: The mean loss of each step, in nats per token.
        seconds: The time that they took.
    """

    def __init__(
        self, experiment: Experiment, size: Size, data: ArmData, seed: int, rates: list[float]
    ) -> None:
        """Make a model and its optimizers.

        Args:
            experiment: The experiment.
            size: The size of the model.
            data: The arm.
            seed: The seed of the weights.
            rates: The learning rates of matrices and of embedding and head.
        """
        self.experiment, self.data = experiment, data
        self.context, self.rows = context_tokens(experiment, data), row_count(experiment)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.manual_seed(seed)
        torch.set_float32_matmul_precision("high")
        self.model = LanguageModel(data.vocab_size, size.width, size.layers, self.context)
        self.model.to(self.device)
        if self.device == "cuda":
            # Shapes differ between arms, and only some recompilations are allowed.
            torch.compiler.reset()
            self.model.compile_parts()
        others = [self.model.embedding.weight, self.model.head.weight]
        self.optimizers: list[torch.optim.Optimizer] = [
            Muon(self.model.matrices(), rates[0]),
            torch.optim.AdamW(others, rates[1], betas=(0.9, 0.95), weight_decay=0.0, fused=True),
        ]
        self.rates = rates
        self.flops_per_token = training_flops(
            size.width, size.layers, data.vocab_size, self.context
        )
        self.step = 0
        self.seconds = 0.0
        self.losses: list[float] = []

    def train(self, until: int, end: int) -> Iterator[None]:
        """Train up to a step, in parts.

        Args:
            until: The step to stop at.
            end: The step at which the learning rates are 0.
        """
        recent = []
        began = time.monotonic()
        while self.step < until:
            factor = rate_factor(
                self.step, end, self.experiment.warmup_steps, self.experiment.decay
            )
            recent.append(self.train_step(factor))
            if len(recent) == REPORT_STEPS or self.step == until:
                self.losses += torch.stack(recent).tolist()
                recent.clear()
                self.seconds += time.monotonic() - began
                yield
                began = time.monotonic()

    def train_step(self, factor: float) -> torch.Tensor:
        """Train on one batch with a part of the learning rates, and return the loss."""
        for optimizer, rate in zip(self.optimizers, self.rates, strict=True):
            optimizer.param_groups[0]["lr"] = rate * factor
        ids, targets = self.data.batch(self.step, self.rows, self.context)
        with self.bf16():
            loss = self.model(self.to_device(ids), self.to_device(targets)).mean()
        loss.backward()
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self.step += 1
        return loss.detach()

    @torch.no_grad()
    def bits_per_document(self) -> NDArray[np.float64]:
        """Return the bits of each document to measure on: of all its tokens, in context."""
        documents = len(self.data.offsets) - 1
        # What is not scored goes to one more document.
        nats = torch.zeros(documents + 1, dtype=torch.float64, device=self.device)
        for windows in read_windows(self.data, self.rows, self.context):
            with self.bf16():
                losses = self.model(self.to_device(windows.ids), self.to_device(windows.targets))
            owners = self.to_device(windows.documents % (documents + 1))
            nats.index_add_(0, owners.flatten(), losses.flatten().double())
        bits: NDArray[np.float64] = nats[:-1].cpu().numpy() / np.log(2)
        return bits

    def state(self) -> State:
        """Return a copy of everything that training changes."""
        state = {
            "step": self.step,
            "losses": self.losses,
            "seconds": self.seconds,
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
        }
        return copy.deepcopy(state)

    def restore(self, state: State) -> None:
        """Go back to a state."""
        state = copy.deepcopy(state)
        self.step, self.losses, self.seconds = state["step"], state["losses"], state["seconds"]
        self.model.load_state_dict(state["model"])
        for optimizer, part in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(part)

    def bf16(self) -> torch.autocast:
        """Return the context in which matrices are multiplied in bf16; on a CPU, in float32."""
        return torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda")

    def to_device(self, values: NDArray[Any]) -> torch.Tensor:
        """Copy an array to where the model is, without waiting for the work before."""
        tensor = torch.from_numpy(values)
        if self.device == "cuda":
            tensor = tensor.pin_memory()
        return tensor.to(self.device, non_blocking=True)
