"""Reads what `sources.py` and the tools write about an athlete back into values. Pure.

Whoever thinks sees only text; the offline model has to get from that text to an athlete again. What cannot be read is
passed over, never guessed: every workout is checked against the database afterwards.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from spotter.training import own_lines
from spotter.training.athlete import Athlete, PastSet, PastWorkout
from spotter.training.athletes import FindExercise, goals_from, level_from, wishes_of
from spotter.training.sources import SOURCES
from spotter.training.vocabulary import Equipment, Muscle

# As `safety.as_data` wraps other people's words; whoever reads them knows the wrapping from every prompt.
_NOTE: Final = re.compile(
    r'<(?:data source|untrusted from="\w+" about)="([^"\n]{1,80})">\n(.*)\n</(?:data|untrusted)>', re.DOTALL
)
_WRAPPED: Final = re.compile(r'<untrusted from="\w+"(?: about="[^"\n]*")?>\n(.*)\n</untrusted>', re.DOTALL)
_ID: Final = r"\[([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\]"
_WEIGHT: Final = re.compile(r"([^,:]+): ([+-]\d{1,2})")
_PREFERENCE: Final = re.compile(rf"{_ID} ([a-z_]+): (.+)")
_DETAILS: Final = re.compile(r" \{((?:[a-z_]+=[^\s{}]+ ?)+)\}$")
_LASTING: Final = re.compile(r" \((session|temporary)\)$")
_AMOUNT: Final = re.compile(
    r"(?P<name>.*?)"
    r"(?: (?:(?P<rounds>\d+)x(?P<work>\d+)s/(?P<rest>\d+)s|(?P<holds>\d+)x(?P<held>\d+)s|(?P<sets>\d+)x(?P<reps>\d+)"
    r"|(?P<seconds>\d+)s))?"
    r"(?: @(?P<kg>\d+(?:\.\d+)?)kg)?"
    r"(?: rpe (?P<rpe>\d+(?:\.\d+)?))?"
)
_WORKOUT_ON: Final = re.compile(r"(\d{4}-\d\d-\d\d)(?: (.*))?")
_ON_TABLE: Final = re.compile(rf"{_ID} (warmup|main|cooldown): (.+)")
_ABOUT: Final = re.compile(r"About (\d+(?:\.\d+)?) min\.")
_SCHEDULED: Final = re.compile(
    rf"{_ID} [A-Z][a-z]{{2}} (\d{{4}}-\d\d-\d\d \d\d:\d\d(?: [+-]\d{{4}}(?:\d\d)?)?) (.+?)(?:, (\d+) min)?"
)
_KEPT: Final = re.compile(rf'Kept ([a-z_]+) "(.*)" \((\w+)\) as {_ID}', re.DOTALL)
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Kept:
    """A preference as it is told."""

    id: str
    preference_type: str
    value: str
    duration_type: str = "permanent"
    details: Mapping[str, Any] = field(default_factory=lambda: _NONE)


@dataclass(frozen=True, slots=True)
class Listed:
    """An exercise of the workout on the table."""

    id: str
    phase: str
    item: Mapping[str, Any]
    """As a workout has it: name, type, and its numbers."""

    @property
    def name(self) -> str:
        return str(self.item["name"])


@dataclass(frozen=True, slots=True)
class Planned:
    """A workout on the calendar."""

    id: str
    at: datetime
    title: str
    minutes: int | None = None


@dataclass(frozen=True, slots=True)
class Past:
    done_at: datetime
    title: str
    items: tuple[Mapping[str, Any], ...]


def unwrapped(text: str) -> str:
    """A tool's words without what marks them as words of others."""
    found = _WRAPPED.fullmatch(text)
    return found[1] if found is not None else text


def note(text: str) -> tuple[str, str] | None:
    """The source and its text, when a message is a note of what is known."""
    found = _NOTE.fullmatch(text)
    return (found[1], found[2]) if found else None


