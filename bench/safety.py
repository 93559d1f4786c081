"""What a check costs: CPU per message of 100 words, by kind of message. `python bench/safety.py`."""

import json
import random
import time
from pathlib import Path

from spotter.safety import moderate
from spotter.safety.classifier.model import WEIGHTS, Model

ROOT = Path(__file__).parent.parent
LABELLED = ROOT / "tests" / "safety" / "labelled"
WRITTEN = ROOT / "training_data" / "bars"
"""Not learnt from."""
WORDS = 100
ABOUT = range(80, 121)
MESSAGES = 40
ROUNDS = 5


CHAT = (
    "I have been training for six months now and my squat went from 60 kg to 100 kg, which I am happy "
    "about. My trainer says I should deload next week and then start a new block with more volume for my "
    "back and shoulders. I usually train on Monday, Wednesday and Friday after work, and on weekends I go "
    "for a run or a swim with friends. Could you please write me a plan for the next four weeks that "
    "keeps my legs fresh for a 10k in May and still lets me improve my bench press and pull ups a bit? "
    "Thanks a lot",
    "Hi coach, quick update from this week. Monday was heavy squats, five sets of five at 95 kg, and they "
    "moved well. On Wednesday I only had half an hour, so I did the dumbbell circuit and skipped the "
    "rower. Friday I missed because my daughter was ill and I had to stay at home. My left knee feels a "
    "little stiff in the morning but it goes away once I move. I slept about seven hours most nights and "
    "ate more or less what we agreed. What should I change next week, and do you still have a spot for me "
    "on Tuesday",
)
"""What people write: long, friendly, full of numbers, nothing wrong with it."""


def messages(texts: list[str], seed: int) -> list[str]:
    """Labelled texts strung together to `WORDS` words each."""
    chance = random.Random(seed)
    made = []
    for _ in range(MESSAGES):
        words: list[str] = []
        while len(words) < WORDS:
            words += (chance.choice(texts) + ".").split()
        made.append(" ".join(words[:WORDS]))
    return made


def as_written() -> list[str]:
    """Ordinary messages of about so many words, each by one person about one thing."""
    rows = [
        json.loads(line)
        for path in sorted(WRITTEN.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    return [row["text"] for row in rows if row["label"] == "fine" and len(row["text"].split()) in ABOUT]


def one_per_message(texts: list[str], ordinary: list[str], seed: int) -> list[str]:
    """As people write: one alarming sentence in an otherwise ordinary message."""
    chance = random.Random(seed)
    return [f"{chance.choice(texts)}. {message}"[: len(message)] for message in messages(ordinary, seed)]


def cpu_ms(texts: list[str]) -> list[float]:
    """The best of some rounds per text: other programs only ever make it slower."""
    best = [float("inf")] * len(texts)
    for _ in range(ROUNDS):
        for index, text in enumerate(texts):
            start = time.process_time_ns()
            moderate(text)
            best[index] = min(best[index], (time.process_time_ns() - start) / 1e6)
    return sorted(best)


def loading_ms() -> float:
    """What reading the classifier's weights costs, once per process."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        Model(WEIGHTS.read_bytes())
        taken.append((time.process_time_ns() - start) / 1e6)
    return min(taken)


def main() -> None:
    by_label: dict[str, list[str]] = {}
    for path in sorted(LABELLED.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["source"] == "member":
                by_label.setdefault((row["labels"] or ["ordinary"])[0], []).append(row["text"])
    ordinary = by_label["ordinary"]
    print(f"weights: {WEIGHTS.stat().st_size} bytes, read in {loading_ms():.0f} ms CPU")
    print(f"{WORDS}-word messages, CPU ms each (best of {ROUNDS})")
    print(f"{'message':44} {'median':>7} {'p95':>7} {'worst':>7}")
    rows = [
        ("ordinary chat", list(CHAT)),
        ("ordinary, by writers who know nothing of this", as_written()),
        ("nothing but sentences that sound bad and are not", messages(ordinary, 1)),
    ]
    rows += [
        (f"ordinary with one {name}", one_per_message(texts, ordinary, 2)) for name, texts in by_label.items()
    ]
    rows += [
        (f"nothing but {name}", messages(texts, 3)) for name, texts in by_label.items() if name != "ordinary"
    ]
    for name, texts in rows:
        times = cpu_ms(texts)
        print(
            f"{name:44} {times[len(times) // 2]:7.2f} {times[int(len(times) * 0.95)]:7.2f} {times[-1]:7.2f}"
        )


if __name__ == "__main__":
    main()
