"""Why a workout is as it is: a few short reasons, in words for the athlete."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from spotter.training.athlete import Athlete, Goal, Request
from spotter.training.catalogue import Catalogue
from spotter.training.choosing import Pool
from spotter.training.exercise import Exercise
from spotter.training.limits import Condition, Limits, Severity
from spotter.training.parts import Part, seconds
from spotter.training.record import Record
from spotter.training.rules import strains
from spotter.training.slots import PULLS, PUSHES, about
from spotter.training.staples import STAPLES
from spotter.training.timing import kilocalories
from spotter.training.vocabulary import Muscle, Pattern, Region
from spotter.training.workout import Phase

_MOST_LEFT_OUT: Final = 6
_TOO_FAR: Final = 0.08
_FOR: Final = {
    Goal.STRENGTH: "For strength: few repetitions, long rests, the heaviest first",
    Goal.HYPERTROPHY: "For muscle: about ten repetitions, two or three left in reserve, big movements first",
    Goal.ENDURANCE: "For endurance: many repetitions and short rests",
    Goal.POWER: "For power: fast and fresh, so few repetitions and full rests",
    Goal.SKILL: "For skill: it comes first, while you are fresh, and never to exhaustion",
    Goal.MOBILITY: "For mobility: moving first, then holding, about a minute for each place",
    Goal.FAT_LOSS: "For fat loss: big movements in rounds with short rests keep the heart busy",
    Goal.CARDIO: "For the heart: intervals you can just finish, and steady work at a pace you can talk in",
}


@dataclass(frozen=True, slots=True)
class Why:
    request: Request
    athlete: Athlete
    goal: Goal
    limits: Limits
    record: Record
    minutes: int

    def reasons(self, parts: Sequence[Part], book: Catalogue, pool: Pool) -> tuple[str, ...]:
        found = [f"{_FOR[self.goal]}."]
        found += self._from_the_log(parts)
        found += self._from_health()
        found += self._not_included(book, pool)
        found += self._length(parts)
        return tuple(found)

    def left_out(self, pool: Pool, patterns: frozenset[Pattern]) -> tuple[str, ...]:
        """What an injury, a condition or a wish forbids, of the movements asked for; the well-known ones first."""
        highest = self.limits.max_level
        found: list[tuple[int, str]] = []
        for each in pool.equipped:
            if each.pattern not in patterns or each.level > highest:
                continue
            if each.id in self.athlete.excluded:
                found.append((2, f"{each.name} (not wanted)"))
            elif not self.limits.allow(each):
                found.append(
                    (int(each.id not in STAPLES), f"{each.name} ({'; '.join(self.limits.reasons(each))})")
                )
            elif each.unproven and (strain := strains(each, self.athlete)) is not None:
                found.append((1, f"{each.name} ({strain})"))
        found.sort(key=lambda each: each[0])
        return tuple(text for _, text in found[:_MOST_LEFT_OUT])

    def _from_the_log(self, parts: Sequence[Part]) -> Iterator[str]:
        if self.record.eased:
            yield f"{self.record.eased[0].upper()}{self.record.eased[1:]}."
        loaded = [part for part in parts if part.weight_kg]
        if loaded:
            told = ", ".join(f"{part.known.name} {part.weight_kg:g} kg" for part in loaded[:3])
            yield f"Loads follow from your log: {told}."
        if about(self.request) or not self.record.week or self.goal in (Goal.MOBILITY, Goal.CARDIO):
            return
        used = {muscle for part in parts if part.phase is Phase.MAIN for muscle in part.known.primary}
        due = sorted((self.record.week.get(muscle, 0.0), muscle) for muscle in used)
        if due and due[0][0] < max(self.record.week.values()):
            yield f"{_name(due[0][1]).capitalize()} had the least work in the last seven days."
        tired = [each for each, days in self.record.rested.items() if days <= 1 and each not in used]
        if tired:
            name = _name(min(tired))
            rest = "get a rest" if name.endswith("s") else "gets a rest"
            yield f"{name.capitalize()} worked hard yesterday or today and {rest}."

    def _from_health(self) -> Iterator[str]:
        for injury in self.athlete.injuries:
            joint = injury.joint.value.replace("_", " ")
            if injury.severity is Severity.SEVERE:
                yield f"Nothing here loads the {joint}; a pain that strong should be seen by a professional."
            else:
                yield f"Chosen to go easy on the {joint}; stop if the pain goes above three of ten."
        if Condition.PREGNANCY in self.athlete.conditions:
            yield "Nothing flat on the back or belly, no jumps; you should be able to talk throughout."
        if Condition.HYPERTENSION in self.athlete.conditions:
            yield "Moderate loads, no held breath, longer rests; ask your doctor before you train harder."

    def _not_included(self, book: Catalogue, pool: Pool) -> Iterator[str]:
        for name in self.request.include:
            known = book.get(name)
            if known is not None and pool.get(name) is None:
                unwanted = "you asked me to leave it out" if name in self.athlete.excluded else None
                why = "; ".join(self.limits.reasons(known)) or unwanted or strains(known, self.athlete)
                why = why or "the equipment for it is missing"
                yield f"{known.name} was asked for but left out: {why}."

    def _length(self, parts: Sequence[Part]) -> Iterator[str]:
        total = seconds(parts) / 60
        if total < self.minutes * (1 - _TOO_FAR):
            yield (
                f"It takes about {round(total)} minutes, not {self.minutes}: more of what is possible for you today "
                "would be too much of the same."
            )
        mains = [part.known.pattern for part in parts if part.phase is Phase.MAIN]
        if any(each in PUSHES for each in mains) and any(each in PULLS for each in mains):
            yield "Pulling is never less than pushing: that keeps shoulders healthy."


def focus(request: Request, goal: Goal) -> list[str]:
    if request.muscles:
        return [_name(muscle) for muscle in sorted(request.muscles)][:4]
    if request.splits:
        return [split.value for split in sorted(request.splits)]
    if request.regions:
        return [_REGIONS.get(region, region.value) for region in sorted(request.regions)]
    if request.patterns:
        return [pattern.value.replace("_", " ") for pattern in sorted(request.patterns)][:4]
    return ["full body", goal.value.replace("_", " ")]


def nothing(request: Request, pool: Pool) -> str:
    wanted = ", ".join(focus(request, request.goal or Goal.HYPERTROPHY))
    has = ", ".join(sorted(item.value.replace("_", " ") for item in pool.available))
    return (
        f"No exercise in the catalogue fits all of it: {wanted} with {has}. Allow other equipment, another body part, "
        "or fewer exclusions."
    )


def burned(parts: Sequence[Part], athlete: Athlete) -> int | None:
    """Work at its own rate, everything between at a stroll's."""
    if athlete.weight_kg is None:
        return None
    total = seconds(parts)
    hard = sum(_effort(part.known) * part.block.work * part.block.sets for part in parts)
    worked = sum(part.block.work * part.block.sets for part in parts)
    mean = (hard + 2.5 * (total - worked)) / total
    return kilocalories(mean, athlete.weight_kg, total / 60)


def _effort(known: Exercise) -> float:
    return known.met


def _name(muscle: Muscle) -> str:
    return muscle.value.replace("_", " ")


_REGIONS: Final = {
    Region.UPPER: "upper body",
    Region.LOWER: "lower body",
    Region.FULL_BODY: "full body",
}
