"""Personal data and secrets in a text, and the text without them.

What has a check digit is checked (cards, IBANs); what has none needs its shape or a word that announces it, because
a gym is full of numbers: sets, loads, times, dates.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from spotter.safety.findings import merged
from spotter.safety.normalise import Normalised, normalise
from spotter.safety.phones import DEFAULT_REGIONS, phone_spans

_TLD: Final = (
    r"(?:com|net|org|edu|gov|io|co|uk|de|fr|es|it|nl|at|ch|eu|us|ca|au|ie|in|info|me|app|dev|biz"
    r"|pl|se|no|dk|fi|pt|br|mx|jp|gym|fit|club|email)"
)
_PATTERNS: Final[tuple[tuple[str, str], ...]] = (
    ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
    ("secret", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"),
    (
        "secret",
        r"\b(?:sk-(?:ant-|proj-|live-|or-)?[A-Za-z0-9_-]{16,}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}"
        r"|sp[krli]_[A-Za-z0-9_.-]{8,}|(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{12,}"
        r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
        r"|xox[abpors]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}"
        r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}"
        r"|hf_[A-Za-z0-9]{20,}|whsec_[A-Za-z0-9+/=]{16,}|shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{24,}"
        r"|dop_v1_[a-f0-9]{40,}"
        r"|AC[a-f0-9]{32}|key-[a-f0-9]{32}|EAA[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}"
        r"|r8_[A-Za-z0-9]{30,}|sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}|rzp_(?:live|test)_[A-Za-z0-9]{10,})",
    ),
    (
        "secret",
        r"(?i:(?<![A-Za-z])(?:pass ?word|passwd|passcode|pass ?phrase|pwd|pw|p/w|pin(?: code| number)?|api[ _-]?key"
        r"|secret(?:[ _-]?(?:key|token))?|access[ _-]?(?:key|token)|auth[ _-]?token|client[ _-]?secret"
        r"|bearer|wi-?fi (?:pass|code|pw)|creds|credentials|login code|2fa code|otp|verification code"
        r"|security code|cvv|cvc|(?:door|alarm|gate|entry|entrance|locker|safe|keypad|lock|staff|front door"
        r"|back door) code"
        r"|wifi (?:password|key)|kennwort|passwort|contrase[nñ]a|mot de passe)\b"
        r"[\"'’]?(?: (?:for|of|to|on) (?:the |my |our |this )?[\w-]{1,20}(?: [\w-]{1,12})?)?\s*(?:is now"
        r"|is still|is|was|are|ist|es|est|:|=|->|=>)\s*[\"'`]?)(?P<value>[^\s\"'`,;]{4,200})",
    ),
    (
        "secret",
        r"(?i:\b(?:pass|login|log ?in|code ?word)\b(?: (?:for|of|to|on) (?:the |my |our |this )?[\w-]{1,20}"
        r"(?: [\w-]{1,12})?)?\s*(?:is now|is|was|:|=)\s*[\"'`]?)"
        r"(?P<value>(?=[^\s\"'`,;]*\d)(?=[^\s\"'`,;]*[A-Za-z])[^\s\"'`,;@]{7,200})",
    ),
    ("secret", r"(?i:\bbearer\s+)(?P<value>[A-Za-z0-9._~+/=-]{12,})"),
    # «passwd Rosie&Max1958»: nothing between, so the value must look like one
    (
        "secret",
        r"(?i:\b(?:password|passwd|passcode|pwd|pw|pass)\s+)"
        r"(?P<value>(?=[^\s\"'`,;]*\d)(?=[^\s\"'`,;]*[A-Za-z])[^\s\"'`,;@]{7,200})",
    ),
    ("secret", r"(?i:\b(?:password|passcode|pin)['’]?s )(?P<value>(?=[^\s]*\d)[^\s\"'`,;]{4,200})"),
    ("secret", r"://[^\s:/@]{1,100}:(?P<value>[^\s/@]{1,200})@"),
    ("email", r"(?<![\w.+-])[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[\w-]{1,63}\.)+[\w-]{2,24}(?![\w-])"),
    (
        "email",
        rf"(?i:(?<![\w.+-])[\w.+-]{{1,64}}\s?(?:\(at\)|\[at\]|\{{at\}}|<at>|\bat\b|_at_"
        rf"|@)\s?[\w-]{{2,63}}\s?(?:\(dot\)|\[dot\]|\{{dot\}}|<dot>|\bdot\b"
        rf"|_dot_)\s?{_TLD}\b(?:\s?(?:\(dot\)|\[dot\]|\bdot\b)\s?{_TLD}\b)?)",
    ),
    (
        "email",
        rf"(?i:(?<![\w.+-])[\w.+-]{{1,64}}\s?(?:\(at\)|\[at\]|\{{at\}}| @ )\s?[\w-]{{2,63}}\s?\.\s?{_TLD}\b)",
    ),
    ("social security number", r"(?<![\d-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])"),
    ("national insurance number", r"\b[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b|\b[a-z]{2}\d{6}[a-d]\b"),
    (
        "id number",
        r"(?i:\b(?:passport|social security|ssn|nhs|national (?:id|insurance)|driver'?s? licen[cs]e"
        r"|driving licen[cs]e|licen[cs]e|id card|identity card|tax(?: id)?|steuer-?id|dni|nie|medicare"
        r"|insurance|aadhaar|personalausweis|reisepass|sozialversicherung\w*|n[uú]mero de seguridad social"
        r"|policy|account|sort code|routing)\b"
        r"(?: (?:no|number|num|nr|id|code)\b)?\.?[\"']?\s*(?:is|was|:|=|#|ist"
        r"|es)?\s*#?)(?P<value>(?=[A-Za-z0-9 -]{0,14}\d{3})[A-Za-z]{0,3}[\d][\dA-Za-z]*(?:[ -]?\d[\dA-Za-z]*){0,5}"
        r"|[A-Za-z]{1,6}\d{5,12}[A-Za-z0-9]{0,6}|\d{2}-\d{2}-\d{2})",
    ),
    ("national id", r"(?<![\w])(?:\d{8}[A-HJ-NP-TV-Z]|[XYZ]\d{7}[A-HJ-NP-TV-Z])(?!\w)"),
    (
        "date of birth",
        r"(?i:\b(?:born (?:on|in)?|date of birth|birth ?date|birthday(?: is)?|d\.?o\.?b\.?|geboren am"
        r"|geburtsdatum|naci(?:do|da)? el|n[ée]e? le)\b\s*(?:is|:|=|was|on|the|-)*\s*)"
        r"(?P<value>\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|(?i:\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr"
        r"|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,? (?:19|20)\d\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep"
        r"|oct|nov|dec)[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d))",
    ),
    (
        "address",
        r"\b\d{1,5}[A-Za-z]?,? (?:(?:[NSEW]\.?|North|South|East|West) )?(?:[A-Z][\w'’.-]+ ){1,3}(?:Street"
        r"|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Square|Sq|Terrace"
        r"|Crescent|Close|Highway|Hwy|Parkway|Pkwy|Gardens|Grove|Row|Mews)\b\.?(?:,? (?:Apt|Apartment|Unit"
        r"|Suite|Flat|#)\.? ?\w{1,6})?(?:,? [A-Z][a-z]+(?: [A-Z][a-z]+)?)?(?:,? [A-Z]{2} \d{5}(?:-\d{4})?"
        r"|,? [A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|,? \d{5})?",
    ),
    (
        "address",
        r"(?i:\b[\w-]{2,30}(?:stra(?:ß|ss)e|str\.|weg|gasse|platz"
        r"|allee)) \d{1,4}[a-z]?\b(?:,? \d{5} [A-ZÄÖÜ][\w-]+)?|(?i:\b(?:calle|avenida|avda\.?|rue|avenue"
        r"|via) (?:d[eu]l?a? )?[\w'’ -]{2,30},? \d{1,4}\b|\b\d{1,4},? (?:bis )?rue (?:d[eu]s? "
        r"|de la )?[\w'’-]{2,30})",
    ),
    ("address", r"\b(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2})\b"),
    ("iban", r"(?i:(?<![\w])[a-z]{2}\d{2}(?:[ -]?[a-z0-9]){11,30}(?![\w]))"),
    ("card", r"(?<![\d.-])(?<!\d,)\d(?:[ -]?\d){12,18}(?![\d])"),
    ("ip address", r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)"),
    (
        "ip address",
        r"(?i:(?<![\w:.])(?=[0-9a-f:]*:[0-9a-f:]*:)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:]))",
    ),
)
_COMPILED: Final = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)
# What a pattern cannot do without, in the order of the patterns: most texts have none of it, and need no search at all.
_HINTS: Final[tuple[tuple[str, ...], ...]] = (
    ("-----begin",),
    ("eyj",),
    ("sk-", "k_live_", "k_test_", "sp", "akia", "asia", "aida", "aroa", "gh", "glpat", "xox",
     "aiza", "ya29", "sg.", "npm_",
     "pypi-", "hf_",      "whsec_", "shp", "dop_", "ac", "key-", "eaa", "gsk_", "xai-", "r8_", "sq0", "rzp_"),
    ("pass", "pwd", "pw", "p/w", "pin", "key", "secret", "token", "bearer", "code", "otp", "cvv", "cvc", "kennwort",
     "contrase", "mot de", "cred", "wifi", "wi-fi"),
    ("pass", "login", "log in", "code"),
    ("bearer",),
    ("pass", "pwd", "pw"),
    ("s ",),
    ("://",),
    ("@",),
    ("dot)", "dot]", "dot}", "dot>", " dot ", "_dot_"),
    ("at)", "at]", "at}", " @ "),
    ("",), ("",),
    ("pass", "social", "ssn", "nhs", "national", "licen", "id card", "ity card", "tax", "steuer",
     "dni", "nie", "medicare",
     "insurance",      "aadhaar", "ausweis", "seguridad", "policy", "account", "sort code", "routing"),
    ("",),
    ("born", "birth", "dob", "d.o.b", "gebor", "geburt", "naci", "n\u00e9"),
    ("",),
    ("stra", "str.", "weg", "gasse", "platz", "allee", "calle", "avenida", "avda", "rue", "avenue", "via"),
    ("",), ("",), ("",), ("",),
    ("::", ":"),
)  # fmt: skip
_DIGIT_RUNS: Final = re.compile(r"\d")
_LOG_KINDS: Final = frozenset(
    {"private key", "secret", "email", "social security number", "iban", "card", "phone"}
)
_NOT_SECRET: Final = re.compile(
    r"(?i)(?:wrong|right|correct|incorrect|not|the|a|an|my|your|it|that|too|very|really|same|secure|safe"
    r"|strong|weak|needed|required|expired|invalid|working|broken|gone|lost|important|key|forgotten|reset"
    r"|changed|being|always|just|still|ready|on|in|to|for|one|hard|easy|short|long|stored|here|there|what"
    r"|none|null|true|false|unknown|sent|coming|\[.*|\*+|x+|…|never|where|how|when|this|now|used|everything"
    r"|progress|patience|consistency|protein|sleep|simple|good|about|better)[.!?)]*$"
)


@dataclass(frozen=True, slots=True)
class Found:
    kind: str
    start: int
    end: int


def personal_data(
    text: Normalised, regions: Iterable[str] = DEFAULT_REGIONS, kinds: Collection[str] | None = None
) -> list[Found]:
    """Where it is in the original text. Overlaps are resolved in favour of the kind that is named first above."""
    plain = text.plain
    digits = len(_DIGIT_RUNS.findall(plain))
    taken: list[Found] = []
    for kind, start, end in _candidates(plain, digits, regions, kinds):
        first, last = text.span(start, end)
        if first < last and not any(first < other.end and other.start < last for other in taken):
            taken.append(Found(kind, first, last))
    return sorted(taken, key=lambda found: found.start)


def _candidates(
    plain: str, digits: int, regions: Iterable[str], kinds: Collection[str] | None
) -> Iterator[tuple[str, int, int]]:
    lowered = plain.lower()
    for (kind, pattern), hints in zip(_COMPILED, _HINTS, strict=True):
        if (kinds is not None and kind not in kinds) or digits < _NUMERIC.get(kind, 0):
            continue
        if not any(hint in lowered for hint in hints):
            continue
        for found in pattern.finditer(plain):
            start, end = found.span("value") if "value" in pattern.groupindex else found.span()
            if kind in _CHECKED:
                end = _longest_valid(plain, start, end, _CHECKED[kind])
            if end > start and _holds(kind, plain[start:end], found):
                yield kind, start, end
    if digits >= 7 and (kinds is None or "phone" in kinds):
        for start, end in phone_spans(plain, tuple(regions)):
            yield "phone", start, end


_NUMERIC: Final = {
    "social security number": 9, "national insurance number": 6, "id number": 5, "national id": 7, "date of birth": 5,
    "iban": 10, "card": 13, "ip address": 2, "address": 1,
}  # fmt: skip


def _holds(kind: str, value: str, found: re.Match[str]) -> bool:
    match kind:
        case "ip address":
            return _is_address(value)
        case "secret" if "value" in found.re.groupindex:
            return _NOT_SECRET.match(value) is None and not value.startswith("[")
        case "email":
            return not value.startswith("@") and ".." not in value
        case _:
            return True


def _digits(value: str) -> str:
    return "".join(character for character in value if character.isdigit())


def luhn(digits: str) -> bool:
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit)
        if index % 2:
            number = number * 2 - 9 if number > 4 else number * 2
        total += number
    return total % 10 == 0


def _is_card(value: str) -> bool:
    digits = _digits(value)
    return 13 <= len(digits) <= 19 and digits[0] in "23456" and len(set(digits)) > 1 and luhn(digits)


def is_iban(value: str) -> bool:
    """Mod 97 over letters as numbers (ISO 7064); lengths differ by country, the check digits do not."""
    compact = re.sub(r"[ -]", "", value).upper()
    if not 15 <= len(compact) <= 34 or not compact.isascii():
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


_CHECKED: Final[dict[str, Callable[[str], bool]]] = {"card": _is_card, "iban": is_iban}


def _longest_valid(plain: str, start: int, end: int, valid: Callable[[str], bool]) -> int:
    """What follows a number may look like more of it: back to where its check digits are right, or to nothing."""
    for stop in range(end, start, -1):
        whole = stop == len(plain) or not (plain[stop].isalnum() and plain[stop - 1].isalnum())
        if whole and plain[stop - 1].isalnum() and valid(plain[start:stop]):
            return stop
    return start


def _is_address(value: str) -> bool:
    try:
        return (
            IPv4Address(value).packed[0] != 0 if ":" not in value else IPv6Address(value).compressed != "::"
        )
    except AddressValueError:
        return False


# --- Redaction -------------------------------------------------------------------------------------------

_SHORTEST_REPEAT: Final = 5


def placeholder(kind: str) -> str:
    return f"[{kind}]"


def redact(
    text: str, found: Iterable[Found], regions: Iterable[str] = DEFAULT_REGIONS, allowed: Collection[str] = ()
) -> str:
    """Without what was found, wherever it stands again, and without what only shows once the rest is gone."""
    result, regions, found = text, tuple(regions), list(found)
    for _ in range(8):
        if not found:
            break
        result = redact_once(result, found)
        seen = normalise(result)
        found = not_allowed(seen, personal_data(seen, regions), allowed)
    return result


def not_allowed(text: Normalised, found: list[Found], allowed: Collection[str]) -> list[Found]:
    """Without what may be shown: the reader's own."""
    if not allowed:
        return found
    known = {_compact(value) for value in allowed}
    return [one for one in found if _compact(text.original[one.start : one.end]) not in known]


