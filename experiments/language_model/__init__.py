"""Language models trained on the tokens of several tokenizers, and compared in bits per byte.

In reading order:
    configuration  What an experiment is, from a TOML file.
    prepare        Train the tokenizers, and encode the text with each.
    data           The tokens, as batches and windows.
    flops          What a model costs.
    schedule       How many steps a budget has, and the learning rates.
    model          The model.
    muon           The optimizer of its matrices.
    trainer        Train one model, and measure it.
    run            All runs of an experiment, one after the other.
    recorded       The results.
    comparison     What a difference is worth.
    report         Tables and a figure.

README.md says how to run it, and PLAN.md what was to be found out.
"""
