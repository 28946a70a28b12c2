"""Superword tokenizers in Hugging Face transformers; needs `superword[transformers]`.

Importing this module registers them with `AutoTokenizer`: docs/transformers.md.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, groupby
from pathlib import Path
from typing import Any

from superword.atomic_files import local_path, temporary_folder, write_atomically
from superword.errors import UnknownTokenError
from superword.integrations.added_tokens import AddedTokenRule, AddedTokens
from superword.integrations.assembled import Assembled
from superword.integrations.held_back_logits import HeldBackLogitsProcessor
from superword.integrations.model_covers import find_covers
from superword.integrations.model_inputs import (
    Row,
    Rows,
    SequenceIds,
    encode_sequences,
    list_examples,
)
from superword.integrations.retraining import retrain
from superword.integrations.special_pattern import SpecialPattern
from superword.integrations.structured_output import StructuredOutput
from superword.integrations.truncation import truncate
from superword.interop.byte_spelling import read_spelling, spell
from superword.interop.folders import MODEL_FILE
from superword.tokenizer import Prompt, Tokenizer, load

try:
    from transformers import AddedToken, AutoTokenizer, BatchEncoding, PreTrainedConfig
    from transformers.tokenization_python import PythonBackend
    from transformers.utils import PaddingStrategy
except ImportError as missing:
    message = f"{missing}; pip install 'superword[transformers]'"
    raise ImportError(message, name=missing.name) from None

__all__ = ["HeldBackLogitsProcessor", "SuperwordConfig", "SuperwordTokenizer", "find_covers"]

# Saved folders hold this module, for loading with trust_remote_code.
STUB_FILE = "tokenization_superword.py"
# Files that transformers writes for some tokenizers only.
OPTIONAL_FILES = ("added_tokens.json", "chat_template.jinja")
NAMED_SPECIAL = PythonBackend.SPECIAL_TOKENS_ATTRIBUTES
STUB = "from superword.integrations.transformers import SuperwordTokenizer\n"


class SuperwordConfig(PreTrainedConfig):
    """The model type that these tokenizers are registered for. They work with any other too."""

    model_type = "superword"


class SuperwordTokenizer(SpecialPattern, StructuredOutput, PythonBackend):
    """A transformers tokenizer that encodes and decodes with a superword model.

    The model's special tokens are special here too, with the same ids, and its added tokens are
    added tokens that are not special. Further added tokens get ids after all others.

    Args:
        vocab_file: The tokenizer, or its file.
        settings: The settings of transformers tokenizers: `eos_token`, `pad_token`,
            `padding_side`, `model_max_length`, `chat_template`, and so on; and
            `special_tokens_pattern`, the special tokens around a text: `bos`, `eos`, `bos_eos`, by
            default none; or `add_bos_token` and `add_eos_token`. `add_prefix_space` can only be
            false.

    Example:
        >>> import superword
        >>> tok = superword.train(["to be or not to be"], 258, special_tokens=["<|end|>"])
        >>> tokenizer = SuperwordTokenizer(tok, eos_token="<|end|>", pad_token="<|end|>")
        >>> tokenizer(["to be", "to be<|end|>"], padding=True)["input_ids"]
        [[257, 256, 258], [257, 256, 258]]
    """

    vocab_files_names = {"vocab_file": MODEL_FILE}
    model_input_names = ["input_ids", "attention_mask"]
    _auto_map = {"AutoTokenizer": [f"{Path(STUB_FILE).stem}.SuperwordTokenizer", None]}
    # Texts are encoded as they are. Some programs read this attribute.
    add_prefix_space = False

    def __init__(self, vocab_file: Tokenizer | str | os.PathLike[str], **settings: Any) -> None:
        if settings.get("add_prefix_space"):
            raise ValueError(
                "add_prefix_space=True is not supported: texts are encoded as they are; "
                "put the space before the text"
            )
        if vocab_file is None:  # The base class found none.
            reason = "missing, or not written to its end; save the tokenizer again"
            raise FileNotFoundError(errno.ENOENT, reason, MODEL_FILE)
        # First, since the base class needs the vocabulary.
        self.core = vocab_file if isinstance(vocab_file, Tokenizer) else load(vocab_file)
        self._added_tokens_decoder = {
            id: AddedToken(text, special=True, normalized=False)
            for text, id in self.core.special_tokens.items()
        } | {
            id: AddedToken(text, special=False, normalized=False)
            for text, id in self.core.added_tokens.items()
        }
        ids = [id for id, _ in self.core._model.vocabulary()]
        self._vocab_size = max(ids, default=-1) + 1
        around = {name: settings.pop(name, None) for name in ("add_bos_token", "add_eos_token")}
        super().__init__(**settings)
        for name, is_added in around.items():
            if is_added is not None:
                setattr(self, name, is_added)
        # The base class does not save it.
        self.init_kwargs["special_tokens_pattern"] = self.special_tokens_pattern
        for text in self.core.special_tokens:
            if text not in self.all_special_tokens:
                self._extra_special_tokens.append(text)

    @classmethod
    def register_for_auto_class(cls, auto_class: str = "AutoTokenizer") -> None:
        """Do nothing: every saved folder says how to load it."""

    @property
    def vocab_size(self) -> int:
        """The number of ids, without special and added tokens."""
        return self._vocab_size

    def get_vocab(self) -> dict[str, int]:
        """Return all tokens with their ids, spelled as GPT-2 spells bytes."""
        tokens = {spell(token): id for id, token in self.core._model.vocabulary()}
        return tokens | dict(self._added_tokens_encoder)

    def _update_total_vocab_size(self) -> None:
        """Update everything that depends on added tokens. The base class calls it on changes.

        It is not computed lazily: that would change the hash by which `datasets` recognizes a
        tokenizer.
        """
        # Not the number of strings: ids may have gaps, and two tokens may have the same spelling.
        self.total_vocab_size = max(self._vocab_size - 1, *self._added_tokens_decoder, 0) + 1
        found_by_model = set(self.core.added_tokens.items())
        self._added_tokens = AddedTokens(
            AddedTokenRule(token.content, id, token.lstrip, token.rstrip, token.single_word)
            for id, token in self._added_tokens_decoder.items()
            if (token.content, id) not in found_by_model
        )

    def _add_tokens(
        self, new_tokens: Sequence[str | AddedToken] | None, special_tokens: bool = False
    ) -> int:
        """Add tokens with ids after all others; existing ones are kept."""
        self._update_total_vocab_size()
        before = self.total_vocab_size
        for given in new_tokens or ():
            if not isinstance(given, (str, AddedToken)):
                raise TypeError(f"a token must be a string or an AddedToken, not {given!r}")
            text = str(given)
            if not text or text in self._added_tokens_encoder:
                continue
            is_special = special_tokens or text in self.all_special_tokens
            if isinstance(given, str):
                token = AddedToken(given, special=is_special, normalized=not is_special)
            else:
                token = given
                if is_special and not token.special:
                    token.__setstate__({"special": True, "normalized": token.normalized})
            # A token of the vocabulary keeps its id, unless it becomes special.
            known = None if token.special else self.core._model.token_id(text.encode())
            id = self.total_vocab_size if known is None else known
            self.total_vocab_size = max(self.total_vocab_size, id + 1)
            if token.special and text not in self.all_special_tokens:
                self._extra_special_tokens.append(token)
            self._added_tokens_decoder[id] = token
            self._added_tokens_encoder[text] = id
        added = self.total_vocab_size - before
        self._update_total_vocab_size()
        return added

    def _tokenize(self, text: str, **kwargs: Any) -> list[str]:
        return [spell(self.core.token_bytes(id)) for id in self.core.encode_ordinary(text)]

    def tokenize(self, text: str, **kwargs: Any) -> list[str]:
        """Encode a text to the strings that `get_vocab` returns."""
        split = bool(kwargs.get("split_special_tokens", self.split_special_tokens))
        (sequence,) = encode_sequences(self.core, self._added_unless(split), [text])
        return list(self.convert_ids_to_tokens(sequence.ids))

    def encode_prompt(
        self,
        text: str,
        add_special_tokens: bool = True,
        split_special_tokens: bool | None = None,
    ) -> Prompt:
        """Encode a text that will be continued: the ids that are certain, and the remaining bytes.

        Whatever follows, the ids of the whole text start with these. A rest that may become a
        special or an added token is held back too. `HeldBackLogitsProcessor` and `find_covers`
        continue from the held-back bytes: docs/transformers.md.

        Args:
            text: The text; for a chat, what `apply_chat_template` returns with `tokenize=False`.
            add_special_tokens: Whether to put the special tokens before the text that
                `special_tokens_pattern` says. None are put after it.
            split_special_tokens: Whether special and added tokens in the text are ordinary text; by
                default as the tokenizer is set.

        Example:
            >>> import superword
            >>> tok = superword.train(["one of the end of the"], 259, special_tokens=["<|end|>"])
            >>> SuperwordTokenizer(tok).encode_prompt("<|end|>end of the")
            Prompt(ids=[259, 101, 110, 100], held_back=b' of the')
        """
        split = self.split_special_tokens if split_special_tokens is None else split_special_tokens
        added = self._added_unless(split)
        end, rest = added.split_prompt(text) if added else (0, len(text))
        ids: list[int] = []
        if add_special_tokens and self._special_count(1):
            marked = self.build_inputs_with_special_tokens([-1])
            ids += marked[: marked.index(-1)]
        if end:
            (sequence,) = encode_sequences(self.core, added, [text[:end]])
            ids += sequence.ids
        prompt = self.core.encode_prompt(text[end:rest])
        return Prompt(ids + prompt.ids, prompt.held_back + text[rest:].encode())

    def _convert_token_to_id(self, token: str) -> int | None:
        spelled = read_spelling(token)
        id = None if spelled is None else self.core._model.token_id(spelled)
        return self.unk_token_id if id is None else id

    def _convert_id_to_token(self, index: int) -> str | None:
        """Return a token; None for an id without one, as of an embedding padded to a round size."""
        try:
            return spell(self.core.token_bytes(index))
        except UnknownTokenError:
            if index < 0:
                raise
            return None

    def convert_tokens_to_string(self, tokens: Sequence[str | None]) -> str:
        """Join tokens, spelled as in `get_vocab`, to a text. None is left out."""
        known = (token for token in tokens if token is not None)
        return b"".join(map(self._bytes_of, known)).decode("utf-8", "replace")

    def _bytes_of(self, token: str) -> bytes:
        spelled = None if token in self._added_tokens_encoder else read_spelling(token)
        return token.encode() if spelled is None else spelled

    def _decode(
        self,
        token_ids: int | list[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **kwargs: Any,
    ) -> str:
        """Decode ids to text; spaces are never cleaned up, and ids without a token are left out."""
        ids = [token_ids] if isinstance(token_ids, int) else token_ids
        if skip_special_tokens:
            skipped = set(self.all_special_ids)
            ids = [id for id in ids if id not in skipped]
        try:
            decoded = self._decode_bytes(ids)
        except UnknownTokenError:
            added = self._added_tokens_decoder
            known = (id in added or self._convert_id_to_token(id) is not None for id in ids)
            decoded = self._decode_bytes(list(compress(ids, known)))
        return decoded.decode("utf-8", "replace")

    def _decode_bytes(self, ids: list[int]) -> bytes:
        added = self._added_tokens_decoder
        if added.keys().isdisjoint(ids):
            return self.core.decode_bytes(ids)
        decoded = b""
        for is_added, some in groupby(ids, added.__contains__):
            if is_added:
                decoded += "".join(added[id].content for id in some).encode()
            else:
                decoded += self.core.decode_bytes(some)
        return decoded

    def train_new_from_iterator(
        self,
        text_iterator: Iterable[str | Iterable[str]],
        vocab_size: int,
        length: int | None = None,
        new_special_tokens: Sequence[str | AddedToken] | None = None,
        special_tokens_map: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> SuperwordTokenizer:
        """Train a tokenizer of the same kind and settings on other texts.

        Special tokens are kept. Other added tokens are not.

        Args:
            text_iterator: Texts, or lists of texts.
            vocab_size: The number of ids of the new tokenizer, including special tokens.
            length: Not used.
            new_special_tokens: More special tokens.
            special_tokens_map: New names of special tokens.
            kwargs: Keywords of `superword.train`. By default, the training configuration is that
                of this tokenizer's model. `transition` is scaled with the vocabulary.

        Raises:
            ValueError: If `vocab_size` has no room for 256 bytes and the special tokens.
        """
        names = special_tokens_map or {}
        added = [token for _, token in sorted(self._added_tokens_decoder.items()) if token.special]
        flags = {names.get(token.content, token.content): token for token in added}
        flags |= {str(token): token for token in new_special_tokens or ()}
        core = retrain(self.core, text_iterator, vocab_size, list(flags), kwargs)
        settings = {name: getattr(self, name, kept) for name, kept in self.init_kwargs.items()}
        for name in ("chat_template", "model_max_length", "padding_side", "truncation_side"):
            settings[name] = getattr(self, name)
        for name in ("extra_special_tokens", "name_or_path", "files_loaded"):
            settings.pop(name, None)
        named = {name: names.get(text, text) for name, text in self.special_tokens_map.items()}
        settings |= {name: named.pop(name) for name in list(named) if name in NAMED_SPECIAL}
        return type(self)(
            core,
            **settings,
            model_specific_special_tokens=named,
            added_tokens_decoder={
                id: copy_token(flags[text], text) for text, id in core.special_tokens.items()
            },
        )

    def save_pretrained(
        self, save_directory: str | os.PathLike[str], *args: Any, **kwargs: Any
    ) -> tuple[str, ...]:
        """Write the files of the tokenizer to a local folder, atomically.

        The model is their manifest: while it exists, all files are of one writing.

        Raises:
            OSError: If a file cannot be written. Existing files are then unchanged.
            ValueError: If it is a URL.
        """
        folder = local_path(save_directory)
        kwargs.setdefault("repo_id", folder.name)
        folder.mkdir(parents=True, exist_ok=True)
        # The base class writes file by file, each in place.
        with temporary_folder() as scratch:
            written = super().save_pretrained(scratch, *args, **kwargs)
            contents = {
                path.relative_to(scratch): path.read_bytes()
                for path in sorted(scratch.rglob("*"))
                if path.is_file()
            }
        for path in contents:
            (folder / path).parent.mkdir(exist_ok=True)
        with write_atomically() as files:
            for path, content in contents.items():
                is_model = path.name.endswith(MODEL_FILE)
                files.open(folder / path, is_manifest=is_model).write(content)
            # Those of an older tokenizer would be read with this one.
            has_prefix = Path(MODEL_FILE) not in contents
            templates = folder.glob("additional_chat_templates/*.jinja")
            for old in [*(folder / name for name in OPTIONAL_FILES), *templates]:
                if not has_prefix and old.relative_to(folder) not in contents:
                    files.remove(old)
        return tuple(str(folder / Path(path).relative_to(scratch)) for path in written)

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write the model, and a module that loads it."""
        prefix = f"{filename_prefix}-" if filename_prefix else ""
        model = Path(save_directory, prefix + MODEL_FILE)
        stub = Path(save_directory, STUB_FILE)
        self.core.save(model)
        with write_atomically() as files:
            files.open(stub).write(STUB.encode())
        return str(model), str(stub)

    def _added_unless(self, split_special_tokens: bool) -> AddedTokens | None:
        """Return the finder of added tokens; None if they are ordinary text."""
        return None if split_special_tokens else self._added_tokens

    def _encode_plus(
        self,
        text: Any,
        text_pair: Any = None,
        add_special_tokens: bool = True,
        padding_strategy: PaddingStrategy = PaddingStrategy.DO_NOT_PAD,
        truncation_strategy: Any = "do_not_truncate",
        max_length: int | None = None,
        stride: int = 0,
        is_split_into_words: bool = False,
        pad_to_multiple_of: int | None = None,
        padding_side: str | None = None,
        return_tensors: Any = None,
        return_token_type_ids: bool | None = None,
        return_attention_mask: bool | None = None,
        return_overflowing_tokens: bool = False,
        return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False,
        return_length: bool = False,
        verbose: bool = True,
        split_special_tokens: bool | None = None,
        **kwargs: Any,
    ) -> BatchEncoding:
        """Encode texts to ids, truncate and pad them."""
        if kwargs.get("sanitize_control_tokens"):
            text = self._encode_marked(text)
        split = self.split_special_tokens if split_special_tokens is None else split_special_tokens
        examples, is_batched = list_examples(text, text_pair, in_words=is_split_into_words)
        given = [sequence for example in examples for sequence in example if sequence is not None]
        encoded = iter(encode_sequences(self.core, self._added_unless(split), given))
        rows: list[Assembled] = []
        samples: list[int] = []
        for sample, (_, second) in enumerate(examples):
            sequences = [next(encoded)] if second is None else [next(encoded), next(encoded)]
            added = self._special_count(len(sequences)) if add_special_tokens else 0
            room = None if max_length is None else max_length - added
            strategy = getattr(truncation_strategy, "value", truncation_strategy)
            lengths = [len(sequence.ids) for sequence in sequences]
            overlap = stride if return_overflowing_tokens else None
            for windows in truncate(lengths, room, strategy, overlap, self.truncation_side):
                chosen = list(zip(sequences, windows, strict=True))
                rows.append(self._assemble(chosen, add_special_tokens))
                samples.append(sample)
        data: dict[str, Any] = {"input_ids": [row.ids for row in rows]}
        names = self.model_input_names
        if "token_type_ids" in names if return_token_type_ids is None else return_token_type_ids:
            data["token_type_ids"] = [row.token_types() for row in rows]
        if "attention_mask" in names if return_attention_mask is None else return_attention_mask:
            data["attention_mask"] = [[1] * len(row.ids) for row in rows]
        if return_special_tokens_mask:
            data["special_tokens_mask"] = [row.mask() for row in rows]
        if return_offsets_mapping:
            data["offset_mapping"] = [self._pad_row(row, 0, row.ids).offsets for row in rows]
        for row in rows:
            self._eventual_warn_about_too_long_sequence(row.ids, max_length, verbose)
        side = padding_side or self.padding_side
        if padding_strategy != PaddingStrategy.DO_NOT_PAD and rows:
            data = dict(
                self.pad(
                    data,
                    padding=padding_strategy.value,
                    max_length=max_length,
                    pad_to_multiple_of=pad_to_multiple_of,
                    padding_side=side,
                    return_attention_mask="attention_mask" in data,
                )
            )
        if return_length:
            data["length"] = [len(ids) for ids in data["input_ids"]]
        if return_overflowing_tokens:
            data["overflow_to_sample_mapping"] = samples
        padded = data["input_ids"]

        def make_row(index: int) -> Row:
            row, ids = rows[index], padded[index]
            before = len(ids) - len(row.ids) if side == "left" else 0
            return self._pad_row(row, before, ids)

        if not is_batched and return_tensors is None and not return_overflowing_tokens:
            data = {key: rows[0] if key != "length" else rows for key, rows in data.items()}
        sequences_each = max((len(row.sequences) for row in rows), default=1)
        return BatchEncoding(
            data, Rows(len(rows), make_row), return_tensors, n_sequences=sequences_each
        )

    def _encode_marked(self, chat: str | list[str]) -> list[int] | list[list[int]]:
        """Encode chats in which `apply_chat_template` marked special tokens that users wrote."""
        # Versions before 5.23 do not mark them.
        from transformers.utils.chat_template_utils import encode_marked_chat

        if isinstance(chat, str):
            return list(encode_marked_chat(self, chat))
        return [list(encode_marked_chat(self, each)) for each in chat]

    def _special_count(self, sequences: int) -> int:
        """Return the number of special tokens around an example."""
        empty: list[int] = []
        added = self.build_inputs_with_special_tokens(empty, empty if sequences == 2 else None)
        if None in added:
            raise ValueError(
                f"special_tokens_pattern={self.special_tokens_pattern!r} needs special tokens that "
                f"are not set; set are {', '.join(self.special_tokens_map)}"
            )
        return len(added)

    def _assemble(
        self, chosen: list[tuple[SequenceIds, range]], add_special_tokens: bool
    ) -> Assembled:
        parts = [
            sequence.ids
            if len(window) == len(sequence.ids)
            else sequence.ids[window.start : window.stop]
            for sequence, window in chosen
        ]
        if add_special_tokens:
            ids = self.build_inputs_with_special_tokens(*parts)
        else:
            ids = parts[0] if len(parts) == 1 else parts[0] + parts[1]
        return Assembled(self, chosen, parts, ids, add_special_tokens)

    def _pad_row(self, row: Assembled, before: int, ids: list[int]) -> Row:
        """Return a row with padding before and after it."""
        after = len(ids) - len(row.ids) - before
        mask = [1] * before + row.mask() + [1] * after
        return Row(list(ids), mask, row.sequences, self.convert_ids_to_tokens)

    def _pad(self, encoded_inputs: Any, *args: Any, **kwargs: Any) -> Any:
        before = len(encoded_inputs[self.model_input_names[0]])
        padded = super()._pad(encoded_inputs, *args, **kwargs)
        missing = len(padded[self.model_input_names[0]]) - before
        if missing > 0 and "offset_mapping" in padded:
            empty = [(0, 0)] * missing
            spans = padded["offset_mapping"]
            side = kwargs.get("padding_side") or self.padding_side
            padded["offset_mapping"] = spans + empty if side == "right" else empty + spans
        return padded


def copy_token(token: str | AddedToken, text: str) -> AddedToken:
    """Return a special token with another text, matched in the same way."""
    state = {"normalized": False} if isinstance(token, str) else token.__getstate__()
    return AddedToken(**{**state, "content": text, "special": True})


AutoTokenizer.register(SuperwordConfig, tokenizer_class=SuperwordTokenizer, exist_ok=True)
