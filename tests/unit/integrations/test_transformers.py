"""`superword.transformers`, with the calls that trainers and evaluators make."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
import transformers
from datasets.fingerprint import Hasher
from transformers import AddedToken, AutoTokenizer, DataCollatorForLanguageModeling

import superword
from superword import Tokenizer
from superword.transformers import SuperwordTokenizer

SPECIAL = ["<|bos|>", "<|end|>", "<|user|>", "<|bot|>"]
TEXTS = ["at the end of the day", "", "naïve café 猫\n\n  🐈‍⬛", "to be<|end|> or not<|user|>"]
CHAT = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}"
    "{% if message.role == 'bot' %}{% generation %}{% endgeneration %}{% endif %}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|bot|>{% endif %}"
)


@pytest.fixture(scope="module")
def core() -> Tokenizer:
    return superword.train(superword.sample(), 2000, pattern="boundless", special_tokens=SPECIAL)


def made(core: Tokenizer, **settings: Any) -> SuperwordTokenizer:
    named = {"bos_token": "<|bos|>", "eos_token": "<|end|>", "pad_token": "<|end|>"}
    return SuperwordTokenizer(core, **named, **settings)


@pytest.fixture
def tokenizer(core: Tokenizer) -> SuperwordTokenizer:
    return made(core)


def test_ids_are_those_of_the_core(core: Tokenizer, tokenizer: SuperwordTokenizer) -> None:
    expected = [core.encode(text, allowed_special="all") for text in TEXTS]
    assert tokenizer(TEXTS)["input_ids"] == expected
    assert [tokenizer(text)["input_ids"] for text in TEXTS] == expected
    assert [tokenizer.encode(text) for text in TEXTS] == expected
    assert tokenizer(TEXTS)["attention_mask"] == [[1] * len(ids) for ids in expected]
    assert set(tokenizer("to be")) == {"input_ids", "attention_mask"}
    as_text = tokenizer(TEXTS, split_special_tokens=True)["input_ids"]
    assert as_text == [core.encode_ordinary(text) for text in TEXTS]


def test_texts_round_trip(tokenizer: SuperwordTokenizer) -> None:
    ids = tokenizer(TEXTS)["input_ids"]
    assert tokenizer.batch_decode(ids) == TEXTS
    assert [tokenizer.decode(one) for one in ids] == TEXTS
    assert tokenizer.decode(np.array(ids[0])) == TEXTS[0]
    assert tokenizer.decode(ids[3], skip_special_tokens=True) == "to be or not"
    assert tokenizer.decode(300) == tokenizer.core.decode([300])
    # Spaces that other tokenizers clean up.
    text = "a . b , c ! do n't"
    assert tokenizer.decode(tokenizer.encode(text), clean_up_tokenization_spaces=True) == text


def test_a_negative_id_is_refused(tokenizer: SuperwordTokenizer) -> None:
    with pytest.raises(superword.UnknownTokenError, match="no token has the id -100"):
        tokenizer.decode([300, -100])
    with pytest.raises(superword.UnknownTokenError, match="no token has the id -100"):
        tokenizer.convert_ids_to_tokens([300, -100])


def test_tokens_are_spelled_as_in_other_tokenizers(tokenizer: SuperwordTokenizer) -> None:
    text = "at the café<|end|>"
    tokens = tokenizer.tokenize(text)
    assert tokens[:2] == ["at", "Ġthe"]
    assert tokens[-3:] == ["Ã", "©", "<|end|>"]
    ids = tokenizer.encode(text)
    assert tokenizer.convert_tokens_to_ids(tokens) == ids
    assert tokenizer.convert_ids_to_tokens(ids) == tokens
    assert tokenizer.convert_tokens_to_string(tokens) == text
    assert tokenizer.convert_tokens_to_ids("no such token") is None
    vocabulary = tokenizer.get_vocab()
    assert len(vocabulary) == len(tokenizer) == 2004
    assert tokenizer.vocab_size == 2000
    assert vocabulary["Ġthe"] == tokenizer.core.token_id(b" the")
    assert vocabulary["<|end|>"] == 2001


def test_special_tokens_are_those_of_the_model(tokenizer: SuperwordTokenizer) -> None:
    assert tokenizer.all_special_tokens == SPECIAL
    assert tokenizer.all_special_ids == [2000, 2001, 2002, 2003]
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id) == (2000, 2001)
    assert tokenizer.pad_token_id == 2001
    assert tokenizer.unk_token_id is None
    mask = tokenizer.get_special_tokens_mask([2000, 5, 2001], already_has_special_tokens=True)
    assert mask == [1, 0, 1]


def test_added_tokens_get_ids_of_their_own(core: Tokenizer) -> None:
    tokenizer = made(core, mask_token="<mask>")
    assert tokenizer.mask_token_id == 2004
    assert tokenizer.add_tokens(["<one>", "<|end|>", AddedToken("<two>"), "<one>", ""]) == 2
    assert tokenizer.convert_tokens_to_ids(["<one>", "<two>"]) == [2005, 2006]
    # A word of the vocabulary keeps its id, but not as a special token: decoding would skip it.
    the = core.token_id(b"the")
    assert tokenizer.add_tokens(["the"]) == 0
    assert tokenizer.convert_tokens_to_ids("the") == the
    assert tokenizer.add_special_tokens({"sep_token": " the"}) == 1
    assert tokenizer.sep_token_id == 2007
    assert len(tokenizer) == 2008
    text = "<one>of<two><mask>"
    assert tokenizer.encode(text) == [2005, *core.encode("of"), 2006, 2004]
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.decode(tokenizer.encode("of the"), skip_special_tokens=True) == "of"


def test_an_added_token_may_be_spelled_like_another(core: Tokenizer) -> None:
    # GPT-2 spells the byte 0xE9 as é. It has the id 233.
    tokenizer = made(core)
    assert tokenizer.add_tokens(["é"]) == 1
    assert tokenizer.encode("é") == [2004]
    assert tokenizer.decode([2004, 233]) == "é�"
    assert tokenizer.add_tokens(["<next>"]) == 1
    assert tokenizer.convert_tokens_to_ids("<next>") == 2005
    assert len(tokenizer) == 2006


def test_ids_with_gaps_do_not_collide(core: Tokenizer) -> None:
    lines = core._model.to_json().decode().splitlines()
    moved = [line.replace("[1999,", "[7000,").replace('[2000,"<', '[9000,"<') for line in lines]
    sparse = Tokenizer._from_json("\n".join(moved).encode())
    tokenizer = SuperwordTokenizer(sparse, eos_token="<|end|>", pad_token="<pad>")
    assert tokenizer.vocab_size == 7001
    assert tokenizer.pad_token_id == 9001
    assert len(tokenizer) == 9002


def test_added_tokens_obey_lstrip_rstrip_and_single_word(core: Tokenizer) -> None:
    tokenizer = made(core)
    tokenizer.add_tokens(
        [
            AddedToken("<l>", lstrip=True),
            AddedToken("<r>", rstrip=True),
            AddedToken("word", single_word=True),
        ]
    )
    text = "a  <l> b<r>  sword word"
    encoded = tokenizer(text, return_offsets_mapping=True)
    span_of = dict(zip(encoded["input_ids"], encoded["offset_mapping"], strict=True))
    assert text[slice(*span_of[2004])] == "  <l>"
    assert text[slice(*span_of[2005])] == "<r>  "
    assert encoded["input_ids"].count(tokenizer.convert_tokens_to_ids("word")) == 1
    assert text[slice(*span_of[tokenizer.convert_tokens_to_ids("word")])] == "word"


def test_special_tokens_are_put_around_a_text(core: Tokenizer) -> None:
    tokenizer = made(core, special_tokens_pattern="bos_eos")
    first, second = core.encode("to be"), core.encode("or not")
    encoded = tokenizer("to be", "or not", return_special_tokens_mask=True)
    assert encoded["input_ids"] == [2000, *first, 2001, *second, 2001]
    assert encoded["special_tokens_mask"] == [1, *[0] * len(first), 1, *[0] * len(second), 1]
    assert tokenizer.encode("to be", add_special_tokens=False) == first
    assert tokenizer.num_special_tokens_to_add() == 2
    assert encoded.sequence_ids() == [None, *[0] * len(first), None, *[1] * len(second), None]


def test_add_bos_token_is_not_ignored(core: Tokenizer, tmp_path: Path) -> None:
    ids = core.encode("to be")
    tokenizer = made(core, add_bos_token=True)
    assert tokenizer.encode("to be") == [2000, *ids]
    tokenizer.add_eos_token = True
    assert (tokenizer.add_bos_token, tokenizer.add_eos_token) == (True, True)
    assert tokenizer.encode("to be") == [2000, *ids, 2001]
    tokenizer.save_pretrained(tmp_path)
    assert AutoTokenizer.from_pretrained(tmp_path).encode("to be") == [2000, *ids, 2001]
    loaded = AutoTokenizer.from_pretrained(tmp_path, add_bos_token=False)
    assert loaded.encode("to be") == [*ids, 2001]
    with pytest.raises(ValueError, match="add_bos_token needs a bos_token"):
        SuperwordTokenizer(core, add_bos_token=True)
    with pytest.raises(ValueError, match="do not go with special_tokens_pattern='cls_sep'"):
        made(core, special_tokens_pattern="cls_sep", add_bos_token=True)


def test_missing_special_tokens_are_not_encoded_as_none(core: Tokenizer) -> None:
    tokenizer = SuperwordTokenizer(core, bos_token="<|bos|>", special_tokens_pattern="bos_eos")
    with pytest.raises(ValueError, match="needs special tokens that are not set; set are bos_tok"):
        tokenizer.encode("to be")


def test_model_max_length_is_kept(core: Tokenizer) -> None:
    tokenizer = made(core, model_max_length=4, special_tokens_pattern="bos")
    ids = core.encode(TEXTS[0])
    assert tokenizer(TEXTS[0], truncation=True)["input_ids"] == [2000, *ids[:3]]
    tokenizer.truncation_side = "left"
    assert tokenizer(TEXTS[0], truncation=True)["input_ids"] == [2000, *ids[-3:]]


def test_arrays(tokenizer: SuperwordTokenizer) -> None:
    encoded = tokenizer(TEXTS[:2], padding=True, return_tensors="np")
    ids = tokenizer.core.encode(TEXTS[0])
    assert encoded["input_ids"].tolist() == [ids, [2001] * len(ids)]
    assert encoded["attention_mask"].tolist() == [[1] * len(ids), [0] * len(ids)]
    one = tokenizer(TEXTS[0], return_tensors="np")
    assert one["input_ids"].tolist() == [ids]
    assert tokenizer.encode(TEXTS[0], return_tensors="np").tolist() == [ids]


def test_an_object_that_is_not_a_text_is_rejected(tokenizer: SuperwordTokenizer) -> None:
    with pytest.raises(ValueError, match="a text must be a string"):
        tokenizer([TEXTS[0], 5.0])
    with pytest.raises(ValueError, match="of the same length"):
        tokenizer(TEXTS, TEXTS[:1])
    with pytest.raises(ValueError, match="there are no offsets"):
        tokenizer([300, 301], return_offsets_mapping=True)
    assert tokenizer([300, 301])["input_ids"] == [300, 301]
    with pytest.raises(UnicodeEncodeError):
        tokenizer("\ud800")


@pytest.mark.parametrize("is_imported", [True, False])
def test_a_folder_is_loaded(core: Tokenizer, tmp_path: Path, is_imported: bool) -> None:
    tokenizer = made(core, special_tokens_pattern="bos", chat_template=CHAT, padding_side="left")
    tokenizer.add_tokens(["<one>"])
    folder = tmp_path / "folder"
    files = tokenizer.save_pretrained(folder)
    names = {Path(file).name for file in files}
    assert {"superword.json", "tokenizer_config.json", "tokenization_superword.py"} <= names
    # With a model of another type beside it, as in every checkpoint.
    (folder / "config.json").write_text(json.dumps({"model_type": "llama"}))
    program = f"""
