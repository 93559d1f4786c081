"""A message, understood: what is wanted, with which slots, and how sure we are."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from spotter.offline.understanding.answers import answer_in
from spotter.offline.understanding.clauses import without_fillers
from spotter.offline.understanding.dangers import danger_in, likely_danger
from spotter.offline.understanding.data import words
from spotter.offline.understanding.deciding import Guess, is_bare_request, is_off_topic
from spotter.offline.understanding.dialogue import EMPTY, Table
from spotter.offline.understanding.filling import fill
from spotter.offline.understanding.grammar import known_words
from spotter.offline.understanding.injuries import pain_in
from spotter.offline.understanding.intents import COURTESIES, Intent
from spotter.offline.understanding.language import other_language
from spotter.offline.understanding.lengths import new_minutes
from spotter.offline.understanding.names import BASIC_NAMES, Names
from spotter.offline.understanding.pointing import mentioned
from spotter.offline.understanding.reading import Line, Vocabulary, read
from spotter.offline.understanding.slots import NOTHING, Lasting, Slots, Span
from spotter.offline.understanding.tags import Kind
from spotter.offline.understanding.text import tokens_of
from spotter.offline.understanding.weighing import (
    MIXED,
    Part,
    default_model,
    heard_in,
    is_alarm,
    meant,
    parts_of,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing somebody wants."""

    intent: Intent
    slots: Slots
    confidence: float
    span: Span


@dataclass(frozen=True, slots=True)
class Understanding:
    asked: tuple[Asked, ...]
    """In the order of mention; never empty."""
    slots: Slots
    """Of the whole message."""

    @property
    def intents(self) -> tuple[Intent, ...]:
        return tuple(dict.fromkeys(each.intent for each in self.asked))

    def of(self, intent: Intent) -> Asked | None:
        return next((each for each in self.asked if each.intent is intent), None)


_LIGHT: Final = COURTESIES | {Intent.YES, Intent.NO, Intent.STOP}
# A question about exercises for a bad knee tells of the knee, but asks for something else.
_ASKS_ONLY: Final = frozenset({Intent.HISTORY, Intent.PROGRESS, Intent.STATS, Intent.WHY, Intent.LOG})


_PAIN: Final = frozenset({Intent.REPORT_INJURY, Intent.INJURY_BETTER})


class Understander:
    """Knows a set of exercise names. Pure after that: the same message on the same table means the same."""

    def __init__(self, names: Names = BASIC_NAMES) -> None:
        self._model: Final = default_model()
        self._vocabulary: Final = Vocabulary(
            names, (*known_words(), *self._model.words, *self._model.others), self._model.frequent
        )

    def understand(self, text: str, now: datetime, table: Table = EMPTY) -> Understanding:
        line = read(text, self._vocabulary)
        heard = heard_in(text, table)
        alarm = is_alarm(text, heard) and not _tells_of_oneself(line)
        if danger := danger_in(line) or (likely_danger(line) if alarm else None):
            return _single(Intent.RED_FLAG, Slots(danger=danger), 0.95, line.span())
        if other_language(tokens_of(text)):
            return _single(Intent.OTHER_LANGUAGE, NOTHING, 0.9, line.span())
        if answer := answer_in(line, table, lambda option: read(option, self._vocabulary)):
            intent, option = answer
            return _single(intent, Slots(option=option), 0.9, line.span())
        parts = parts_of(line, table, self._model, heard)
        return _assembled(line, _with_pain(_with_timer(parts)), now, table)


def _single(intent: Intent, slots: Slots, confidence: float, span: Span) -> Understanding:
    return Understanding((Asked(intent, slots, confidence, span),), slots)


def _guessed(part: Part, table: Table) -> list[Guess]:
    found = meant(part, default_model())
    if found is None or is_off_topic(part.line) or _tells_of_oneself(part.line):
        return []
    intent, sure = found
    if sure < _TOO_VAGUE or (sure < _VAGUE and part.scores.by_class[Intent.UNKNOWN] > _PERHAPS_NOTHING):
        return []  # it may as well be nothing of ours: a question does less harm
    return [Guess(_settled(intent, part.line, table), round(sure, 3))]


