#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users run today for the same work: a plain PyTorch program with a matplotlib figure.

Prints a JSON object a line, as the benchmarks in C do; "peer_of" names the figure it is held against.
"""

import io
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time

from figures import spread

# What is compared with a thread of ours runs in a process of its own, for PyTorch's threads are not
# those of the BLAS that it calls.
if "survey" in sys.argv:
    os.environ.update({name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                              "MKL_NUM_THREADS", "BLIS_NUM_THREADS")})

try:
    import numpy
    import torch
    import torch.nn.functional as F
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as missing:
    print(json.dumps({"group": "peers", "note": f"Not run: {missing}; ./dev bench --peers installs them."}))
    sys.exit(0)

LAYERS, WIDTH, HEADS, INNER, VOCABULARY = 12, 768, 12, 3072, 50257
SHOWN_LAYER, SHOWN_HEAD = 11, 3
COMPONENTS = ("Query", "Key", "Value")


def make_model(n_positions):
    torch.manual_seed(1)
    layer = lambda: {
        "qkv": torch.randn(WIDTH, 3 * WIDTH) * 0.02, "qkv_bias": torch.zeros(3 * WIDTH),
        "out": torch.randn(WIDTH, WIDTH) * 0.02, "out_bias": torch.zeros(WIDTH),
        "up": torch.randn(WIDTH, INNER) * 0.02, "up_bias": torch.zeros(INNER),
        "down": torch.randn(INNER, WIDTH) * 0.02, "down_bias": torch.zeros(WIDTH),
        "norms": [(torch.ones(WIDTH), torch.zeros(WIDTH)) for _ in range(2)],
    }
    return {
        "tokens": torch.randn(VOCABULARY, WIDTH) * 0.02,
        "positions": torch.randn(n_positions, WIDTH) * 0.02,
        "layers": [layer() for _ in range(LAYERS)],
    }


def forward(model, ids, scaled=None, epsilon=1.0):
    """All attention weights of a pass; scaled: which component of the shown layer is multiplied."""
    n = len(ids)
    x = model["tokens"][ids] + model["positions"][:n]
    mask = torch.full((n, n), float("-inf")).triu(1)
    kept = []
    for number, layer in enumerate(model["layers"]):
        h = F.layer_norm(x, (WIDTH,), *layer["norms"][0])
        parts = list((torch.addmm(layer["qkv_bias"], h, layer["qkv"])).split(WIDTH, 1))
        if number == SHOWN_LAYER and scaled is not None:
            parts[scaled] = parts[scaled] * epsilon
        q, k, v = (p.view(n, HEADS, WIDTH // HEADS).transpose(0, 1) for p in parts)
        weights = torch.softmax(q @ k.transpose(1, 2) / (WIDTH // HEADS) ** 0.5 + mask, -1)
        kept.append(weights)
        context = (weights @ v).transpose(0, 1).reshape(n, WIDTH)
        x = x + torch.addmm(layer["out_bias"], context, layer["out"])
        h = F.layer_norm(x, (WIDTH,), *layer["norms"][1])
        h = F.gelu(torch.addmm(layer["up_bias"], h, layer["up"]))
        x = x + torch.addmm(layer["down_bias"], h, layer["down"])
    return kept


def activate(x):
    """GPT-2's own form of GELU, as transformers computes it."""
    return 0.5 * x * (1.0 + torch.tanh((2.0 / math.pi) ** 0.5 * (x + 0.044715 * torch.pow(x, 3.0))))


