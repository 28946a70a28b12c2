"""The model type of lm-evaluation-harness, with the harness itself and a random model."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lm_eval", reason="lm-eval is not installed: pip install 'superword[lm_eval]'")
torch = pytest.importorskip("torch", reason="torch is not installed: models cannot be run")

from lm_eval.api.instance import Instance  # noqa: E402
from transformers import GPT2Config, GPT2LMHeadModel  # noqa: E402

import superword  # noqa: E402
from superword import Prompt  # noqa: E402
from superword.evaluation import bits_per_byte  # noqa: E402
from superword.lm_eval import SuperwordLM  # noqa: E402
from superword.transformers import SuperwordTokenizer, find_covers  # noqa: E402

# The harness and the libraries that it loads warn about themselves.
pytestmark = pytest.mark.filterwarnings("ignore")

CONTEXTS = ["It was the end of", "It was", "He said that it was not the\n", "of", "a b"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random model and its tokenizer."""
    path = tmp_path_factory.mktemp("model")
    tok = superword.train(list(superword.sample())[::2], 1500, special_tokens=["<|end|>"])
    SuperwordTokenizer(tok, eos_token="<|end|>", pad_token="<|end|>").save_pretrained(path)
    torch.manual_seed(3)
    config = GPT2Config(
        vocab_size=1501,
        n_embd=32,
        n_layer=2,
        n_head=2,
        n_positions=256,
        initializer_range=0.3,
        eos_token_id=1500,
        bos_token_id=None,
    )
    GPT2LMHeadModel(config).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def model(folder: Path) -> SuperwordLM:
    return SuperwordLM(pretrained=str(folder), device="cpu", batch_size=2)


def log_probability(model: SuperwordLM, head: list[int], scored: list[int]) -> float:
    with torch.no_grad():
        rows = torch.log_softmax(model.model(torch.tensor([head + scored])).logits[0], -1)
    return sum(float(rows[len(head) + at - 1, id]) for at, id in enumerate(scored))


def ask(kind: str, *arguments: Any) -> list[Instance]:
    return [Instance(kind, {}, args, 0) for args in arguments]


def test_scores_are_of_all_ids_after_the_certain_ones(model: SuperwordLM) -> None:
    tok = model.tokenizer.core
    pairs = [(context, end) for context in ["", *CONTEXTS] for end in (" the", " of the", "s")]
    scores = model.loglikelihood(ask("loglikelihood", *pairs), disable_tqdm=True)
    for (context, continuation), (score, _) in zip(pairs, scores, strict=True):
        whole = tok.encode(context + continuation)
        certain = len(tok.encode_prompt(context).ids)
        head = whole[:certain] or [1500]
        assert score == pytest.approx(log_probability(model, head, whole[certain:]), abs=1e-3)


def test_rolling_scores_are_the_bits_of_bpb(model: SuperwordLM, folder: Path) -> None:
    texts = [text[: 300 + at] for at, text in enumerate(list(superword.sample())[:5])]
    requests = ask("loglikelihood_rolling", *((text,) for text in texts))
    scores = model.loglikelihood_rolling(requests, disable_tqdm=True)
    found = bits_per_byte(folder, texts)
    assert found.document_tokens.max() <= found.settings.context
    assert found.document_bits == pytest.approx([-score / math.log(2) for score in scores])


def test_rolling_scores_are_of_the_whole_text(model: SuperwordLM) -> None:
    tok = model.tokenizer.core
    texts = [(text,) for text in CONTEXTS]
    scores = model.loglikelihood_rolling(ask("loglikelihood_rolling", *texts), disable_tqdm=True)
    for (text,), score in zip(texts, scores, strict=True):
        expected = log_probability(model, [1500], tok.encode(text))
        assert score == pytest.approx(expected, abs=1e-3)


def generate(model: SuperwordLM, contexts: list[str], until: list[str]) -> list[str]:
    options = {"until": until, "max_gen_toks": 12, "do_sample": False}
    requests = ask("generate_until", *((context, dict(options)) for context in contexts))
    return list(model.generate_until(requests, disable_tqdm=True))


def test_generated_text_follows_the_context_and_does_not_repeat_it(model: SuperwordLM) -> None:
    tok = model.tokenizer.core
    together = generate(model, CONTEXTS, [])
    for context, text in zip(CONTEXTS, together, strict=True):
        assert text
        prompt = tok.encode_prompt(context)
        ids, start = prompt.ids or [1500], len(prompt.ids or [1500])
        if prompt.held_back:
            covers = find_covers(model.model, model.tokenizer, Prompt(ids, prompt.held_back))
            ids = ids + covers.rank(1)[0].ids
        # Then one step at a time.
        for _ in range(12):
            with torch.no_grad():
                best = int(model.model(torch.tensor([ids])).logits[0, -1].argmax())
            if best == 1500:
                break
            ids = [*ids, best]
        written = tok.decode_bytes(ids[start:])
        assert written.startswith(prompt.held_back)
        expected = written[len(prompt.held_back) :].decode("utf-8", "replace")
        # The texts may end inside a character.
        both = min(len(text), len(expected)) - 3
        assert both > 5 and text[:both] == expected[:both]