def _compact(value: str) -> str:
    return "".join(character for character in value.lower() if character.isalnum())


def redact_once(text: str, found: list[Found]) -> str:
    spans = {(one.start, one.end): one.kind for one in found}
    for one in found:
        value = text[one.start : one.end]
        at = text.find(value) if len(value) >= _SHORTEST_REPEAT else -1
        while at >= 0:
            spans.setdefault((at, at + len(value)), one.kind)
            at = text.find(value, at + len(value))
    pieces: list[str] = []
    position = 0
    for start, end in merged(spans):
        kind = next(kind for (first, last), kind in spans.items() if first < end and start < last)
        pieces += (text[position:start], placeholder(kind))
        position = end
    return "".join(pieces) + text[position:]


_LOG_HINT: Final = re.compile(
    r"@|\d[\d ().-]{7,}\d|-----BEGIN|[A-Za-z]{2}\d{2}[ \dA-Za-z]|_live_|_test_|AKIA|gh[pousr]_|pat[-_]|xox"
    r"|AIza|pass|pin|secret|token|key",
    re.IGNORECASE,
)
_UUID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)


def redact_for_logs(text: str) -> str:
    """For `spotter.logs.register_redactor`: personal data and secrets, but no machines' addresses, no ids of ours."""
    if _LOG_HINT.search(text) is None:
        return text
    # Our own ids are numbers too, and logs are useless without them.
    ids = [found.span() for found in _UUID.finditer(text)]
    found = [
        one
        for one in personal_data(normalise(text), kinds=_LOG_KINDS)
        if not any(start < one.end and one.start < end for start, end in ids)
    ]
    return redact_once(text, found) if found else text