def fetched(text: str) -> dict[str, str]:
    """Of a `fetch_data` result, by source."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if line.endswith(":") and line[:-1] in SOURCES:
            current = found.setdefault(line[:-1], [])
        else:
            current.append(line)
    return {source: "\n".join(lines) for source, lines in found.items()}


def weights(text: str) -> dict[str, int]:
    return {found[1].strip(): int(found[2]) for found in _WEIGHT.finditer(text)}


def preferences(text: str) -> list[Kept]:
    return [kept for line in text.splitlines() if (kept := _preference(line)) is not None]


def kept(text: str, details: Mapping[str, Any] = _NONE) -> Kept | None:
    """What `set_preference` says it kept."""
    found = _KEPT.fullmatch(text.strip().partition("\n")[0])
    return Kept(found[4], found[1], found[2], found[3], details) if found else None


def checked_again(text: str) -> str:
    """What `set_preference` says it did to the workout on the table; empty when that stayed as it was."""
    return text.strip().partition("\n")[2]


def _preference(line: str) -> Kept | None:
    found = _PREFERENCE.fullmatch(line)
    if found is None:
        return None
    value, details, lasting = found[3], dict[str, Any](), "permanent"
    if (told := _DETAILS.search(value)) is not None:
        details = dict(part.split("=", 1) for part in told[1].split())
        value = value[: told.start()]
    if (said := _LASTING.search(value)) is not None:
        lasting = said[1]
        value = value[: said.start()]
    return Kept(found[1], found[2], value, lasting, details)


def item_of(text: str) -> dict[str, Any]:
    """«Push-up 3x10 @20kg» as the numbers it was written from."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return {"name": text.strip()}
    item: dict[str, Any] = {"name": found["name"]}
    if found["rounds"]:
        item |= {
            "type": "intervals",
            "rounds": int(found["rounds"]),
            "work_time": int(found["work"]),
            "rest_time": int(found["rest"]),
        }
    elif found["holds"]:
        item |= {"type": "hold", "sets": int(found["holds"]), "hold_time": int(found["held"])}
    elif found["sets"]:
        item |= {"type": "reps", "sets": int(found["sets"]), "reps": int(found["reps"])}
    elif found["seconds"]:
        item |= {"type": "duration", "duration": int(found["seconds"])}
    if found["kg"]:
        item["weight_kg"] = float(found["kg"])
    if found["rpe"]:
        item["rpe"] = float(found["rpe"])
    return item


def history(text: str) -> list[Past]:
    """Newest first, as it is told. The hour is not told; noon stands for it."""
    return [past for line in text.splitlines() if (past := _past(line)) is not None]


def _past(line: str) -> Past | None:
    head, colon, rest = line.rpartition(": ")
    found = _WORKOUT_ON.fullmatch(head)
    if not colon or found is None:
        return None
    try:
        day = date.fromisoformat(found[1])
    except ValueError:
        return None
    items = () if rest == "nothing completed" else tuple(_items(rest))
    return Past(datetime.combine(day, time(12), UTC), found[2] or "", items)


def _items(text: str) -> Iterator[dict[str, Any]]:
    """A comma may also be part of a name: what has no amount goes with what follows."""
    pending = ""
    for part in text.split(", "):
        pending = f"{pending}, {part}" if pending else part
        item = item_of(pending)
        if "type" in item:
            yield item
            pending = ""
    if pending:
        yield {"name": pending}


def on_table(text: str) -> tuple[Listed, ...]:
    """The workout in a tool's result; nothing when it shows none."""
    found = (_ON_TABLE.fullmatch(line.strip()) for line in text.splitlines())
    return tuple(Listed(each[1], each[2], item_of(each[3])) for each in found if each)


def minutes_of(text: str) -> float | None:
    found = _ABOUT.search(text)
    return float(found[1]) if found else None


def planned(text: str) -> list[Planned]:
    """From the calendar tools' results, one a line."""
    return [plan for line in text.splitlines() if (plan := _plan(line.strip())) is not None]


