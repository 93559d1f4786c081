"""What a model must not say: diagnoses and doses, numbers that hurt, orders to harm oneself. Only for model output."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.findings import Finding
from spotter.safety.grammar import Grammar, RuleBook
from spotter.safety.words import Words


@dataclass(frozen=True, slots=True)
class Floors:
    """Where numbers become unsafe. An organisation may be stricter, never laxer."""

    daily_kcal: int = 1200
    weekly_loss_kg: float = 1.0
    weekly_jump_percent: float = 15.0
    weekly_jump_kg: float = 10.0
    fasting_hours: int = 36


_CONDITION: Final = (
    r"(?:a |an |the |some |mild |severe |acute |chronic |classic |likely |probable |case of "
    r"|signs of )*(?:torn|tear|herniated|slipped|bulging|ruptured|fractured?|broken|sprain(?:ed)?"
    r"|strain(?:ed)?|tendin[a-z]+|tendonitis|arthritis|bursitis|impingement|sciatica|plantar fasciitis"
    r"|meniscus|acl|rotator cuff|labral|stress fracture|concussion|dvt|blood clot|"
    r"diabetes|hypertension|high blood pressure|anemia|anaemia|asthma|angina|arrhythmia|heart (?:disease"
    r"|condition|attack)|hypothyroid[a-z]*|thyroid|pcos|depression|anxiety disorder|adhd|eating disorder"
    r"|anorexia|bulimia|cancer|tumou?r|infection|hernia|osteoporosis|fibromyalgia|scoliosis|ibs|celiac"
    r"|coeliac|rhabdo[a-z]*|pneumonia|covid|migraine|vertigo|epilepsy|deficiency|disc|cauda equina)"
)
_MEDICINE: Final = (
    r"ibuprofen|advil|motrin|paracetamol|acetaminophen|tylenol|aspirin|naproxen|aleve|diclofenac|voltaren"
    r"|tramadol|codeine|oxycodone|morphine|metformin|insulin|ozempic|semaglutide|wegovy|statins?|lisinopril"
    r"|amlodipine|beta ?blockers?|prednisone|cortisone|antibiotics?|amoxicillin|antidepressants?|ssri"
    r"|sertraline|prozac|xanax|valium|diazepam|"
    r"clenbuterol|testosterone|trenbolone|anavar|dianabol|winstrol|sarms?|ostarine|hgh|ephedrine|dnp"
    r"|levothyroxine|warfarin|diuretics?|laxatives?|melatonin|muscle relaxants?|gabapentin"
)
grammar: Final = Grammar({"CONDITION": _CONDITION, "MEDICINE": _MEDICINE})

_RULES: Final = (
    grammar.rule(
        CategoryName.MEDICAL_CLAIM, "a diagnosis",
        [
            r"(?:you|your (?:knee|shoulder|back|hip|elbow|ankle|wrist|heart|child|client|chest|neck|calf"
            r"|foot)) (?:definitely |clearly |certainly |probably |most likely |likely |obviously "
            r"|almost certainly |must |surely |do |just )*(?:have|has|suffer from|are suffering from"
            r"|is suffering from|developed|have developed|are diabetic|tore|have torn|got"
            r"|are having) (?:<CONDITION>)",
            r"(?:this|it|that|these|what you have|what youre (?:describing|feeling|experiencing)|the pain"
            r"|your (?:symptoms?|pain)) (?:is|sounds like|looks like|are|must be|indicates?|means you have"
            r"|confirms?) (?:definitely |clearly |certainly |almost certainly |obviously |just |only "
            r"|simply |most likely |probably |a classic case of )+(?:<CONDITION>)",
            r"(?:i|we) (?:can )?(?:diagnose|diagnosed)(?: you)?|my diagnosis|diagnosis (?:is|:)|(?:its"
            r"|this is|that is|it is|thats) (?:definitely )?(?:not|nothing)~2 (?:serious|dangerous"
            r"|to worry about|a heart attack|your heart)(?: so| ,| you| ,? keep)",
        ],
        unless=r"if you|do you|have you|did you|in case|whether|only a (?:doctor|clinician|professional)"
            r"|cannot (?:tell|know|diagnose)|cant (?:tell|know|diagnose)|not a diagnosis|told me"
            r"|you (?:said|mentioned|told)|since you(?:ve)? (?:had|mentioned)|your doctor|diagnosed by"
            r"|you were diagnosed|(?:a|your) (?:diagnosis|doctor)s? (?:should|from|by|can)",
        negatable=False,
    ),
    grammar.rule(
        CategoryName.MEDICAL_CLAIM, "a promise to cure",
        r"(?:will|can|does|it|this|exercise|training|diet|plan|programme|program|keto|fasting|yoga"
        r"|supplements?|creatine)~2 (?:cures?|heals?|reverses?|eliminates?|gets? rid of"
        r"|fix(?:es)?) (?:your |the |all |any )?(?:<CONDITION>)|(?:cures?"
        r"|reverses?) (?:your )?(?:<CONDITION>)|guaranteed to (?:cure|heal|fix)", negatable=True,
        unless=r"may|might|help|some people|no evidence|does not|doesnt|cannot|cant",
    ),
    grammar.rule(
        CategoryName.MEDICAL_CLAIM, "keeps somebody from a doctor or from medicine",
        [
            r"(?:dont|do not|you dont|no) (?:really |even )?(?:need|have) (?:to )?(?:see |go to |call "
            r"|visit |get |consult )?(?:a |the |any |your )?(?:doctor|physician|hospital|gp|medical (?:help"
            r"|attention|advice|clearance)|emergency room|ambulance|clearance|professional)"
            r"|no need (?:to (?:see|go to|call|visit)|for) (?:a |the )?(?:doctor|hospital|ambulance"
            r"|medical)|(?:skip|ignore|forget)~2 (?:the |your )?(?:doctor|doctors advice|physio|medication)",
            r"(?:stop|quit|come off|skip|halve|double|reduce|increase|drop|cut out|discontinue) (?:taking "
            r"|using )?(?:your |the |all |that )?(?:dose of |daily )?(?:medications?|meds|medicine|pills"
            r"|<MEDICINE>|prescriptions?|blood thinners|inhaler)|(?:train|push|work) through (?:the |that "
            r"|your )?(?:chest|sharp|severe|nerve|joint) pain|pain is (?:just )?weakness leaving",
        ],
        unless=r"before you|ask your|talk to your|unless your (?:doctor|physician)|never (?:stop|skip"
            r"|change)|not (?:stop|skip)|without (?:asking|talking)|do not (?:stop|skip)|dont (?:stop|skip"
            r"|ignore|train|push)|never (?:train|push|ignore)",
        negatable=False,
    ),
    grammar.rule(
        CategoryName.MEDICAL_CLAIM, "a dose of medicine",
        r"(?:take|taking|start with|use|inject|try|recommend|dose of|pop|have)~4 \d[\d.,]* ?(?:mg|mcg|ml|iu"
        r"|milligrams?|units|tablets?|pills|grams|g)~4 (?:<MEDICINE>)|(?:<MEDICINE>)~5 \d[\d.,]* ?(?:mg|mcg"
        r"|ml|iu|milligrams?|units|tablets?|pills)|\d[\d.,]* ?(?:mg|mcg|iu|units"
        r"|milligrams?) (?:of )?(?:<MEDICINE>)|(?:take|taking)~2 (?:two|three|four|some|an|a couple of"
        r"|a few) (?:<MEDICINE>)",
        unless=r"as (?:prescribed|your doctor)|your doctor (?:has )?prescribed|you (?:said|mentioned|told)"
            r"|ask (?:a|your) (?:doctor|pharmacist)|label",
    ),
    grammar.rule(
        CategoryName.SELF_HARM, "encourages self-harm",
        r"(?:you should|just|go|go ahead and|why dont you|please|better) (?:and )?(?:kill yourself"
        r"|end your life|hurt yourself|harm yourself|cut yourself|die|starve yourself|end it all)"
        r"|(?:easiest|painless|best|quickest) way to (?:die|kill yourself|end your life) (?:is|would be)"
        r"|(?:world|everyone) (?:would be|is) better off without you|lethal dose (?:is|of)",
        unless=r"dont|do not|never|not going to|instead of|thinking about",
    ),
    grammar.rule(
        CategoryName.EATING_DISORDER, "encourages disordered eating",
        r"(?:make yourself (?:throw up|vomit|sick)|purge after|take laxatives|skip (?:all )?(?:your )?meals"
        r"|starve yourself|dont eat (?:for|anything)|hide (?:it|your eating) from|water ?only for"
        r"|you (?:look|are) (?:too )?fat|nothing tastes as good)",
        unless=r"dont|do not|never|avoid|not (?:recommend|skip|starve)|please|instead of|if you|rather than",
    ),
)  # fmt: skip
_BOOK: Final = RuleBook(_RULES)

_DIGIT: Final = re.compile(r"\d")
_NUMBER: Final = r"(\d{1,3}(?:[,.]\d{3})+|\d+(?:[.,]\d+)?)"
_KCAL: Final = re.compile(rf"{_NUMBER} ?(?:kcals?|cals?|calories?)\b")
_INTAKE: Final = re.compile(
    r"\b(?:eat|eating|intake|aim|limit|target|stick|consume|consuming|diet|daily|per day|a day|/ day"
    r"|each day|every day|day|goal|keep|stay|go down|drop|down to|restrict|only)\b"
)
_NOT_INTAKE: Final = re.compile(
    r"\b(?:deficit|surplus|burn\w*|below maintenance|under maintenance|less than maintenance|meals?|snacks?"
    r"|breakfast|lunch|dinner|shake|extra|more|fewer|less per|above|over|protein|serving|bar|add|adds"
    r"|adding|subtract|reduce (?:it |intake |calories )?by|cut (?:about |around )?\d+|cutting"
    r"|increase (?:it )?by|session|workout|minutes|hour|never|not|dont|avoid|below|under|unsafe|too low"
    r"|too little|minimum|at least|floor)\b"
)
_LOSS: Final = re.compile(
    rf"\b(?:lose|losing|drop|dropping|shed|shedding|loss of|weight loss of"
    rf"|lost)(?: [^ .]+){{0,4}}? {_NUMBER}(?: (?:to|or) {_NUMBER})? ?(kgs?|kilos?|kilograms?|lbs?"
    rf"|pounds?)(?: [^ .]+){{0,3}}? (?:a|per|/|each|every|in|within|in just|in only) ?(?:the )?(?:next "
    rf"|first |just |only |about )*(?:(\d+|one|two|three|four|five|six|a|ten) )?(days?|weeks?|months?)\b"
)
_FASTING: Final = re.compile(
    rf"\b(?:fast|fasting|water ?fast|go without (?:food|eating)|not eat|dont eat|eat nothing|without food"
    rf"|stop eating)(?: [^ .]+){{0,4}}? (?:{_NUMBER}|(one|two|three|four|five|six|seven|ten)|a) ?(hours?"
    rf"|days?|weeks?)\b|\b{_NUMBER} ?(hours?|days?|weeks?) (?:water |dry )?fast(?:ing)?\b"
)
_JUMP: Final = re.compile(
    rf"\b(?:from {_NUMBER} ?(?:kg|kgs|kilos|lbs?|pounds)? (?:straight |directly "
    rf"|right )?(?:up )?to {_NUMBER} ?(kgs?|kilos|lbs?|pounds)|(?:add|increase|jump|go up|raise|put on"
    rf"|bump)(?: [^ .]+){{0,5}}? {_NUMBER} ?(kgs?|kilos|lbs?|pounds|%|percent))\b"
)
_SOON: Final = re.compile(
    r"\b(?:next (?:week|session|time|workout|set)|each (?:week|session|workout|day)|every (?:week|session"
    r"|workout|day|time)|per (?:week|session|workout)|a week|tomorrow|today|this week|weekly|straight"
    r"|directly|right away|immediately)\b"
)
_WORD_NUMBERS: Final = {
    "a": 1.0,
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "four": 4.0,
    "five": 5.0,
    "six": 6.0,
    "seven": 7.0,
    "ten": 10.0,
}


def output_findings(words: Words, floors: Floors) -> list[Finding]:
    found = _BOOK.findings(words)
    if "fast" in words.clean or " eat" in words.clean or _DIGIT.search(words.clean):
        spans: dict[str, list[tuple[int, int]]] = {}
        for why, start, end in _unsafe_numbers(words.clean, floors):
            spans.setdefault(why, []).append(words.span(start, end))
        found += [
            Finding(CategoryName.UNSAFE_NUMBER, 0.85, tuple(where), why) for why, where in spans.items()
        ]
    return found


def _unsafe_numbers(clean: str, floors: Floors) -> Iterator[tuple[str, int, int]]:
    yield from _low_calories(clean, floors)
    yield from _fast_loss(clean, floors)
    for found in _FASTING.finditer(clean):
        amount, unit = _amount(found[1] or found[2] or found[4] or "a"), (found[3] or found[5])
        hours = amount * (1 if unit.startswith("hour") else 24 if unit.startswith("day") else 168)
        if hours > floors.fasting_hours and not re.search(
            r"\b(?:never|dont fast|do not fast|not fast|avoid)\b",
            clean[max(0, found.start() - 40) : found.start()],
        ):
            yield "a fast that is too long", *found.span()
    for found in _JUMP.finditer(clean):
        around = clean[max(0, found.start() - 50) : found.end() + 50]
        if (
            _SOON.search(around)
            and _is_big_jump(found, floors)
            and not re.search(
                r"\b(?:dont|do not|never|not|avoid|instead of|over (?:the )?(?:next )?\d+ (?:weeks|months))\b",
                around,
            )
        ):
            yield "a jump in load that is too big", *found.span()


def _low_calories(clean: str, floors: Floors) -> Iterator[tuple[str, int, int]]:
    for found in _KCAL.finditer(clean):
        around = clean[max(0, found.start() - 60) : found.end() + 30]
        value = _amount(found[1])
        if 0 < value < floors.daily_kcal and _INTAKE.search(around) and not _NOT_INTAKE.search(around):
            yield "fewer calories than are safe", *found.span()


def _fast_loss(clean: str, floors: Floors) -> Iterator[tuple[str, int, int]]:
    for found in _LOSS.finditer(clean):
        kilos = _amount(found[2] or found[1]) * (0.4536 if found[3][0] in "lp" else 1.0)
        weeks = _amount(found[4] or "a") * {"d": 1 / 7, "w": 1.0, "m": 4.345}[found[5][0]]
        denied = re.search(
            r"\b(?:dont|do not|never|not|avoid|unsafe|unrealistic|too fast|no more than|at most)\b",
            clean[max(0, found.start() - 40) : found.end() + 25],
        )
        if kilos / weeks > floors.weekly_loss_kg * 1.1 and not denied:
            yield "weight lost faster than is safe", *found.span()


def _is_big_jump(found: re.Match[str], floors: Floors) -> bool:
    if found[1] is not None:
        before, after = _amount(found[1]), _amount(found[2])
        kilos = (after - before) * (0.4536 if found[3][0] in "lp" else 1.0)
        return before > 0 and kilos > 5 and (after - before) / before * 100 > floors.weekly_jump_percent
    amount, unit = _amount(found[4]), found[5]
    if unit in ("%", "percent"):
        return amount > floors.weekly_jump_percent
    return amount * (0.4536 if unit[0] in "lp" else 1.0) > floors.weekly_jump_kg


def _amount(text: str) -> float:
    if text in _WORD_NUMBERS:
        return _WORD_NUMBERS[text]
    if re.fullmatch(r"\d{1,3}(?:[,.]\d{3})+", text):
        return float(re.sub(r"[,.]", "", text))
    return float(text.replace(",", "."))