def run_layers(model, texts, epsilon=None, gelu=F.gelu, changed=None):
    """All attention weights of texts of one length, as output_attentions gives them, and what leaves
    the last layer. epsilon: what the last layer's keys are multiplied by, as a hook does it; changed: layer
    and head whose queries are as good as nothing."""
    n_texts, n = texts.shape
    x = model["tokens"][texts] + model["positions"][:n]
    mask = torch.full((n, n), float("-inf")).triu(1)
    kept = []
    for number, layer in enumerate(model["layers"]):
        h = F.layer_norm(x, (WIDTH,), *layer["norms"][0])
        parts = (h @ layer["qkv"] + layer["qkv_bias"]).split(WIDTH, 2)
        if number == LAYERS - 1 and epsilon is not None:
            parts = (parts[0], parts[1] * epsilon, parts[2])
        q, k, v = (p.view(n_texts, n, HEADS, WIDTH // HEADS).transpose(1, 2) for p in parts)
        if changed is not None and changed[0] == number:
            q[:, changed[1]] *= 1e-5
        weights = torch.softmax(q @ k.transpose(2, 3) / (WIDTH // HEADS) ** 0.5 + mask, -1)
        kept.append(weights)
        context = (weights @ v).transpose(1, 2).reshape(n_texts, n, WIDTH)
        x = x + context @ layer["out"] + layer["out_bias"]
        h = F.layer_norm(x, (WIDTH,), *layer["norms"][1])
        h = gelu(h @ layer["up"] + layer["up_bias"])
        x = x + h @ layer["down"] + layer["down_bias"]
    return torch.stack(kept), x


def compute_entropy(weights):
    return -(weights * torch.log2(weights.clamp_min(1e-30))).sum(-1).mean(-1)


def survey(model, texts, epsilon=None):
    """Sink score and entropy of all heads, of the attention weights and nothing else."""
    every, _ = run_layers(model, texts, epsilon)
    return every[..., 0].mean(-1).mean(1), compute_entropy(every).mean(1)


def survey_as_published(model, texts):
    """As eval_sink_open_source.py of Gu et al. 2024 (github.com/sail-sg/Attention-Sink, af49727) does it
    with AutoModelForCausalLM: a text after the other, with its logits, all weights kept and saved, read
    again, the sink scores of all keys; and the entropy."""
    kept = []
    for text in texts:
        weights, x = run_layers(model, text[None], gelu=activate)
        F.layer_norm(x, (WIDTH,), *model["layers"][0]["norms"][0]) @ model["tokens"].T
        kept.append(weights[:, 0])
    with tempfile.TemporaryFile() as file:
        numpy.save(file, torch.stack(kept).numpy())
        file.seek(0)
        every = torch.from_numpy(numpy.load(file))
    n = every.shape[-1]
    rows = torch.arange(n, 0, -1)[None, None, None, :].expand(every.shape).to(every)
    sinks = (every / rows).sum(-2)
    return (sinks > 0.3).float().mean((0, 1, 2)), compute_entropy(every).mean(0)


def attribute_as_published(model, texts):
    """As lib/Sahara and lib/SHIPS of ydyjya/SafetyHeadAttribution do it: for each head a pass of the whole model
    and its logits for each text, the KL of the last, and the angle of the final states."""
    def run(changed):
        states, last = [], []
        for text in texts:
            _, x = run_layers(model, text[None], gelu=activate, changed=changed)
            x = F.layer_norm(x, (WIDTH,), *model["layers"][0]["norms"][0])
            states.append(x[0, -1])
            last.append(torch.softmax((x @ model["tokens"].T)[0, -1], -1))
        return torch.stack(states), last

    states, last = run(None)
    found = []
    for head in ((layer, head) for layer in range(LAYERS) for head in range(2)):
        changed_states, changed = run(head)
        kl = [((p + 1e-12) * torch.log((p + 1e-12) / (q + 1e-12))).sum() for p, q in zip(last, changed)]
        u, v = (torch.linalg.svd(x, full_matrices=False)[0][:, :1] for x in (states, changed_states))
        found.append((sum(kl) / len(kl), torch.acos(torch.linalg.svd(u.T @ v)[1].clamp(-1, 1))))
    return found


def redraw(model, ids, labels, step):
    """The grid of 3 x 3 panels, from the model to the pixels."""
    figure, axes = plt.subplots(3, 3, figsize=(10, 8.3), dpi=96)
    for row, component in enumerate(COMPONENTS):
        for column in range(3):
            epsilon = 0.5 / (1 + column + 0.001 * step)
            weights = forward(model, ids, row, epsilon)[SHOWN_LAYER][SHOWN_HEAD]
            image = axes[row, column].imshow(weights.numpy(), cmap="coolwarm", vmin=0, vmax=1)
            axes[row, column].set_title(f"Modifying {component} with ε = {epsilon:.3g}")
            if labels is not None:
                axes[row, column].set_xticks(range(len(ids)), labels, rotation=90)
                axes[row, column].set_yticks(range(len(ids)), labels)
    figure.colorbar(image, ax=axes, label="Attention Weight")
    figure.canvas.draw()
    plt.close(figure)


def get_memory():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1.024e-3 for line in file if line.startswith("RssAnon"))


def find_peak(function):
    """Megabytes of anonymous memory at the most while it runs, beyond those of before."""
    before, peaks, is_over = get_memory(), [0.0], threading.Event()

    def sample():
        while not is_over.wait(0.001):
            peaks.append(get_memory() - before)

    thread = threading.Thread(target=sample)
    thread.start()
    function()
    is_over.set()
    thread.join()
    return max(peaks)


def make_map(n):
    """As bench-export.c makes one."""
    scores = 2.0 * numpy.random.default_rng(1).standard_normal((n, n)) + 4.0 * (numpy.arange(n) == 0)
    weights = numpy.tril(numpy.exp(scores))
    return weights / weights.sum(1, keepdims=True)


def draw_map(form):
    """Each cell a rectangle in an SVG, as ours; a PNG of 4,096 x 4,096 pixels."""
    figure, axes = plt.subplots(figsize=(4096 / 300, 4096 / 300) if form == "png" else None, dpi=300)
    mesh = axes.pcolormesh(make_map(300), cmap="coolwarm", vmin=0, vmax=1)
    axes.invert_yaxis()
    figure.colorbar(mesh, label="Attention Weight")
    return save(figure, form)


def draw_survey():
    """A map of layers x heads, a scatter of heads, a histogram, a curve a layer."""
    random = numpy.random.default_rng(1)
    figure, axes = plt.subplots(2, 2, figsize=(8, 7))
    sink, entropy = random.random((6, 4)), random.random((6, 4))
    figure.colorbar(axes[0, 0].imshow(sink, cmap="Blues"), ax=axes[0, 0])
    axes[0, 1].scatter(entropy, sink)
    axes[1, 0].hist(sink.ravel(), bins=20)
    for layer in sink:
        axes[1, 1].plot(layer)
    return save(figure, "svg")


def save(figure, form):
    file = io.BytesIO()
    figure.savefig(file, format=form, dpi=300)
    plt.close(figure)
    return file.getbuffer().nbytes


def print_one(name, peer_of, unit, value):
    print(json.dumps({"group": "peers", "name": name, "unit": unit, "runs": 1, "peer_of": peer_of,
                      "value": {"median": value, "min": value, "max": value}}), flush=True)


def export_main(which):
    name, draw = (("SVG, a map of 300 tokens", lambda: draw_map("svg")),
                  ("PNG, 4,096 x 4,096 pixels, the same map", lambda: draw_map("png")),
                  ("SVG, a survey: map, scatter, histogram, curves", draw_survey))[which]
    sizes = []
    peak = find_peak(lambda: sizes.append(draw()))
    measure("matplotlib: " + name, name, 3, lambda run: draw())
    print_one("matplotlib: file", name + ": file", "MB", sizes[0] * 1e-6)
    print_one("matplotlib: memory", name + ": memory", "MB", peak)


def measure(name, peer_of, runs, function):
    if runs > 1:
        function(0)
    times = []
    for run in range(runs):
        begin = time.perf_counter()
        function(run + 1)
        times.append(1000 * (time.perf_counter() - begin))
    print(json.dumps({
        "group": "peers", "name": name, "unit": "ms", "runs": runs,
        **({"peer_of": peer_of} if peer_of else {}),
        "value": spread(times),
    }), flush=True)


def main():
    model = make_model(2048)
    print(json.dumps({
        "group": "peers",
        "note": f"PyTorch {torch.__version__.split('+')[0]} with {torch.get_num_threads()} threads, "
                f"matplotlib {matplotlib.__version__}.",
    }))
    with torch.no_grad():
        for n in (128, 512, 1024):
            ids = torch.randint(VOCABULARY, (n,))
            labels = [f"t{i}" for i in range(n)] if n <= 128 else None
            measure(f"PyTorch: GPT-2 small, F32, {n} tokens", f"GPT-2 small, F32, {n} tokens", 3,
                    lambda run: forward(model, ids))
            if n != 512:
                measure(f"PyTorch and matplotlib: ε grid, {n} tokens",
                        f"ε grid recomputed and drawn, {n} tokens", 3 if n == 128 else 1,
                        lambda run: redraw(model, ids, labels, run))
        texts = torch.randint(VOCABULARY, (64, 64))
        measure("PyTorch: as the published script, as many threads as it takes",
                "the whole command, 64 texts, all threads", 3,
                lambda run: survey_as_published(model, texts))


def survey_main():
    model = make_model(64)
    with torch.no_grad():
        prompts = torch.randint(VOCABULARY, (8, 24))
        measure("PyTorch: as the published script, a thread",
                "GPT-2 small, 24 heads, 8 texts of 24 tokens, a thread", 3,
                lambda run: attribute_as_published(model, prompts))
    name = "GPT-2 small, 8 texts of 64 tokens, sink and entropy, a thread"
    with torch.no_grad():
        texts = torch.randint(VOCABULARY, (8, 64))
        measure("PyTorch: as the published script", name, 3,
                lambda run: survey_as_published(model, texts))
        for n_together in (1, len(texts)):
            measure(f"PyTorch: survey of 8 texts of 64 tokens without logits, {n_together} at a time, a "
                    "thread", None, 3,
                    lambda run: [survey(model, texts[i:i + n_together])
                                 for i in range(0, len(texts), n_together)])
        measure("PyTorch: a pass for each ε",
                "the same, and with the last layer's keys times nine ε", 3,
                lambda run: [survey(model, texts, epsilon)
                             for epsilon in (None, *(0.1 * i for i in range(1, 10)))])


if "survey" in sys.argv:
    survey_main()
elif "export" in sys.argv:
    export_main(int(sys.argv[-1]))
else:
    main()
    sys.stdout.flush()
    for words in (("survey",), *(("export", str(which)) for which in range(3))):
        subprocess.run([sys.executable, __file__, *words], check=True)
