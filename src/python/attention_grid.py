# SPDX-License-Identifier: GPL-3.0-or-later

"""Attention grids of transformer models, from Python and in notebooks.

This module runs the program attention-grid and hands on what it says: figures that a notebook shows, numbers
as NumPy arrays, the window on arrays that are in memory. It needs the standard library and NumPy.

    import attention_grid

    attention_grid.figure("epsilon")                            # in a notebook: the figure
    attention_grid.compute(text="A rose is a rose.")            # [layers, heads, T, T] float32
    attention_grid.show(outputs.attentions, tokens)             # the window

Options are those of the command line (``attention-grid compute --help``), as keyword arguments: ``--scope-layers
all`` is ``scope_layers="all"``, ``--words`` is ``words=True``, ``--no-titles`` is ``titles=False``, ``--scale
query=0.5`` is ``scale={"query": 0.5}``. What takes several values takes a sequence. ``None`` is an option that is
not given. What the program refuses is an `Error` with the program's sentence.

The program is the one that the environment variable ATTENTION_GRID_PROGRAM names, that which this file was built or
installed with, or the first in PATH. ``python3 -m attention_grid check MODEL`` compares it with
transformers on a model of one's own, see `check`.
"""

from __future__ import annotations

import argparse
import atexit
import base64
import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
import weakref
from typing import (TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence,
                    Tuple, Union)

import numpy

__all__ = ["Answer", "Difference", "Error", "Figure", "Tokens", "Window", "check", "compute", "figure", "generate",
           "info", "probe", "program", "show", "survey", "tokenize"]

Path = Union[str, "os.PathLike[str]"]
if TYPE_CHECKING:
    from numpy.typing import NDArray
    Array = NDArray[Any]
else:
    # NumPy before 1.21 has no other name for it.
    Array = numpy.ndarray
Arrays = Dict[str, Array]

# Options that are given once for each of several values; of any other the values stand behind one another.
_REPEATED = {"text", "ids", "image", "pixels", "audio", "features", "set", "mean", "scale", "zero", "patch", "cut",
             "with_model", "group", "region", "stop"}
_SEPARATORS = {"range": ":", "sweep": ":"}
_SWITCHES = {"special_tokens": ("off", "on")}

# Lines on standard error begin with it, on success as on failure.
_PREFIX = "attention-grid: "


class Error(Exception):
    """The program refused: its sentence says where, what was found and what was expected.

    `status` is the exit status: 1 for a failure, 2 for an option that is wrong, None where there is no program."""

    def __init__(self, sentence: str, status: Optional[int] = None) -> None:
        super().__init__(sentence)
        self.status = status


# -- The program --


def program() -> str:
    """Returns the path of the program that all functions run; raises `Error` where there is none."""
    named = os.environ.get("ATTENTION_GRID_PROGRAM")
    here = os.path.dirname(os.path.realpath(__file__))
    beside = [os.path.join(here, "..", "..", "build", "src", "attention-grid"),
              os.path.join(here, "..", "..", "..", "bin", "attention-grid")]
    for path in [named] if named else beside:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.normpath(path)
    found = None if named else shutil.which("attention-grid")
    if found is None:
        raise Error(f"{named or 'attention-grid'}: no program found, expected one in PATH, or "
                    "ATTENTION_GRID_PROGRAM with its path")
    return found