import json, sys, warnings
from transformers import AutoTokenizer
if {is_imported}:
    import superword.transformers
trust = None if {is_imported} else True
tokenizer = AutoTokenizer.from_pretrained({str(folder)!r}, trust_remote_code=trust)
messages = [{{"role": "user", "content": "to be"}}]
tokenizer.save_pretrained({str(tmp_path / "again")!r})
print(json.dumps([
    type(tokenizer).__name__,
    tokenizer("to be<one> or not<|end|>")["input_ids"],
    tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True),
    tokenizer.padding_side,
]))
"""
    environment = os.environ | {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [
        "SuperwordTokenizer",
        tokenizer("to be<one> or not<|end|>")["input_ids"],
        "<|user|>to be<|end|><|bot|>",
        "left",
    ]
    for name in names - {"added_tokens.json", "tokenizer_config.json"}:
        assert (tmp_path / "again" / name).read_text() == (folder / name).read_text()
    saved = json.loads((folder / "tokenizer_config.json").read_text())
    again = json.loads((tmp_path / "again" / "tokenizer_config.json").read_text())
    assert saved.items() <= again.items()


def test_it_is_loaded_here(core: Tokenizer, tmp_path: Path) -> None:
    tokenizer = made(core, chat_template=CHAT)
    tokenizer.add_tokens(["<one>"])
    tokenizer.save_pretrained(tmp_path)
    for loaded in (
        AutoTokenizer.from_pretrained(tmp_path),
        SuperwordTokenizer.from_pretrained(tmp_path),
        pickle.loads(pickle.dumps(tokenizer)),
        copy.deepcopy(tokenizer),
    ):
        assert type(loaded) is SuperwordTokenizer
        assert loaded.core == core
        assert loaded(TEXTS)["input_ids"] == tokenizer(TEXTS)["input_ids"]
        assert loaded.get_vocab() == tokenizer.get_vocab()
        assert loaded.all_special_tokens == tokenizer.all_special_tokens
        assert loaded.chat_template == CHAT
        assert len(loaded) == len(tokenizer)


def test_chats(core: Tokenizer) -> None:
    tokenizer = made(core, chat_template=CHAT, special_tokens_pattern="bos")
    messages = [{"role": "user", "content": "to be"}, {"role": "bot", "content": "or not"}]
    text = "<|user|>to be<|end|><|bot|>or not<|end|>"
    expected = core.encode(text, allowed_special="all")
    assert tokenizer.apply_chat_template(messages, tokenize=False) == text
    assert tokenizer.apply_chat_template(messages)["input_ids"] == expected
    prompt = tokenizer.apply_chat_template(
        messages[:1], add_generation_prompt=True, return_tensors="np"
    )
    assert prompt["input_ids"].tolist() == [core.encode(text[:27], allowed_special="all")]
    # On request, a special token in a text is ordinary text.
    messages[0]["content"] = "<|bot|>"
    ids = tokenizer.apply_chat_template(messages, sanitize_control_tokens=True)["input_ids"]
    assert ids.count(2003) == 1
    assert tokenizer.decode(ids) == "<|user|><|bot|><|end|><|bot|>or not<|end|>"
    batch = tokenizer.apply_chat_template([messages] * 2, sanitize_control_tokens=True)
    assert batch["input_ids"] == [ids] * 2


def test_the_mask_of_what_the_assistant_says(core: Tokenizer) -> None:
    template = (
        "{% for message in messages %}<|{{ message.role }}|>{% generation %}{{ message.content }}"
        "<|end|>{% endgeneration %}{% endfor %}"
    )
    tokenizer = made(core, chat_template=template)
    messages = [{"role": "user", "content": "naïve café"}, {"role": "bot", "content": "or not"}]
    encoded = tokenizer.apply_chat_template(
        messages, return_dict=True, return_assistant_tokens_mask=True
    )
    mask = [0 if id in (2002, 2003) else 1 for id in encoded["input_ids"]]
    assert encoded["assistant_masks"] == mask


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_collator_of_causal_models(tokenizer: SuperwordTokenizer) -> None:
    collate = DataCollatorForLanguageModeling(tokenizer, mlm=False, return_tensors="np")
    batch = collate([tokenizer(TEXTS[0]), tokenizer("to be")])
    first, second = tokenizer.encode(TEXTS[0]), tokenizer.encode("to be")
    missing = len(first) - len(second)
    assert batch["input_ids"].tolist() == [first, second + [2001] * missing]
    assert batch["labels"].tolist() == [first, second + [-100] * missing]
    assert batch["attention_mask"].tolist()[1] == [1] * len(second) + [0] * missing


def test_ids_are_decoded_one_by_one(tokenizer: SuperwordTokenizer) -> None:
    text = "at the end of the day 猫猫, naïve café 🐈‍⬛<|end|>"
    shown = ""
    read = prefix = 0
    ids = tokenizer.encode(text)
    for at in range(len(ids)):
        # As serving engines do: with a few ids before, so that characters are complete.
        before = tokenizer.decode(ids[prefix:read])
        after = tokenizer.decode(ids[prefix : at + 1])
        if not after.endswith("�"):
            shown += after[len(before) :]
            prefix, read = read, at + 1
    assert shown == text
    # The same by tokens as strings.
    tokens = tokenizer.convert_ids_to_tokens(ids)
    assert tokenizer.convert_tokens_to_string(tokens) == text


def test_the_streamer_of_generation(
    tokenizer: SuperwordTokenizer, capsys: pytest.CaptureFixture[str]
) -> None:
    streamer = transformers.generation.streamers.TextStreamer(tokenizer, skip_special_tokens=True)
    for id in tokenizer.encode("at the end of the day 猫猫<|end|>"):
        streamer.put(np.array([id]))
    streamer.end()
    assert capsys.readouterr().out == "at the end of the day 猫猫\n"


def test_equal_tokenizers_have_equal_hashes(core: Tokenizer) -> None:
    # `datasets` finds cached results by the hash of the tokenizer.
    tokenizer = made(core)
    before = Hasher.hash(tokenizer)
    tokenizer(TEXTS, padding=True, truncation=True, max_length=3, return_offsets_mapping=True)
    tokenizer.get_vocab()
    assert Hasher.hash(tokenizer) == before
    assert Hasher.hash(made(core)) == before


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_data_sets_are_mapped_on_several_processes(
    tokenizer: SuperwordTokenizer, tmp_path: Path
) -> None:
    texts = list(islice(superword.sample(), 12))
    data = datasets.Dataset.from_dict({"text": texts})
    mapped = data.map(
        lambda batch: tokenizer(batch["text"]),
        batched=True,
        batch_size=3,
        num_proc=2,
        remove_columns=["text"],
        cache_file_name=str(tmp_path / "mapped.arrow"),
    )
    assert mapped["input_ids"][:] == [tokenizer.core.encode(text) for text in texts]


def test_long_texts_in_windows(tokenizer: SuperwordTokenizer) -> None:
    texts = list(islice(superword.sample(), 2))
    encoded = tokenizer(
        texts, truncation=True, max_length=128, return_overflowing_tokens=True, return_length=True
    )
    for number, text in enumerate(texts):
        rows = [
            ids
            for ids, sample in zip(
                encoded["input_ids"], encoded["overflow_to_sample_mapping"], strict=True
            )
            if sample == number
        ]
        assert [id for ids in rows for id in ids] == tokenizer.core.encode(text)
    assert encoded["length"] == [len(ids) for ids in encoded["input_ids"]]
    assert max(encoded["length"]) == 128


def test_encodings_leave_the_tokenizer_behind_when_they_are_pickled(
    tokenizer: SuperwordTokenizer,
) -> None:
    encoded = tokenizer(TEXTS)
    pickled = pickle.dumps(encoded)
    assert len(pickled) < 1000
    assert pickle.loads(pickled)["input_ids"] == encoded["input_ids"]


def test_torch(tokenizer: SuperwordTokenizer) -> None:
    torch = pytest.importorskip("torch")
    encoded = tokenizer(TEXTS, padding=True, return_tensors="pt")
    assert encoded["input_ids"].dtype == torch.int64
    assert encoded["input_ids"][0].tolist()[: len(tokenizer.encode(TEXTS[0]))] == tokenizer.encode(
        TEXTS[0]
    )
    assert tokenizer.batch_decode(encoded["input_ids"], skip_special_tokens=True)[0] == TEXTS[0]
