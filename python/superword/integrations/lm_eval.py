"""A model type for lm-evaluation-harness, for transformers models with superword tokenizers.

    python -m superword.lm_eval run --model superword --model_args pretrained=FOLDER --tasks piqa

Needs `superword[lm_eval]`. docs/evaluation.md says what the scores mean.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from superword.integrations.covers import Covers, search_covers
from superword.integrations.held_back_logits import HeldBackLogitsProcessor, list_text_tokens
from superword.integrations.model_covers import PromptContinuation
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

# Covers of long held-back bytes may need more runs of the model; then the mask is used instead.
MAX_COVER_ERROR = 0.01
MAX_COVER_EVALUATIONS = 512


@register_model("superword")
class SuperwordLM(HFLM):
    """The harness's model type `hf`, for models whose tokenizer is a `SuperwordTokenizer`.

    - A continuation is scored with the bytes of the context that are held back, from the ids of the
      context that are certain.
    - Text is generated from the most probable cover of the held-back bytes, or from one drawn if
      sampling. The held-back bytes do not count as generated.

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

        Whether a continuation is the greedy one is asked after the most probable cover of the
        held-back bytes. This takes further runs of the model, so it is done only if no other
        continuation of the context is scored.
        """
        results = list(super().loglikelihood(requests, disable_tqdm=disable_tqdm))
        contexts = Counter(request.args[0] for request in requests)
        for index, request in enumerate(requests):
            context, continuation = request.args
            score, is_greedy = results[index]
            if context and contexts[context] == 1 and not is_greedy:
                pair = self._score_pair(context, continuation)
                if pair.held_back:
                    results[index] = (score, self._is_greedy(pair))
        return results

    def _is_greedy(self, pair: ScoredPair) -> bool:
        """Return whether the scored ids are the best cover, and then always the best id."""
        covers = self._find_covers(pair.head, pair.held_back)
        if covers is None:
            return False
        cover = covers.rank(1)[0].ids
        rest = pair.scored[len(cover) :]
        if pair.scored[: len(cover)] != cover:
            return False
        row = [*pair.head, *pair.scored][-(self.max_length + 1) : -1]
        best = self._model_call(torch.tensor([row], device=self.device))[0].argmax(-1).tolist()
        return not rest or best[-len(rest) :] == rest

    def _find_covers(self, ids: list[int], held_back: bytes) -> Covers | None:
        """Return the covers of held-back bytes; None if there are too many."""
        model = PromptContinuation(self.model, ids, self._tokens)
        try:
            return search_covers(
                model,
                self._tokens,
                held_back,
                max_error=MAX_COVER_ERROR,
                max_evaluations=MAX_COVER_EVALUATIONS,
            )
        except ValueError:
            return None

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
        """Generate from covers of the held-back bytes, and leave these out of the result."""
        if not generation_kwargs.get("temperature"):
            generation_kwargs.pop("temperature", None)
            generation_kwargs.setdefault("do_sample", False)
        masks = generation_kwargs.pop("attention_mask").bool()
        prompts = [row[mask].tolist() for row, mask in zip(context, masks, strict=True)]
        begun = [
            self._choose_cover(ids, held_back, generation_kwargs["do_sample"])
            for ids, held_back in zip(prompts, self._held_back, strict=True)
        ]
        rows = [ids + cover for ids, cover in zip(prompts, begun, strict=True)]
        batch = self.tokenizer.pad({"input_ids": rows}, padding_side="left", return_tensors="pt")
        width = batch["input_ids"].shape[1]
        # What has no cover is written under the mask. That takes room, but is not generated text.
        left = [b"" if cover else held for cover, held in zip(begun, self._held_back, strict=True)]
        extra = max(len(self.tokenizer.core.encode_bytes(held)) for held in left)
        wanted = max_length - context.shape[1] + extra
        with torch.autocast(
            device_type=self.device.type,
            dtype=self.mixed_precision_dtype,
            enabled=self.mixed_precision_dtype is not None,
        ):
            generated = self.model.generate(
                **batch.to(self.device),
                max_new_tokens=max(1, min(wanted, self.max_length - width)),
                stopping_criteria=[StopAfterHeldBack(self, begun, stop, width)],
                logits_processor=[HeldBackLogitsProcessor(self.tokenizer, left, width)],
                eos_token_id=self.eot_token_id,
                pad_token_id=self.tokenizer.pad_token_id,
                use_cache=True,
                **generation_kwargs,
            )
        new = self.list_new_ids(begun, generated[:, width:].tolist())
        longest = max(map(len, new))
        padded = [row + [self.tokenizer.pad_token_id] * (longest - len(row)) for row in new]
        return torch.cat([context, context.new_tensor(padded).long()], 1)

    def _choose_cover(self, ids: list[int], held_back: bytes, do_sample: bool) -> list[int]:
        """Return the ids of a cover; none if nothing is held back, or there are too many covers."""
        covers = self._find_covers(ids, held_back) if held_back else None
        if covers is None:
            return []
        if do_sample:
            # The harness seeds torch.
            return covers.sample(1, seed=int(torch.randint(2**31, ())))[0].ids
        return covers.rank(1)[0].ids

    def list_new_ids(self, begun: list[list[int]], rows: list[list[int]]) -> list[list[int]]:
        """Return the ids after the held-back bytes of each row."""
        return [
            self.drop_held_back(held_back, [*cover, *row])
            for held_back, cover, row in zip(self._held_back, begun, rows, strict=True)
        ]

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

    def __init__(
        self, model: SuperwordLM, begun: list[list[int]], stop: list[str], prompt_length: int
    ) -> None:
        self._model = model
        self._begun = begun
        self._stop = [text for text in stop if text]
        self._prompt_length = prompt_length

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        """Return for each row whether it is done."""
        rows = input_ids[:, self._prompt_length :].tolist()
        texts = map(self._model.tokenizer.decode, self._model.list_new_ids(self._begun, rows))
        done = [any(stop in text for stop in self._stop) for text in texts]
        return torch.tensor(done, device=input_ids.device)


def main() -> None:
    """Run the harness's command line, which then knows the model type `superword`."""
    cli_evaluate()