# "I'm 42, 80 kg": numbers of a person, which nothing here keeps, are no sets.
_ONESELF: Final = re.compile(
    r"^(?:\W*(?:hi|hey|so|well|and|ok|okay|also|btw)\S* )*\W*(?:i am|i weigh|my weight is|weight is|aged?|i m)"
    r" (?:about |around |a |now |at )*[\d._,]+(?:_\S+)?/(?:NUM|WEIGHT|DUR)\b"
)


def _tells_of_oneself(line: Line) -> bool:
    return _ONESELF.match(line.text) is not None and not line.has(
        Kind.EXERCISE, Kind.REPS, Kind.SETS, Kind.NSETS
    )


def _without_soreness(line: Line, found: list[Guess]) -> list[Guess]:
    """Muscles that feel the last training are a circumstance, not an injury."""
    injuries, sore = pain_in(line)
    if sore and not injuries and not line.has(Kind.CONDITION):
        return [guess for guess in found if guess.intent is not Intent.REPORT_INJURY]
    return found


def _with_timer(parts: list[Part]) -> list[Part]:
    """ "45 seconds work and 15 rest": the rest of a timer is no wish of its own."""
    found: list[Part] = []
    for part in parts:
        amounts = all(unit.tag is None or unit.tag.kind in _TIMES for unit in part.line.units)
        if found and found[-1].best[0] == Intent.TIMER and amounts and part.line.has(*_TIMES):
            whole = Line(part.line.tokens, (*found[-1].line.units, *part.line.units))
            found[-1] = replace(found[-1], line=whole)
        else:
            found.append(part)
    return found


def _with_pain(parts: list[Part]) -> list[Part]:
    """ "Rolled my ankle at football, the left one": which, and how bad, is said in a second breath."""
    found: list[Part] = []
    for part in parts:
        before = found[-1] if found else None
        if before and _tells_more(part) and pain_in(before.line)[0]:
            whole = Line(part.line.tokens, (*before.line.units, *part.line.units))
            found[-1] = replace(before, line=whole)
        else:
            found.append(part)
    return found


_SECOND_BREATH: Final = 7


def _tells_more(part: Part) -> bool:
    name, sure = part.best
    plain = all(unit.tag is None or unit.tag.kind in {Kind.REF, Kind.NUM} for unit in part.line.units)
    vague = name == Intent.UNKNOWN or sure < _VAGUE
    return plain and len(part.line.units) <= _SECOND_BREATH and (vague or name == Intent.REPORT_INJURY)


_VAGUE: Final = 0.5
_TOO_VAGUE: Final = 0.33
_PERHAPS_NOTHING: Final = 0.25
_TIMES: Final = (Kind.DUR, Kind.NUM, Kind.NSETS, Kind.SETS, Kind.REPS)


def _settled(intent: Intent, line: Line, table: Table) -> Intent:
    """Whether a new length is longer or shorter is a matter of numbers, not of words."""
    if intent not in {Intent.SHORTER, Intent.LONGER}:
        return intent
    minutes = new_minutes(line, table)
    if minutes is None:
        return intent
    if not table.workout:
        return Intent.CREATE
    return Intent.LONGER if minutes > (table.minutes or 600) else Intent.SHORTER


def _assembled(line: Line, parts: list[Part], now: datetime, table: Table) -> Understanding:
    asked: list[Asked] = []
    loose: list[tuple[int, Slots, Line]] = []
    whole = NOTHING
    carried: str | None = None
    for part in parts:
        clause, found = part.line, _without_soreness(part.line, _guessed(part, table))
        table = replace(table, focus=carried) if carried else table
        intents = [guess.intent for guess in found]
        hurt = _pain_intents(part, intents)
        if not intents and not hurt and asked and _goes_on(clause):
            intents = [asked[-1].intent]  # "Replace lunges, and squats": still replaced
        slots = fill(clause, [*intents, *hurt], table, now, carried, line)
        carried = mentioned(clause, table) or _pointed_at(slots) or carried
        whole = whole.merged(slots)
        asked += [Asked(guess.intent, slots, guess.confidence, clause.span()) for guess in found]
        asked += [Asked(intent, slots, 0.9, clause.span()) for intent in hurt]
        if not found and not hurt and slots != NOTHING:
            if intents:
                asked[-1] = replace(asked[-1], slots=asked[-1].slots.merged(slots))
            else:
                loose.append((len(asked), slots, clause))
    asked = _with_loose(asked, loose, line, table, now)
    asked = _one_date(_one_request(asked), parts)
    serious = [each for each in asked if each.intent not in _LIGHT]
    kept = _folded(_deduplicated(serious or _plain(asked)), table)
    if not kept:
        kept = [Asked(Intent.UNKNOWN, whole, 0.3, line.span())]
    for each in kept:
        whole = whole.merged(each.slots)
    return Understanding(tuple(kept), whole)