def _plan(line: str) -> Planned | None:
    found = _SCHEDULED.fullmatch(re.sub(r"^(?:Scheduled|Now|Cancelled) ", "", line))
    if found is None:
        return None
    day, clock, *zone = found[2].split()
    offset = f"{zone[0][:3]}:{zone[0][3:5]}" if zone else "+00:00"
    try:
        at = datetime.fromisoformat(f"{day}T{clock}:00{offset}")
    except ValueError:
        return None
    return Planned(found[1], at, found[3], int(found[4]) if found[4] else None)


def past_workouts(told: Iterable[Past], find: FindExercise) -> tuple[PastWorkout, ...]:
    found = [
        PastWorkout(past.done_at, tuple(_sets(past.items, find)))
        for past in sorted(told, key=lambda past: past.done_at, reverse=True)
    ]
    return tuple(past for past in found if past.sets)


def _sets(items: Sequence[Mapping[str, Any]], find: FindExercise) -> Iterator[PastSet]:
    for item in items:
        exercise_id = find(item["name"])
        if exercise_id is None:
            continue
        one = PastSet(exercise_id, weight_kg=item.get("weight_kg"), rpe=item.get("rpe"))
        match item.get("type"):
            case "reps":
                yield from [replace(one, reps=item["reps"])] * min(item["sets"], 50)
            case "hold":
                yield from [replace(one, seconds=item["hold_time"])] * min(item["sets"], 50)
            case "duration":
                yield replace(one, seconds=item["duration"])
            case "intervals":
                yield from [replace(one, seconds=item["work_time"])] * min(item["rounds"], 60)
            case _:
                pass


def _settings(text: str) -> dict[str, str]:
    parts = (part.strip() for part in text.split("|"))
    found: dict[str, str] = {}
    for part in parts:
        name, _, value = part.partition(" ")
        if part.endswith("days a week"):
            found["days"] = name
        elif value:
            found[name] = value
    return found


def _number(text: str | None) -> float | None:
    found = re.match(r"\d+(?:\.\d+)?", text or "")
    return float(found[0]) if found else None


def _equipment(text: str | None) -> frozenset[Equipment] | None:
    if text is None:
        return None
    return frozenset(Equipment(item) for item in text.split(", ") if item in set(Equipment))


def athlete(
    told: Mapping[str, str],
    kept: Iterable[Kept],
    find: FindExercise,
    *,
    user_id: UUID = UUID(int=0),
    more_goals: Mapping[str, int] = MappingProxyType({}),
) -> Athlete:
    """Somebody from the texts of the sources. `kept` stands in for the preferences among them."""
    settings = _settings(told.get("user_settings", "").partition(own_lines.TITLE)[0])
    body = _settings(told.get("user_profile", ""))
    wishes = wishes_of(kept, find)
    categories = weights(told.get("category_goals", ""))
    muscles = weights(told.get("muscle_goals", ""))
    for name, weight in more_goals.items():
        (muscles if name in set(Muscle) else categories)[name] = weight
    muscle_goals = {Muscle(name): weight for name, weight in muscles.items() if name in set(Muscle)}
    for muscle in wishes.focus:
        muscle_goals[muscle] = max(muscle_goals.get(muscle, 0), 5)
    age, usual = _number(body.get("age")), _number(settings.get("duration"))
    known = Athlete(
        user_id=user_id,
        age=int(age) if age is not None else None,
        weight_kg=_number(body.get("weight")),
        level=level_from(settings.get("level")),
        equipment=wishes.equipment or _equipment(settings.get("equipment")),
        minutes=wishes.minutes or (int(usual) if usual is not None else None),
        goals=goals_from(categories),
        muscle_goals=muscle_goals,
        injuries=tuple(wishes.injuries.values()),
        conditions=frozenset(wishes.conditions),
        excluded=frozenset(wishes.excluded),
        effort=wishes.effort,
    )
    return replace(known, past=past_workouts(history(told.get("workout_history", "")), find))