def _sentence(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return "\n".join(line[len(_PREFIX):] if line.startswith(_PREFIX) else line for line in lines)


def _raise_failure(status: int, stderr: bytes) -> None:
    if status != 0:
        raise Error(_sentence(stderr) or f"exit status {status} found, expected 0", status)


def _run(words: Sequence[str]) -> bytes:
    """Runs the program to its end and returns its standard output."""
    ended = subprocess.run([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False)
    _raise_failure(ended.returncode, ended.stderr)
    if ended.stderr.strip():
        warnings.warn(_sentence(ended.stderr), stacklevel=3)
    return ended.stdout


def _word(value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (float, numpy.floating)):
        return repr(float(value))
    return str(value)


def _is_several(value: Any) -> bool:
    return isinstance(value, (list, tuple, range, set, numpy.ndarray))


def _option(name: str, value: Any) -> Iterator[str]:
    """The words of the command line for one keyword argument."""
    flag = "--" + name.replace("_", "-")
    if value is None:
        return
    if isinstance(value, (bool, numpy.bool_)):
        if name in _SWITCHES:
            yield f"{flag}={_SWITCHES[name][bool(value)]}"
        else:
            yield flag if value else "--no-" + flag[2:]
        return
    if isinstance(value, Mapping):
        value = [f"{_word(key)}={_word(of_key)}" for key, of_key in value.items()]
    elif name == "ids" and _is_several(value):
        inputs = value if any(_is_several(item) for item in value) else [value]
        value = [",".join(_word(number) for number in numbers) if _is_several(numbers) else _word(numbers)
                 for numbers in inputs]
    if not _is_several(value):
        yield f"{flag}={_word(value)}"
    elif name in _REPEATED:
        for item in value:
            yield f"{flag}={_word(item)}"
    else:
        yield f"{flag}={_SEPARATORS.get(name, ',').join(_word(item) for item in value)}"


def _words(options: Mapping[str, Any]) -> List[str]:
    return [word for name, value in options.items() for word in _option(name, value)]


def _load(data: Union[bytes, str]) -> Arrays:
    with numpy.load(io.BytesIO(data) if isinstance(data, bytes) else data, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


# -- Arrays on their way to the program --


def _to_numpy(value: Any) -> Array:
    """Anything that has numbers: `__array__` does it, but for tensors that have a gradient, lie on another device
    or have a type that NumPy lacks (bfloat16)."""
    for step in ("detach", "cpu"):
        value = getattr(value, step, lambda value=value: value)()
    if "bfloat16" in str(getattr(value, "dtype", "")):
        value = value.float()
    return numpy.asarray(value)


def _stack(value: Any, name: str) -> Array:
    """An array, or a sequence with an array a layer; a batch of one text is taken out."""
    layers = value if isinstance(value, (list, tuple)) else None
    if layers and any(layer is None for layer in layers):
        raise Error(f"{name}: a layer without numbers found, expected attention weights of each; transformers has "
                    'them of a model that was loaded with attn_implementation="eager"')
    if layers and not all(numpy.isscalar(layer) for layer in layers):
        stacked = numpy.stack([_to_numpy(layer) for layer in layers])
    else:
        stacked = _to_numpy(value)
    if stacked.dtype == object:
        raise Error(f"{name}: {type(value).__name__} found, expected an array of numbers")
    if stacked.ndim == 5:
        if stacked.shape[1] != 1:
            raise Error(f"{name}: a batch of {stacked.shape[1]} texts found, expected one")
        stacked = stacked[:, 0]
    return stacked


def _save_recording(folder: str, array: Any, tokens: Optional[Iterable[str]], image: Any = None,
                    grid: Optional[Sequence[int]] = None) -> str:
    """Writes attention weights, or a mapping of arrays, to a file that the program opens; returns its path."""
    if (image is None) != (grid is None):
        raise Error("image: expected with grid, the rows and columns of its patches, and grid with an image")
    if not isinstance(array, Mapping):
        array = {"attention": array}
    arrays = {name: numpy.array(list(value), dtype=str) if name.endswith("tokens") else _stack(value, name)
              for name, value in array.items()}
    if tokens is not None:
        arrays["tokens"] = numpy.array([str(token) for token in tokens], dtype=str)
    if image is not None:
        is_path = isinstance(image, (str, os.PathLike))
        arrays["image"] = numpy.array([os.path.abspath(image)], dtype=str) if is_path else _to_numpy(image)
        arrays["grid"] = numpy.array([int(side) for side in grid or ()], dtype=numpy.int64)
    path = os.path.join(folder, "attention.npz")
    numpy.savez(path, **arrays)
    return path


class _Task:
    """A preset or a study with its options, and the folder of the arrays that it is about, if there are some."""

    def __init__(self, preset: Optional[Path], array: Any, tokens: Optional[Iterable[str]],
                 options: Mapping[str, Any]) -> None:
        self._folder: Optional[str] = None
        self.words: List[str] = [] if preset is None else [os.fspath(preset)]
        if array is not None and not isinstance(array, (str, os.PathLike)):
            self._folder = tempfile.mkdtemp(prefix="attention-grid-")
            self._removal = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            options = dict(options)
            image, grid = options.pop("image", None), options.pop("grid", None)
            path = _save_recording(self._folder, array, tokens, image, grid)
            if image is not None:
                options.setdefault("over_picture", True)
            # A matrix of layers x tokens is no model.
            self.words += _option("array" if preset == "layer-token" else "model", path)
        elif tokens is not None:
            raise Error("tokens: found without an array, expected text or ids as the input of a model")
        else:
            self.words += _option("array", array)
        self.words += _words(options)

    def render(self, ending: str) -> bytes:
        return _run(["render", *self.words, "--output=-", "--format=" + ending])

    def leave_arrays(self) -> None:
        """Lets them stay as long as a window may need them."""
        if self._folder is not None and self._removal.detach() is not None:
            _folders.append(self._folder)

    def compute(self) -> Arrays:
        return _load(_run(["compute", *self.words, "--output=-", "--format=npz"]))


# -- Figures --


class Figure:
    """A figure as `figure` returns it. A notebook shows it; `svg` is its text, `arrays` are its numbers."""

    def __init__(self, task: _Task) -> None:
        self._task = task
        self.svg: str = task.render("svg").decode("utf-8")

    @property
    def arrays(self) -> Arrays:
        """The numbers of its panels as `panel_ROW_COLUMN`, with their labels; they are computed when asked for."""
        return self._task.compute()

    def save(self, path: Path, **options: Any) -> None:
        """Writes it to a file, .svg, .pdf, .png or .html by its ending; `options` are those of render, such as
        ``size="85mm"`` or ``resolution=600``."""
        _run(["render", *self._task.words, *_words(options), "--output=" + os.fspath(path)])

    def show(self) -> "Window":
        """Opens it in the window, as a study that can be changed."""
        return show(self)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        # An image, so that ids and fonts of one figure do not reach another; on paper, whatever the notebook wears.
        data = base64.b64encode(self.svg.encode("utf-8")).decode("ascii")
        return ('<img alt="Attention grid" style="max-width:100%;background:#fff" '
                f'src="data:image/svg+xml;base64,{data}">')


def figure(preset: Path = "mean-operation", /, *, array: Any = None, tokens: Optional[Iterable[str]] = None,
           **options: Any) -> Figure:
    """Draws a figure.

    `preset` is a preset (``attention-grid presets`` lists them) or the file of a study. The figure is of the model
    of the option `model`, by default the small one that ships with the program; or of `array`: attention weights
    [layers, heads, queries, keys] or the last two or three of these, an array or a tensor a layer, as transformers
    returns them, or a mapping of `query`, `key` and `value` [layers, heads, T, d], on which ε and the means work
    as they do in a model. `tokens` are the texts of their T positions. Of two sequences, as in cross-attention: a
    mapping of `attention`, `query_tokens` and `key_tokens`. With an `image`, an array [height, width, 3] or a path,
    and its `grid`, (rows, columns), the last keys are its patches, and panels lie over it (``over_picture=None``
    shows the matrix)."""
    return Figure(_Task(preset, array, tokens, options))


# -- Numbers --


def compute(preset: Optional[Path] = None, /, *, array: Any = None, tokens: Optional[Iterable[str]] = None,
            **options: Any) -> Union[Array, Arrays]:
    """Computes numbers without drawing them.

    Without a preset: the attention weights of one input as an array, float32 [layers, heads, T, T], or what
    ``what=`` names: `scores`, `query`, `logits`, `kl`, ...; of `prediction`, which is several arrays, a dict. With a
    preset or the file of a study: a dict of its panels, `panel_ROW_COLUMN`, and their labels. `array` and `tokens`
    are those of `figure`."""
    arrays = _Task(preset, array, tokens, options).compute()
    if preset is not None:
        return arrays
    numbers = {name: value for name, value in arrays.items() if not name.endswith("_labels") and name != "dimensions"}
    return next(iter(numbers.values())) if len(numbers) == 1 else numbers


class Tokens(NamedTuple):
    """The tokens of a text: their ids, and how they are written below a panel."""

    ids: List[int]
    tokens: List[str]


def tokenize(model: Path, text: str) -> Tokens:
    """Cuts a text into the tokens of a model."""
    told = json.loads(_run(["tokenize", "--json", "--", os.fspath(model), text]))
    return Tokens(told["ids"], told["tokens"])


def info(path: Path) -> Dict[str, Any]:
    """Tells what a model or a file of arrays holds, as ``attention-grid info --json`` prints it."""
    told: Dict[str, Any] = json.loads(_run(["info", "--json", "--", os.fspath(path)]))
    return told


class Answer(NamedTuple):
    """A token of an answer, as ``attention-grid generate --json`` prints it."""

    id: int
    text: Optional[str]
    probability: float
    entropy: float
    kl: Optional[float]
    end: bool


def generate(text: Optional[str] = None, **options: Any) -> Dict[str, List[Answer]]:
    """Continues a text: the answer `baseline` and, with operations such as ``zero="value"``, the answer
    `modified`, each a list of its tokens."""
    answers: Dict[str, List[Answer]] = {}
    for line in _run(["generate", "--json", *_option("text", text), *_words(options)]).splitlines():
        told = json.loads(line)
        answers.setdefault(told["answer"], []).append(Answer(*(told[name] for name in Answer._fields)))
    return answers


def survey(texts: Union[Path, Iterable[Any], None] = None, *, output: Optional[Path] = None, **options: Any) -> Arrays:
    """Counts what the heads of a model do over many texts; returns the arrays of the survey's file,
    [conditions, layers, heads] each.

    `texts` is a file of texts, or an iterable of texts or of sequences of token ids; None with
    ``random_repeats=``. With `output` the file is kept there, and a survey that was interrupted goes on where it
    was."""
    with tempfile.TemporaryDirectory(prefix="attention-grid-") as folder:
        if texts is not None and not isinstance(texts, (str, os.PathLike)):
            texts = _save_texts(folder, list(texts))
        path = os.path.join(folder, "survey.npz") if output is None else os.fspath(output)
        _run(["survey", *_option("texts", texts), *_words(options), "--output=" + path])
        return _load(path)


def probe(table: Path, *, output: Optional[Path] = None, **options: Any) -> Arrays:
    """Finds out in which layers and tokens a linear probe tells right from wrong answers; returns the arrays of its
    file: ``auc``, ``auc_low``, ``auc_high`` and the same of ``accuracy``, [layers, roles], ``rows`` [roles], ``fold``
    and ``label`` of each row, ``row_labels`` and ``column_labels``.

    `table` is a .csv with the columns question, answer, exact_answer and label, or as ``question_column=`` and its like
    say. With `output` the file is kept there, for ``figure``."""
    with tempfile.TemporaryDirectory(prefix="attention-grid-") as folder:
        path = os.path.join(folder, "probe.npz") if output is None else os.fspath(output)
        _run(["probe", *_option("table", table), *_words(options), "--output=" + path])
        return _load(path)


def _save_texts(folder: str, texts: List[Any]) -> str:
    if texts and not isinstance(texts[0], str):
        path = os.path.join(folder, "texts.npy")
        lengths = {len(ids) for ids in texts}
        if len(lengths) > 1:
            raise Error(f"texts: sequences of {min(lengths)} to {max(lengths)} ids found, expected all of one length")
        numpy.save(path, numpy.array([list(ids) for ids in texts]))
        return path
    path = os.path.join(folder, "texts.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"text": text}) + "\n")
    return path


# -- The window --


class Window:
    """A window that `show` opened. It outlives Python."""

    def __init__(self, words: Sequence[str]) -> None:
        self._errors = tempfile.TemporaryFile()
        path = program()
        environment = dict(os.environ)
        # Where the program lies as it was built, so does the schema of its settings.
        built = os.path.join(os.path.dirname(path), "..", "data")
        if os.path.isfile(os.path.join(built, "gschemas.compiled")):
            environment.setdefault("GSETTINGS_SCHEMA_DIR", built)
        # Not in the group of the terminal or the kernel, whose Ctrl+C is not meant for it.
        self._process = subprocess.Popen([path, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=self._errors, start_new_session=True, env=environment)

    @property
    def is_open(self) -> bool:
        """Tells whether it is still there."""
        return self._process.poll() is None

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until it is closed, or for `timeout` seconds; tells whether it is. Raises `Error` where it could
        not be opened."""
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        self._errors.seek(0)
        if status != -signal.SIGTERM:
            _raise_failure(status, self._errors.read())
        return True

    def close(self) -> None:
        """Ends it without a question. A study that was changed is offered when the program is started again."""
        self._process.terminate()
        self._process.wait()


# Seconds in which the program says that it has no display.
_SECONDS_TO_FAIL = 1.0

# Those that were opened, and the folders of their arrays. A window is one of a program that may have several, so
# that no process says how long a folder is needed.
_windows: List[Window] = []
_folders: List[str] = []


def _make_folder() -> str:
    _folders.append(tempfile.mkdtemp(prefix="attention-grid-"))
    return _folders[-1]


@atexit.register
def _remove_folders() -> None:
    if not any(window.is_open for window in _windows):
        for folder in _folders:
            shutil.rmtree(folder, ignore_errors=True)


def show(array: Any = None, tokens: Optional[Iterable[str]] = None, *, image: Any = None,
         grid: Optional[Sequence[int]] = None) -> Window:
    """Opens the window and returns at once.

    `array` is what `figure` takes as its array, a `Figure`, or the path of a model, a study or a file of arrays;
    without it the window has the model that ships with the program. `image` and `grid` are those of `figure`. Arrays lie in a temporary folder, which goes
    with Python, unless a window is still open then."""
    words: List[str] = []
    if isinstance(array, Figure):
        array._task.leave_arrays()
        words = [os.path.join(_make_folder(), "figure.svg")]
        with open(words[0], "w", encoding="utf-8") as file:
            file.write(array.svg)
    elif isinstance(array, (str, os.PathLike)):
        words = [os.path.abspath(array)]
    elif array is not None:
        words = [_save_recording(_make_folder(), array, tokens, image, grid)]
    window = Window(words)
    _windows.append(window)
    window.wait(_SECONDS_TO_FAIL)
    return window


# -- The check against transformers --

# Float32 in another order; of weights absolute, of logits of the largest one.
_WEIGHTS_TOLERANCE = 2e-5
_LOGITS_TOLERANCE = 1e-4

_TEXT = "The quick brown fox jumps over the lazy dog, and the dog sleeps on."


class Difference(NamedTuple):
    """How far the program is from transformers in one quantity: the largest difference, what is let pass, and
    where the largest one is."""

    name: str
    largest: float
    tolerance: float
    where: str

    @property
    def agrees(self) -> bool:
        # False where it is not a number.
        return self.largest <= self.tolerance


def _difference(name: str, ours: Array, theirs: Array, tolerance: float, axes: Sequence[str]) -> Difference:
    if ours.shape != theirs.shape:
        raise Error(f"{name}: {list(ours.shape)} found, expected {list(theirs.shape)} as transformers has them")
    apart = numpy.abs(ours.astype(numpy.float64) - theirs.astype(numpy.float64))
    # What is not a number is found first, but where it is none for both.
    apart = numpy.where(numpy.isnan(apart) & ~(numpy.isnan(ours) & numpy.isnan(theirs)), numpy.inf, apart)
    place = numpy.unravel_index(int(numpy.nanargmax(apart)), apart.shape)
    where = ", ".join(f"{axis} {index}" for axis, index in zip(axes, place))
    return Difference(name, float(apart[place]), tolerance, where)


def _load_model(transformers: Any, model: str, place: str, config: Any, options: Dict[str, Any]) -> Any:
    """The architecture that the configuration names, or the one with the most to compare."""
    is_pair = getattr(config, "is_encoder_decoder", False)
    named = getattr(config, "architectures", None) or (
        ["AutoModelForSeq2SeqLM", "AutoModelForSpeechSeq2Seq"] if is_pair else
        ["AutoModelForCausalLM", "AutoModelForMaskedLM", "AutoModelForImageClassification", "AutoModel"])
    for name in named:
        kind = getattr(transformers, name, None)
        if kind is None:
            raise Error(f"{model}: {name} found, expected an architecture that transformers "
                        f"{transformers.__version__} has")
        try:
            return kind.from_pretrained(place, attn_implementation="eager", **options)
        except ValueError:
            # Of a configuration that is none of its own.
            if name == named[-1] or not name.startswith("Auto"):
                raise
    raise AssertionError


def _load_transformers(model: str) -> Tuple[Any, Any]:
    """The model, float32 and on the processor, and its tokenizer or None, from the disk alone."""
    try:
        import transformers  # type: ignore
    except ImportError as error:
        raise Error(f"transformers: {error}; expected the package, to compare with") from error
    options: Dict[str, Any] = {"local_files_only": True}
    place = model
    if model.endswith(".gguf"):
        place, options["gguf_file"] = os.path.split(os.path.abspath(model))
    try:
        config = transformers.AutoConfig.from_pretrained(place, **options)
        loaded = _load_model(transformers, model, place, config, options).float().eval()
    except Error:
        raise
    except Exception as error:  # whatever another version of another package raises
        raise Error(f"{model}: transformers: {error}") from error
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, **options)
    except Exception as error:  # whatever a tokenizer of a checkpoint without one raises
        warnings.warn(f"{model}: no tokenizer by transformers: {error}", stacklevel=2)
        tokenizer = None
    return loaded, tokenizer


def _compute_one(**options: Any) -> Array:
    numbers = compute(**options)
    assert isinstance(numbers, numpy.ndarray)
    return numbers


def _compute_layers(layers: Sequence[int], n_layers: int, **options: Any) -> Array:
    """The attention weights of some layers; a model may have others without any."""
    if len(layers) == n_layers:
        return _compute_one(**options)
    return numpy.concatenate([_compute_one(layer=layer, **options) for layer in layers])


def check(model: Path, text: str = _TEXT, *, ids: Optional[Sequence[int]] = None) -> List[Difference]:
    """Computes a model with the program and with transformers, on this machine, and compares.

    `model` is a checkpoint as transformers opens it from the disk. `text` is cut into tokens by both; `ids` are
    taken as they are; a model of pictures is given noise. The comparison is of the ids (how many differ), of the
    attention weights of every layer and head (the largest difference, 2e-5 let pass), of an encoder and a decoder
    those of all three attentions, and of the logits (1e-4 of the largest let pass). It needs the
    packages torch and transformers and downloads nothing."""
    model = os.fspath(model)
    loaded, tokenizer = _load_transformers(model)
    import torch

    if getattr(loaded, "main_input_name", "input_ids") == "pixel_values":
        return _check_picture(model, loaded)

    differences = []
    if ids is None:
        ids = tokenize(model, text).ids
        if tokenizer is not None:
            pairs = itertools.zip_longest(ids, tokenizer(text)["input_ids"])
            wrong = [place for place, (ours, theirs) in enumerate(pairs) if ours != theirs]
            differences.append(Difference("token ids", float(len(wrong)), 0.0, f"token {wrong[0]}" if wrong else ""))
    config = getattr(loaded, "config", None)
    if getattr(config, "is_encoder_decoder", False):
        return differences + _check_pair(model, loaded, list(ids))
    return differences + _check_one(model, loaded, list(ids))


def _run_transformers(model: str, loaded: Any, **tensors: Any) -> Any:
    import torch

    try:
        with torch.no_grad():
            return loaded(output_attentions=True, **tensors)
    except Exception as error:
        raise Error(f"{model}: transformers: {error}") from error


def _compare_weights(name: str, attentions: Any, model: str, **options: Any) -> Difference:
    attentions = attentions or ()
    layers = [layer for layer, weights in enumerate(attentions) if weights is not None]
    if not layers:
        raise Error(f"{model}: transformers returned no attention weights, expected those of its layers")
    weights = numpy.stack([_to_numpy(attentions[layer])[0] for layer in layers])
    found = _compute_layers(layers, len(attentions), model=model, **options)
    return _difference(name, found, weights, _WEIGHTS_TOLERANCE, ("layer", "head", "query", "key"))


def _compare_logits(logits: Any, model: str, **options: Any) -> List[Difference]:
    if logits is None or logits.ndim != 3:
        return []
    expected = _to_numpy(logits)[0]
    found = _compute_one(model=model, what="logits", **options)
    tolerance = _LOGITS_TOLERANCE * float(numpy.abs(expected).max())
    return [_difference("logits", found, expected, tolerance, ("position", "token"))]


def _check_one(model: str, loaded: Any, ids: List[int]) -> List[Difference]:
    import torch

    output = _run_transformers(model, loaded, input_ids=torch.tensor([ids]))
    return [_compare_weights("weights", output.attentions, model, ids=ids),
            *_compare_logits(getattr(output, "logits", None), model, ids=ids)]


def _check_pair(model: str, loaded: Any, ids: List[int]) -> List[Difference]:
    """An encoder and a decoder, which reads the token that it starts with and then the source."""
    import torch

    start = getattr(loaded.config, "decoder_start_token_id", None)
    target = ([start] if start is not None else []) + ids[:8]
    output = _run_transformers(model, loaded, input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([target]))
    options = {"ids": ids, "target_ids": target}
    return [_compare_weights(name, getattr(output, name + "_attentions"), model, attention=name, **options)
            for name in ("encoder", "decoder", "cross")] + _compare_logits(output.logits, model, attention="decoder",
                                                                           **options)


def _check_picture(model: str, loaded: Any) -> List[Difference]:
    """A picture of noise, as the model takes it."""
    import torch

    size = getattr(loaded.config, "image_size", None)
    height, width = size if isinstance(size, (list, tuple)) else (size, size)
    if not height or not width:
        raise Error(f"{model}: no image_size found, expected the size of a picture")
    shape = (getattr(loaded.config, "num_channels", 3), height, width)
    pixels = numpy.random.default_rng(0).standard_normal(shape).astype(numpy.float32)
    output = _run_transformers(model, loaded, pixel_values=torch.from_numpy(pixels[None]))
    path = os.path.join(_make_folder(), "pixels.npy")
    numpy.save(path, pixels)
    differences = [_compare_weights("weights", output.attentions, model, pixels=path)]
    logits = getattr(output, "logits", None)
    if logits is not None and logits.ndim == 2:
        expected = _to_numpy(logits)[0]
        found = _compute_one(model=model, what="logits", pixels=path)
        tolerance = _LOGITS_TOLERANCE * float(numpy.abs(expected).max())
        differences.append(_difference("logits", found, expected, tolerance, ("label",)))
    return differences


def _main(words: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m attention_grid", description="Attention Grid from Python.")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="compare weights and logits with transformers on this machine",
                                   description="Computes MODEL with attention-grid and with transformers, and prints "
                                               "the largest differences. Ends with 1 where they do not agree.")
    checking.add_argument("model", metavar="MODEL", help="a checkpoint, as transformers opens it from the disk")
    checking.add_argument("--text", default=_TEXT, help="what is computed; default: %(default)r")
    checking.add_argument("--ids", type=lambda ids: [int(number) for number in ids.split(",")], metavar="2,17,5",
                          help="token ids in its place")
    given = parser.parse_args(words)
    try:
        differences = check(given.model, given.text, ids=given.ids)
    except Error as error:
        print(f"{_PREFIX}{error}", file=sys.stderr)
        return 1
    print(f"{'':10}{'largest difference':>20}{'let pass':>12}  where")
    for found in differences:
        print(f"{found.name:10}{found.largest:20.2g}{found.tolerance:12.2g}  {found.where}"
              f"{'' if found.agrees else '  <- differs'}")
    return 0 if all(found.agrees for found in differences) else 1


if __name__ == "__main__":
    sys.exit(_main())