def _goes_on(clause: Line) -> bool:
    """Nothing but the next of a list."""
    first = [unit for unit in clause.units if unit.word != ","][:2]
    return (
        len(first) == 2
        and first[0].word in {"and", "or", "nor"}
        and bool(first[1].tag and first[1].tag.kind in {Kind.EXERCISE, Kind.REF})
    )


def _pointed_at(slots: Slots) -> str | None:
    """ "Something else for 5": a number alone can point as well."""
    return slots.references[-1].ids[-1] if slots.references and slots.references[-1].ids else None


def _folded(asked: list[Asked], table: Table) -> list[Asked]:
    """ "Loads of chest, ease off a bit" is one wish, and a condition that is fine is still a condition."""
    intents = {each.intent for each in asked}
    dropped: set[Intent] = set()
    if Intent.LESS_OF in intents:
        dropped |= {each.intent for each in asked if each.intent is Intent.EASIER and _vague(each, table)}
    if Intent.HARDER in intents:
        dropped |= {each.intent for each in asked if each.intent is Intent.LONGER and not each.slots.duration}
    told = [injury for each in asked for injury in each.slots.injuries]
    if {Intent.INJURY_BETTER, Intent.REPORT_INJURY} <= intents and not any(each.better for each in told):
        dropped.add(Intent.INJURY_BETTER)
    return [each for each in asked if each.intent not in dropped]


def _vague(asked: Asked, table: Table) -> bool:
    """It points at nothing by name."""
    return all(reference.ids == (table.focus,) for reference in asked.slots.references)


def _plain(asked: list[Asked]) -> list[Asked]:
    """ "Great, thanks" is thanks."""
    if any(each.intent in {Intent.THANKS, Intent.STOP} for each in asked):
        return [each for each in asked if each.intent not in {Intent.YES, Intent.SMALL_TALK}]
    return asked


_HINT_OF_PAIN: Final = 0.03


def _pain_intents(part: Part, intents: list[Intent]) -> list[Intent]:
    """Told in passing: the words name a pain, and the weights do not rule it out."""
    clause, scores = part.line, part.scores.by_class
    likely = scores[Intent.REPORT_INJURY] + scores[Intent.INJURY_BETTER] + scores[MIXED] / 2
    if set(intents) & (_ASKS_ONLY | _PAIN) or likely < _HINT_OF_PAIN:
        return []
    injuries, _ = pain_in(clause)
    found: list[Intent] = []
    if any(not injury.better for injury in injuries) or clause.has(Kind.CONDITION):
        found.append(Intent.REPORT_INJURY)
    if any(injury.better for injury in injuries):
        found.append(Intent.INJURY_BETTER)
    return found


def _with_loose(
    asked: list[Asked], loose: list[tuple[int, Slots, Line]], line: Line, table: Table, now: datetime
) -> list[Asked]:
    """Clauses that only tell circumstances belong to a request; alone, they are one."""
    hosts = [at for at, each in enumerate(asked) if each.intent in _HOSTS]
    bare = [part for part in loose if is_bare_request(part[2])]
    if hosts:
        for place, slots, _ in loose:
            near = min(hosts, key=lambda at: (abs(at + 0.5 - place), at))
            asked[near] = replace(asked[near], slots=asked[near].slots.merged(slots))
        return asked
    if bare and not any(each.intent in _FULL for each in asked):
        slots = NOTHING
        for _, _, clause in bare:
            slots = slots.merged(fill(clause, [Intent.CREATE], table, now))
        follow = _followed(bare, table)
        return [*asked, Asked(follow or Intent.CREATE, slots, 0.7, line.span())]
    mentioned = [clause for _, _, clause in loose]
    if not asked and mentioned and (again := _same_again(mentioned[0], table)):
        return [Asked(again, fill(mentioned[0], [again], table, now), 0.7, line.span())]
    if not asked and any(slots.sore for _, slots, _ in loose):
        return [Asked(Intent.REPORT_INJURY, loose[0][1], 0.7, line.span())]
    return asked


