"""`superword bpb`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from superword.atomic_files import check_writable
from superword.commands.json_output import print_json
from superword.commands.messages import errors_as_sentences, print_text
from superword.commands.options import (
    UNWEIGHTED,
    AsCsv,
    AsJson,
    AsLatex,
    AsMarkdown,
    SourceColumn,
    choose_output_form,
    derive_options,
    option,
)
from superword.corpus import CorpusOptions, RawPath, reject_inputs
from superword.evaluation import (
    BitsPerByte,
    bits_per_byte,
    compare_bits_per_byte,
    format_bits_csv,
    format_bits_latex,
    format_bits_markdown,
    load_bits_per_byte,
    name_apart,
    open_language_model,
    print_bits,
    save_bits_per_byte,
)
from superword.evaluation.bootstrap import SAMPLES
from superword.evaluation.language_models import DTYPES
from superword.evaluation.model_scoring import BATCH_SIZE
from superword.evaluation.names import number_repeated
from superword.tokenizer.display import open_console
from superword.training import Resources

__all__ = ["bpb_command"]


@derive_options(corpus_options=UNWEIGHTED, resources=["threads", "progress"])
def bpb_command(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL",
            help="Folders that transformers saved, or files that --output of this command wrote.",
        ),
    ],
    corpus_options: CorpusOptions,
    resources: Resources,
    corpus: Annotated[
        list[str] | None,
        option("Files, folders, globs or URLs to score.", "Corpus", "--corpus"),
    ] = None,
    source: SourceColumn = None,
    tokenizer: Annotated[
        Path | None,
        option("Tokenizer of the models, as for evaluate; by default the one in each folder."),
    ] = None,
    end_of_text: Annotated[
        str | None,
        option(
            "Special token, or id, that each document follows; by default bos_token, or eos_token."
        ),
    ] = None,
    context_size: Annotated[
        int | None,
        option(
            "Tokens that a model reads at once.",
            None,
            "--context",
            shown_default="2048, or what it can read",
        ),
    ] = None,
    stride: Annotated[
        int | None,
        option("Tokens between the beginnings of windows.", shown_default="half the context"),
    ] = None,
    samples: Annotated[int, option("Samples of the bootstrap.")] = SAMPLES,
    seed: Annotated[int, option("Seed of the bootstrap.")] = 0,
    batch_size: Annotated[int, option("Windows to score at a time.", "Resources")] = BATCH_SIZE,
    device: Annotated[
        str | None,
        option("Device of torch, e.g. cuda:1.", "Resources", shown_default="cuda if there is one"),
    ] = None,
    dtype: Annotated[
        str,
        option(
            f"Type to compute in: {', '.join(DTYPES)}; auto is that of the folder.", "Resources"
        ),
    ] = "auto",
    output: Annotated[
        Path | None,
        option(
            "Write the result, with the settings and each document, as JSON.",
            "Output",
            "--output",
            "-o",
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_markdown: AsMarkdown = False,
    as_latex: AsLatex = False,
) -> None:
    """Measure bits per byte of causal language models on a corpus, all and by source.

    Each document is encoded whole, and each token is scored once. The bits are divided by the bytes
    of the documents, so models with different tokenizers compare. Several models are compared with
    the first by a paired bootstrap over documents. docs/evaluation.md has the details. Models in
    folders need torch and transformers.

    superword bpb model/ --corpus eval.jsonl.zst -o model.json

    superword bpb bpe/ boundless/ --corpus eval.jsonl.zst --context 1024

    superword bpb bpe.json boundless.json --markdown
    """
    with errors_as_sentences():
        form = choose_output_form(json=as_json, csv=as_csv, markdown=as_markdown, latex=as_latex)
        folders = [model for model in models if model.is_dir()]
        if folders and not corpus:
            raise ValueError("nothing to score; pass --corpus")
        if corpus and "-" in corpus and len(folders) > 1:
            raise ValueError(
                "each model reads the corpus, and standard input only once: name files"
            )
        if output is not None:
            check_writable(output)
            reject_inputs([output], corpus=corpus or [], files=filter(None, [*models, tokenizer]))
        results: list[BitsPerByte] = []
        for model, name in zip(models, name_apart(models), strict=True):
            if model not in folders:
                results += load_bits_per_byte(model)
                continue
            results.append(
                bits_per_byte(
                    open_language_model(model, device=device, dtype=dtype),
                    [RawPath(path) for path in corpus or []],
                    tokenizer=tokenizer,
                    end_of_text=end_of_text,
                    context=context_size,
                    stride=stride,
                    batch_size=batch_size,
                    name=name,
                    source=source,
                    corpus_options=corpus_options,
                    resources=resources,
                )
            )
        names = number_repeated([each.name for each in results], [])
        results = [replace(each, name=name) for each, name in zip(results, names, strict=True)]
        if output is not None:
            save_bits_per_byte(results, output)
        compared = [
            compare_bits_per_byte(results[0], each, samples=samples, seed=seed)
            for each in results[1:]
        ]
    if form == "json":
        models_as_json = [each.as_json() for each in results]
        print_json({"models": models_as_json, "differences": [each.as_json() for each in compared]})
    elif form == "csv":
        print_text(format_bits_csv(results, compared))
    elif form == "markdown":
        print_text(format_bits_markdown(results, compared))
    elif form == "latex":
        print_text(format_bits_latex(results, compared))
    else:
        print_bits(results, compared, open_console())
