"""The estimate is as good as its docstring says."""

import json
import random
from pathlib import Path

import pytest

from spotter.llm.prompt import (
    AssistantMessage,
    Fragment,
    History,
    Prompt,
    Section,
    ToolCall,
    Tools,
    ToolSpec,
    UserMessage,
)
from spotter.llm.tokens import MESSAGE_OVERHEAD, _weigh_each, _weigh_plain, estimate, weight, weight_of_all

SAMPLES = json.loads((Path(__file__).parent / "token_samples.json").read_text())
LANGUAGES = {"german", "spanish", "french", "russian", "chinese", "japanese", "arabic", "hindi", "korean", "emoji",
             "held_out_portuguese", "held_out_italian", "held_out_polish", "held_out_turkish"}  # fmt: skip
SHAPELESS = {"base64", "spaces"}


@pytest.mark.parametrize("name", SAMPLES)
def test_each_sample(name: str) -> None:
    wanted, text = SAMPLES[name]["tokens"], SAMPLES[name]["text"]
    bound = 0.5 if name in SHAPELESS else 0.4 if name in LANGUAGES else 0.2
    assert abs(estimate(text) - wanted) <= bound * wanted


def test_all_samples_together() -> None:
    wanted = sum(sample["tokens"] for sample in SAMPLES.values())
    assert abs(sum(estimate(sample["text"]) for sample in SAMPLES.values()) - wanted) <= 0.05 * wanted


PIECES = [" ", "\n", "\t", "  ", "a", "Bc", "reps", "bench", "extraordinarily", "12", "2026", ",", "...", "_", "!?!?",
          "\0"]  # fmt: skip


def test_the_quick_way_for_ascii_weighs_the_same() -> None:
    dice = random.Random(5)
    for _ in range(3_000):
        text = "".join(dice.choice(PIECES) for _ in range(dice.randint(0, 30)))
        assert _weigh_plain(text) == _weigh_each(text), text


def test_many_weigh_as_much_as_each_by_itself() -> None:
    dice = random.Random(6)
    texts = [
        "".join(dice.choice([*PIECES, "é", "中"]) for _ in range(dice.randint(0, 30))) for _ in range(500)
    ]
    texts.append("bench press " * 5_000)
    assert weight_of_all(texts) == sum(map(weight, texts))


def test_a_long_text_is_judged_by_slices() -> None:
    text = " ".join(SAMPLES[name]["text"] for name in ("prose", "code", "json"))
    once = estimate(text)
    many = estimate(text * 3000)
    assert abs(many - 3000 * once) < 0.15 * 3000 * once


def test_nothing_is_no_token() -> None:
    assert estimate("") == 0
    assert estimate(" ") == 1


def test_a_prompt_is_the_sum_of_its_parts() -> None:
    question, answer = (
        Fragment(UserMessage("How much?")),
        Fragment(AssistantMessage("", (ToolCall("c", "add", "{}"),))),
    )
    system = Section("Be brief.")
    prompt = Prompt([question, answer], [system], [question])
    assert abs(prompt.tokens - (2 * question.tokens + answer.tokens + system.tokens)) <= 1, "rounded once"
    assert question.tokens == MESSAGE_OVERHEAD + estimate("How much?")
    history = History([question])
    assert Prompt(history).tokens == question.tokens
    history.append(answer)
    assert Prompt(history, [system], [question]).tokens == prompt.tokens
    assert Tools([ToolSpec("add", "Adds.", {"type": "object"})]).tokens > 8
