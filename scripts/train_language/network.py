"""The network while it learns (PyTorch), begun from the first layers of a model that knows English."""

import torch
from torch import nn
from torch.nn import functional

HEADS = 12
LOOKS = (1, 2, 3)
"""After so many layers a first look tells what is plainly nothing, so that the rest need not be asked."""
PLACES = 128
MARKS = 16


def _linear(weights: dict, *names: str) -> nn.Linear:
    weight = torch.cat([weights[f"{name}.weight"] for name in names])
    made = nn.Linear(weight.shape[1], weight.shape[0])
    made.weight.data = weight.clone()
    made.bias.data = torch.cat([weights[f"{name}.bias"] for name in names]).clone()
    return made


def _norm(weights: dict, name: str) -> nn.LayerNorm:
    made = nn.LayerNorm(weights[f"{name}.weight"].shape[0], eps=1e-12)
    made.weight.data = weights[f"{name}.weight"].clone()
    made.bias.data = weights[f"{name}.bias"].clone()
    return made


class Layer(nn.Module):
    def __init__(self, weights: dict, at: int) -> None:
        super().__init__()
        own = f"encoder.layer.{at}."
        asked = [f"{own}attention.self.{name}" for name in ("query", "key", "value")]
        self.attend = _linear(weights, *asked)
        self.mix = _linear(weights, f"{own}attention.output.dense")
        self.mix_norm = _norm(weights, f"{own}attention.output.LayerNorm")
        self.widen = _linear(weights, f"{own}intermediate.dense")
        self.narrow = _linear(weights, f"{own}output.dense")
        self.narrow_norm = _norm(weights, f"{own}output.LayerNorm")
        self.drop = nn.Dropout(0.1)

    def forward(self, states: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        count, length, width = states.shape
        query, key, value = (
            self.attend(states).view(count, length, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        )
        dropped = 0.1 if self.training else 0.0
        seen = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=there[:, None, None, :], dropout_p=dropped
        )
        mixed = self.mix(seen.transpose(1, 2).reshape(count, length, width))
        states = self.mix_norm(states + self.drop(mixed))
        wide = functional.gelu(self.widen(states), approximate="tanh")
        return self.narrow_norm(states + self.drop(self.narrow(wide)))


class Network(nn.Module):
    """Over the same words, one stack of layers reads what a text is about, and a lower one hears what it wants:
    what is learnt about dangers changes nothing about wishes."""

    def __init__(
        self, weights: dict, words: list[int], layers: int, hearing: int, categories: int, intents: int
    ) -> None:
        super().__init__()
        known = weights["embeddings.word_embeddings.weight"]
        width = known.shape[1]
        self.words = nn.Embedding.from_pretrained(known[words].clone(), freeze=False)
        self.marks = nn.Embedding(MARKS, width)
        self.marks.weight.data.normal_(0, 0.05)
        places = weights["embeddings.position_embeddings.weight"][:PLACES]
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        self.places = nn.Embedding.from_pretrained((places + kind).clone(), freeze=False)
        self.norm = _norm(weights, "embeddings.LayerNorm")
        self.layers = nn.ModuleList(Layer(weights, at) for at in range(layers))
        self.hearing = nn.ModuleList(Layer(weights, at) for at in range(hearing))
        self.categories = nn.Linear(2 * width, categories)
        self.looks = nn.ModuleDict({str(at): nn.Linear(2 * width, categories) for at in LOOKS})
        self.intents = nn.Linear(width, intents)
        self.drop = nn.Dropout(0.1)

    def forward(self, ids: torch.Tensor, there: torch.Tensor, layers: nn.ModuleList) -> list[torch.Tensor]:
        """States of all pieces after each of these layers. Numbers below nothing are marks: -1 the first."""
        states = torch.where(
            (ids < 0)[..., None], self.marks((-ids - 1).clamp(min=0)), self.words(ids.clamp(min=0))
        )
        states = self.drop(self.norm(states + self.places.weight[: ids.shape[1]]))
        found = []
        for layer in layers:
            states = layer(states, there)
            found.append(states)
        return found

    def category_logits(
        self, states: torch.Tensor, there: torch.Tensor, head: nn.Linear | None = None
    ) -> torch.Tensor:
        count = there[..., None].float()
        mean = (states * count).sum(1) / count.sum(1)
        most = states.masked_fill(~there[..., None], -1e4).max(1).values
        return (head or self.categories)(self.drop(torch.cat([mean, most], -1)))

    def intent_logits(self, states: torch.Tensor) -> torch.Tensor:
        return self.intents(self.drop(states))

    def take_over(self, arrays: dict) -> None:
        """Begin from weights that were written, as `spotter.language` reads them, instead of from MiniLM's."""
        self.words.weight.data = torch.tensor(arrays["words"] * arrays["words.scale"])
        for name in ("marks", "places"):
            getattr(self, name).weight.data = torch.tensor(arrays[name])
        for name in ("norm", "categories", "intents"):
            _filled(getattr(self, name), arrays, name)
        for at, look in self.looks.items():
            if f"looks.{at}.weight" in arrays:
                _filled(look, arrays, f"looks.{at}")
        for stack, layers in (("", self.layers), ("hearing.", self.hearing)):
            for at, layer in enumerate(layers):
                for name in ("attend", "mix", "mix_norm", "widen", "narrow", "narrow_norm"):
                    _filled(getattr(layer, name), arrays, f"{stack}{at}.{name}")

    def keep_wishes(self) -> None:
        """What `offline/` hears with stays as it is: only the layers and heads for categories learn."""
        for each in self.parameters():
            each.requires_grad_(False)
        for part in (self.layers, self.categories, self.looks):
            for each in part.parameters():
                each.requires_grad_(True)


def _filled(part: nn.Linear | nn.LayerNorm, arrays: dict, name: str) -> None:
    part.weight.data = torch.tensor(arrays[f"{name}.weight"].T).contiguous()
    part.bias.data = torch.tensor(arrays[f"{name}.bias"])
