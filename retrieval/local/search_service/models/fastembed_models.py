"""Models that fastembed runs on this machine: embedding models and cross-encoders, by name or from a folder.

A name is one of fastembed's; its files are fetched once and kept. A folder has `model.onnx` (or `onnx/model.onnx`),
`config.json` and `tokenizer.json`, as sentence-transformers' models have on a hub; nothing is fetched for it.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from retrieval.errors import NotConfigured
from retrieval.local.search_service.models.lexical_ranker import MAX_SCORE
from retrieval.local.search_service.models.ports import Candidates, ModelFailed, Vector

if TYPE_CHECKING:
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

PACKAGE: Final = "fastembed"
FILES: Final = ("model.onnx", "onnx/model.onnx")
CACHE: Final = Path(".local", "models")
"""Where fetched models are kept."""

NOWHERE: Final = "https://localhost/none"
"""fastembed asks for a source even of a model that is here."""

T = TypeVar("T")


class FastembedEmbeddings:
    """An embedding model by its name, or from a folder. Raises NotConfigured where it cannot be had.

    A call takes one core: batches on as many threads are faster than a batch on all cores, most of all where other
    programs have some of them.
    """

    is_far = False

    def __init__(self, model: str) -> None:
        self.name = model
        folder = _folder(model)
        self.version = model if folder is None else _digest(folder)
        self._model = _opened(model, lambda: _embedding(model) if folder is None else _embedding_of(folder))

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        return [_single(one) for one in _run(self.name, lambda: list(self._model.passage_embed(texts)))]

    def query(self, text: str) -> Vector:
        return _single(_run(self.name, lambda: next(iter(self._model.query_embed(text)))))


class CrossEncoder:
    """A ranker that reads query and document together; its logit becomes a share, and four times that the score."""

    def __init__(self, model: str) -> None:
        self.label = Path(model).name if Path(model).is_dir() else model
        folder = _folder(model)
        self._model = _opened(model, lambda: _cross_encoder(model) if folder is None else _cross_encoder_of(folder))

    def scores(self, query: str, among: Candidates) -> list[float]:
        texts = among.texts()
        found = _run(self.label, lambda: list(self._model.rerank(query, texts))) if texts else []
        if not all(map(math.isfinite, found)):
            raise ModelFailed(self.label, "gave a score that is no number")
        return [round(MAX_SCORE / (1 + math.exp(-max(min(one, 60.0), -60.0))), 4) for one in found]


def _embedding(name: str) -> "TextEmbedding":
    from fastembed import TextEmbedding

    return TextEmbedding(name, cache_dir=str(CACHE), threads=1)


def _embedding_of(folder: Path) -> "TextEmbedding":
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name, file = f"folder/{_digest(folder)}", _file(folder)
    if name not in {one["model"] for one in TextEmbedding.list_supported_models()}:
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType.CLS if _pools_first(folder) else PoolingType.MEAN,
            normalization=True,
            sources=ModelSource(url=NOWHERE),
            dim=int(json.loads((folder / "config.json").read_text(encoding="utf-8"))["hidden_size"]),
            model_file=file,
        )
    return TextEmbedding(name, specific_model_path=str(folder), threads=1)


def _pools_first(folder: Path) -> bool:
    """Whether the vector of the first token is the text's, as `1_Pooling/config.json` of sentence-transformers says."""
    file = folder / "1_Pooling" / "config.json"
    return file.exists() and bool(json.loads(file.read_text(encoding="utf-8")).get("pooling_mode_cls_token"))


def _cross_encoder(name: str) -> "TextCrossEncoder":
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return TextCrossEncoder(name, cache_dir=str(CACHE))


def _cross_encoder_of(folder: Path) -> "TextCrossEncoder":
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    name = f"folder/{_digest(folder)}"
    if name not in {one["model"] for one in TextCrossEncoder.list_supported_models()}:
        TextCrossEncoder.add_custom_model(model=name, sources=ModelSource(url=NOWHERE), model_file=_file(folder))
    return TextCrossEncoder(name, specific_model_path=str(folder))


def _folder(model: str) -> Path | None:
    """The folder that `model` is; None for a name. Raises NotConfigured where a folder has no model."""
    folder = Path(model)
    if not folder.is_dir():
        return None
    missing = [name for name in ("config.json", "tokenizer.json") if not (folder / name).is_file()]
    if missing or not any((folder / name).is_file() for name in FILES):
        absent = ", ".join([*missing, *([] if _has_model(folder) else [FILES[0]])])
        page = "docs/developing/local-search.md"
        raise NotConfigured([f"The model folder {model!r} lacks {absent}: {page} says what it has."])
    return folder


def _has_model(folder: Path) -> bool:
    return any((folder / name).is_file() for name in FILES)


def _file(folder: Path) -> str:
    return next(name for name in FILES if (folder / name).is_file())


def _digest(folder: Path) -> str:
    """Of the model's file: another file in the same folder is another model."""
    with (folder / _file(folder)).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def _opened(model: str, open_model: Callable[[], T]) -> T:
    """Raises NotConfigured: the package is missing, the name unknown, or the files cannot be had or read.

    The errors of the runtime have no root of their own. What fastembed logs while it tries again is not shown.
    """
    if find_spec(PACKAGE) is None:
        raise NotConfigured([f'The model {model!r} needs the package {PACKAGE}: run pip install ".[local,models]".'])
    from loguru import logger

    logger.disable(PACKAGE)
    try:
        return open_model()
    except Exception as error:
        raise NotConfigured([_sentence(model, error)]) from error


def _sentence(model: str, error: Exception) -> str:
    reason = " ".join(str(error).split())[:300].rstrip(".")
    if isinstance(error, ValueError) and "not supported" in reason:
        page = "docs/developing/local-search.md"
        return f"The model {model!r} is no folder here and none of fastembed's models: {page} names some."
    return (
        f"The model {model!r} cannot be opened ({reason}). Where this machine is offline, fetch its folder elsewhere "
        "(model.onnx, config.json, tokenizer.json) and name the folder."
    )


def _run(model: str, work: Callable[[], T]) -> T:
    """Raises ModelFailed with whatever the runtime says."""
    try:
        return work()
    except Exception as error:
        raise ModelFailed(model, f"failed: {str(error)[:300]}") from error


def _single(numbers: Iterable[Any]) -> Vector:
    return np.asarray(numbers, np.float32)