_HOSTS: Final = frozenset(
    {Intent.CREATE, Intent.SCHEDULE, Intent.SWAP, Intent.SHORTER, Intent.LONGER, Intent.SUGGEST, Intent.LOG}
)
_FULL: Final = (
    frozenset(Intent)
    - _LIGHT
    - {Intent.REPORT_INJURY, Intent.INJURY_BETTER, Intent.SET_PREFERENCE, Intent.SET_GOAL, Intent.HELP}
)
_REPEATABLE: Final = frozenset(
    {
        Intent.SWAP,
        Intent.REMOVE,
        Intent.EASIER,
        Intent.HARDER,
        Intent.EXPLAIN,
        Intent.WHY,
        Intent.MORE_OF,
        Intent.LESS_OF,
    }
)


def _followed(bare: Iterable[tuple[int, Slots, Line]], table: Table) -> Intent | None:
    """After "more legs", "and some arms" means the same again."""
    if (
        table.workout
        and table.last in {Intent.MORE_OF, Intent.LESS_OF}
        and all(not clause.has(Kind.DUR) for _, _, clause in bare)
    ):
        return table.last
    return None


def _one_request(asked: list[Asked]) -> list[Asked]:
    """What is said for this session only, beside a request, belongs to the request."""
    request = next((at for at, each in enumerate(asked) if each.intent is Intent.CREATE), None)
    if request is None:
        return asked
    kept: list[Asked] = []
    for each in asked:
        if each.intent is Intent.SET_PREFERENCE and _for_now(each.slots):
            asked[request] = replace(asked[request], slots=asked[request].slots.merged(each.slots))
        else:
            kept.append(each)
    return [asked[request] if each.intent is Intent.CREATE else each for each in kept]


def _one_date(asked: list[Asked], parts: list[Part]) -> list[Asked]:
    """ "Sunday at nine, I'd like some cardio": the day alone is no plan of its own."""
    dates = [part.line.span() for part in parts if _only_dates(part.line)]
    planned = [at for at, each in enumerate(asked) if each.intent is Intent.SCHEDULE and each.span in dates]
    wished = [at for at, each in enumerate(asked) if each.intent is Intent.CREATE]
    if len(planned) != 1 or len(wished) != 1:
        return asked
    plan, wish = asked[planned[0]], asked[wished[0]]
    return [
        replace(plan, slots=plan.slots.merged(wish.slots)) if each is plan else each
        for each in asked
        if each is not wish
    ]


def _only_dates(line: Line) -> bool:
    return line.has(Kind.DATE) and all(
        unit.tag is None or unit.tag.kind in {Kind.DATE, Kind.NUM} for unit in line.units
    )


def _for_now(slots: Slots) -> bool:
    return slots.lasting is not Lasting.PERMANENT and all(
        not taste.wanted and taste.lasting is Lasting.SESSION for taste in slots.tastes
    )


def _same_again(clause: Line, table: Table) -> Intent | None:
    """Only a name or a place after a change: the same change, for that."""
    rest = [unit for unit in without_fillers(clause).units if unit.tag is None and unit.word.isalpha()]
    if not table.workout or table.last not in _REPEATABLE or not clause.has(Kind.EXERCISE, Kind.REF):
        return None
    return table.last if all(unit.word in _LINKS for unit in rest) else None


_LINKS: Final = words("understanding.links")


def _deduplicated(asked: list[Asked]) -> list[Asked]:
    found: dict[Intent, Asked] = {}
    for each in asked:
        before = found.get(each.intent)
        if before is None:
            found[each.intent] = each
        else:
            sure = max(before.confidence, each.confidence)
            found[each.intent] = replace(before, slots=before.slots.merged(each.slots), confidence=sure)
    return list(found.values())