def test_a_token_that_goes_on_after_the_held_back_bytes_is_cut(model: SuperwordLM) -> None:
    tok = model.tokenizer.core
    (of_the,) = tok.encode(" of the")
    (day,) = tok.encode(" day")
    assert model.drop_held_back(b" of", [of_the, day, 1500]) == [*tok.encode(" the"), day, 1500]
    assert model.drop_held_back(b" of the", [of_the, day]) == [day]
    assert model.drop_held_back(b"", [day]) == [day]
    assert model.drop_held_back(b" of the d", [of_the]) == []


def test_without_covers_the_mask_is_used(
    model: SuperwordLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("superword.integrations.lm_eval.MAX_COVER_EVALUATIONS", 1)
    held = [model.tokenizer.core.encode_prompt(context).held_back for context in CONTEXTS]
    assert model._choose_cover([1500], max(held, key=len), False) == []
    assert all(generate(model, CONTEXTS, []))


def test_sampling_draws_covers(model: SuperwordLM) -> None:
    torch.manual_seed(1)
    chosen = {tuple(model._choose_cover([1500], b" of", True)) for _ in range(20)}
    assert len(chosen) > 1
    options = {"until": [], "max_gen_toks": 5, "do_sample": True, "temperature": 1.0}
    requests = ask("generate_until", *((context, dict(options)) for context in CONTEXTS))
    assert len(model.generate_until(requests, disable_tqdm=True)) == len(CONTEXTS)


def test_stop_strings_in_the_held_back_bytes_do_not_stop(model: SuperwordLM) -> None:
    (free,) = generate(model, ["It was the end of"], [])
    (text,) = generate(model, ["It was the end of"], [" of", "end"])
    assert model.tokenizer.core.encode_prompt("It was the end of").held_back
    assert text == free.split(" of")[0].split("end")[0] != ""
    stop = free[2:4]
    assert generate(model, ["It was the end of"], [stop]) == [free.split(stop)[0]]


def test_a_context_with_one_continuation_is_greedy_after_its_best_cover(model: SuperwordLM) -> None:
    tok = model.tokenizer.core
    found: list[tuple[str, str]] = []
    for id in range(256, 1500, 9):
        context = "He said it. " + tok.token_bytes(id).decode("utf-8", "ignore")[:3]
        head, held_back = tok.encode_prompt(context)
        if held_back and context not in [context for context, _ in found]:
            covers = find_covers(model.model, model.tokenizer, Prompt(head, held_back))
            cover = covers.rank(1)[0].ids
            text = tok.decode(head + cover)
            if tok.encode(text) == head + cover:
                found.append((context, text[len(context) :]))
    assert len(found) > 5
    requests = ask("loglikelihood", *found)
    flags = [flag for _, flag in model.loglikelihood(requests, disable_tqdm=True)]
    assert all(flags)
    # The harness asks for the held-back bytes too.
    plain = super(SuperwordLM, model).loglikelihood(requests, disable_tqdm=True)
    assert not all(flag for _, flag in plain)
    others = [(context, rest + " zebra") for context, rest in found]
    scored = model.loglikelihood(ask("loglikelihood", *others), disable_tqdm=True)
    assert not any(flag for _, flag in scored)


def test_other_tokenizers_are_refused(folder: Path) -> None:
    from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

    path = folder / "tokenizer.json"
    tok = superword.train(["to be or not"], 256, supermerges=False, deletion=None)
    superword.export(tok, path, "tokenizer.json")
    other = PreTrainedTokenizerFast(tokenizer_file=str(path), eos_token="a", pad_token="a")
    path.unlink()
    with pytest.raises(ValueError, match="not a SuperwordTokenizer; evaluate it with --model hf"):
        SuperwordLM(
            pretrained=AutoModelForCausalLM.from_pretrained(folder), tokenizer=other, device="cpu"
        )


def test_the_command_line_knows_the_model_type(folder: Path, tmp_path: Path) -> None:
    rows = [
        {"context": context, "choices": [" the", " of the", "s"], "gold": 1}
        for context in ["", *CONTEXTS]
    ]
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "ends.yaml").write_text(
        "task: ends\ndataset_path: json\n"
        f"dataset_kwargs: {{data_files: {{test: {data}}}}}\n"
        "test_split: test\noutput_type: multiple_choice\n"
        'doc_to_text: "{{context}}"\ndoc_to_choice: "{{choices}}"\ndoc_to_target: gold\n'
        'target_delimiter: ""\n'
    )
    command = [sys.executable, "-m", "superword.lm_eval", "run", "--model", "superword"]
    command += ["--model_args", f"pretrained={folder}", "--device", "cpu"]
    command += ["--tasks", "ends", "--include_path", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "acc" in done.stdout and "ends" in done.stdout
