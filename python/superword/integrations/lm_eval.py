"""A model type for lm-evaluation-harness, for transformers models with superword tokenizers.

    python -m superword.lm_eval run --model superword --model_args pretrained=FOLDER --tasks piqa

Needs `superword[lm_eval]`. docs/evaluation.md says what the scores mean.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from superword.integrations.held_back_logits import (
    HeldBackLogitsProcessor,
    HeldBackMask,
    list_text_tokens,
)
from superword.integrations.scoring import ScoredPair, encode_pair
from superword.integrations.token_prefixes import TokenPrefixes
from superword.integrations.transformers import SuperwordTokenizer

try:
    import torch
    from lm_eval.__main__ import cli_evaluate
    from lm_eval.api.registry import register_model
    from lm_eval.models.huggingface import HFLM
    from lm_eval.models.utils import has_bos_prefix
    from transformers import StoppingCriteria
except ImportError as missing:
    message = f"{missing}; pip install 'superword[lm_eval]'"
    raise ImportError(message, name=missing.name) from None

__all__ = ["SuperwordLM", "main"]


@register_model("superword")
class SuperwordLM(HFLM):
    """The harness's model type `hf`, for models whose tokenizer is a `SuperwordTokenizer`.

    - A continuation is scored with the bytes of the context that are held back, from the ids of the
      context that are certain.
    - Text is generated from the held-back bytes, which do not count as generated.

    Its arguments are those of `hf`.

    Raises:
        ValueError: If the tokenizer is another one, or the model is not a causal one.
    """

    tokenizer: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(self.tokenizer, SuperwordTokenizer):
            raise ValueError(
                f"the model's tokenizer is a {type(self.tokenizer).__name__}, not a "
                "SuperwordTokenizer; evaluate it with --model hf"
            )
        if self.backend != "causal":
            raise ValueError("--model superword needs a causal language model")
        self._tokens = TokenPrefixes(list_text_tokens(self.tokenizer))
        self._held_back: list[bytes] = []

    def _adds_special_tokens(self, text: str) -> bool:
        """Return whether special tokens are put before a text, by the rules of `hf`."""
        if has_bos_prefix(text, self.tokenizer.decode(self.prefix_token_id)):
            return False
        return self.add_bos_token is not False

    def _encode_pair(self, context: str, continuation: str) -> tuple[list[int], list[int]]:
        return self._score_pair(context, continuation)[:2]

    def _score_pair(self, context: str, continuation: str) -> ScoredPair:
        return encode_pair(
            self.tokenizer,
            context,
            continuation,
            self.prefix_token_id,
            add_special_tokens=self._adds_special_tokens(context + continuation),
        )

    def loglikelihood(
        self, requests: list[Any], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        """Score continuations.

        Whether a continuation is the greedy one is asked among the tokens that agree with the
        held-back bytes. This takes a second run of the model, so it is done only if no other
        continuation of the context is scored.
        """
        results = list(super().loglikelihood(requests, disable_tqdm=disable_tqdm))
        contexts = Counter(request.args[0] for request in requests)
        again = []
        for index, request in enumerate(requests):
            context, continuation = request.args
            if context and contexts[context] == 1 and not results[index][1]:
                pair = self._score_pair(context, continuation)
                if pair.held_back:
                    again.append((index, pair))
        size = self.batch_size if isinstance(self.batch_size, int) else 1
        again.sort(key=lambda item: len(item[1].head) + len(item[1].scored))
        for start in range(0, len(again), size):
            batch = again[start : start + size]
            flags = self._are_greedy([pair for _, pair in batch])
            for (index, _), is_greedy in zip(batch, flags, strict=True):
                results[index] = (results[index][0], is_greedy)
        return results

    def _are_greedy(self, pairs: list[ScoredPair]) -> list[bool]:
        """Return whether each scored id is the most probable of those that are allowed."""
        rows = [[*pair.head, *pair.scored][-(self.max_length + 1) : -1] for pair in pairs]
        longest = max(map(len, rows))
        padded = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        logits = self._model_call(padded.to(self.device))
        found = []
        for pair, row, scores in zip(pairs, rows, logits, strict=True):
            mask = HeldBackMask(self._tokens, [pair.held_back])
            first = len(row) - len(pair.scored)
            is_greedy = True
            for at, id in enumerate(pair.scored):
                (allowed,) = mask.find_allowed([pair.scored[:at]])
                next_scores = scores[first + at]
                if allowed is None:
                    is_greedy &= int(next_scores.argmax()) == id
                else:
                    best = int(next_scores[torch.as_tensor(allowed, device=scores.device)].argmax())
                    is_greedy &= int(allowed[best]) == id
            found.append(is_greedy)
        return found

    def tok_batch_encode(
        self,
        strings: list[str],
        padding_side: str = "left",
        left_truncate_len: int | None = None,
        truncation: bool = False,
    ) -> tuple[Any, Any]:
        """Encode prompts to generate from; what is held back is kept for `_model_generate`."""
        prompts = [
            self.tokenizer.encode_prompt(text, self._adds_special_tokens(text)) for text in strings
        ]
        self._held_back = [prompt.held_back for prompt in prompts]
        rows = [prompt.ids or [self.prefix_token_id] for prompt in prompts]
        kept = [row[-left_truncate_len:] if left_truncate_len else row for row in rows]
        padded = self.tokenizer.pad(
            {"input_ids": kept}, padding_side=padding_side, return_tensors="pt"
        )
        return padded["input_ids"], padded["attention_mask"]

    def _model_generate(
        self, context: Any, max_length: int, stop: list[str], **generation_kwargs: Any
    ) -> Any:
        """Generate from the held-back bytes, and leave them out of the result."""
        if not generation_kwargs.get("temperature"):
            generation_kwargs.pop("temperature", None)
            generation_kwargs.setdefault("do_sample", False)
        width = context.shape[1]
        mask = HeldBackLogitsProcessor(self.tokenizer, self._held_back, width)
        stopping = StopAfterHeldBack(self, stop, width)
        # Held-back bytes take room, but are not generated text.
        extra = max(len(self.tokenizer.core.encode_bytes(held)) for held in self._held_back)
        with torch.autocast(
            device_type=self.device.type,
            dtype=self.mixed_precision_dtype,
            enabled=self.mixed_precision_dtype is not None,
        ):
            generated = self.model.generate(
                input_ids=context,
                max_length=min(max_length + extra, max(self.max_length, max_length)),
                stopping_criteria=[stopping],
                logits_processor=[mask],
                eos_token_id=self.eot_token_id,
                pad_token_id=self.tokenizer.pad_token_id,
                use_cache=True,
                **generation_kwargs,
            )
        rows = generated[:, width:].tolist()
        each = len(rows) // len(self._held_back)
        new = [
            self.drop_held_back(self._held_back[index // each], row)
            for index, row in enumerate(rows)
        ]
        longest = max(map(len, new))
        padded = [row + [self.tokenizer.pad_token_id] * (longest - len(row)) for row in new]
        return torch.cat([generated[:, :width], generated.new_tensor(padded).long()], 1)

    def drop_held_back(self, held_back: bytes, ids: list[int]) -> list[int]:
        """Return the ids of the text after the held-back bytes.

        If a token goes on after them, the rest of it is encoded anew.
        """
        for count in range(len(ids) + 1):
            if self._tokens.find_rest(held_back, ids[:count]) == b"":
                written = self._tokens.join_bytes(ids[:count])
                return [*self.tokenizer.core.encode_bytes(written[len(held_back) :]), *ids[count:]]
        return []  # There was no room for all of them.


class StopAfterHeldBack(StoppingCriteria):
    """Ends a row once a stop string is in the text after the held-back bytes.

    The harness then trims the text: a superword may go on after the stop string.
    """

    def __init__(self, model: SuperwordLM, stop: list[str], prompt_length: int) -> None:
        self._model = model
        self._held_back = model._held_back
        self._stop = [text for text in stop if text]
        self._prompt_length = prompt_length

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        """Return for each row whether it is done."""
        rows = input_ids[:, self._prompt_length :].tolist()
        each = len(rows) // len(self._held_back)
        done = []
        for index, row in enumerate(rows):
            new = self._model.drop_held_back(self._held_back[index // each], row)
            text = self._model.tokenizer.decode(new)
            done.append(any(stop in text for stop in self._stop))
        return torch.tensor(done, device=input_ids.device)


def main() -> None:
    """Run the harness's command line, which then knows the model type `superword`."""
    cli_evaluate()
