"""What personal data and secrets look like, and what each look cannot do without."""

from typing import Final, Literal, NamedTuple

_TLD: Final = (
    r"(?:com|net|org|edu|gov|io|co|uk|de|fr|es|it|nl|at|ch|eu|us|ca|au|ie|in|info|me|app|dev|biz"
    r"|pl|se|no|dk|fi|pt|br|mx|jp|gym|fit|club|email)"
)
PATTERNS: Final[tuple[tuple[str, str], ...]] = (
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
    (
        "secret",
        r"[\"'](?P<value>(?=[^\s\"']*[\d$!#%&*?])[^\s\"',;]{6,40})[\"']"
        r" (?i:(?:as|is|for) (?:my|the|our|his|her) (?:new |old )?(?:password|passcode|pass ?phrase|pin|login|secret))",
    ),
    # Whoever knows such an address may post to it.
    (
        "secret",
        r"(?i:https://(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks"
        r"|[\w.-]+\.webhook\.office\.com|hooks\.zapier\.com/hooks|outlook\.office\.com/webhook"
        r"|api\.telegram\.org/bot)[\w/:@.-]{12,300})",
    ),
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
    # The digit first: the search then leaps from digit to digit.
    ("card", r"\d(?<![\d.-]\d)(?<!\d,\d)(?:[ -]?\d){12,18}(?![\d])"),
    ("ip address", r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)"),
    (
        "ip address",
        r"(?i:(?<![\w:.])(?=[0-9a-f:]*:[0-9a-f:]*:)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:]))",
    ),
)


class Hints(NamedTuple):
    """What a pattern cannot do without: most texts have none of it, and need no search at all."""

    view: Literal["lowered", "plain", "shape", "joined"]
    """Of the text: in lower case, as it is, or with 0 for every digit, A for capitals and a for small letters;
    `joined` is that shape without blanks and hyphens."""
    pieces: tuple[str, ...]
    begins: bool = False
    """What is looked for begins with one of them; otherwise they stand anywhere in it."""


def _words(*pieces: str) -> Hints:
    return Hints("lowered", pieces)


HINTS: Final[tuple[Hints, ...]] = (
    Hints("plain", ("-----BEGIN",)),
    Hints("plain", ("eyJ",), begins=True),
    Hints("plain", (
        "sk-", "sk_live_", "rk_live_", "pk_live_", "sk_test_", "rk_test_", "pk_test_",
        "spk_", "spr_", "spl_", "spi_", "AKIA", "ASIA", "AIDA", "AROA", "ghp_", "gho_",
        "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AIza", "ya29.", "SG.", "npm_", "pypi-", "hf_",
        "whsec_", "shpat_", "shpss_", "shpca_", "shppa_", "dop_v1_", "AC", "key-", "EAA", "gsk_", "xai-", "r8_",
        "sq0", "rzp_"), begins=True),
    _words("pass", "pwd", "pw", "p/w", "pin", "key", "secret", "token", "bearer", "code", "otp", "cvv", "cvc",
           "kennwort", "contrase", "mot de", "cred", "wifi", "wi-fi"),
    _words("pass", "login", "log in", "code"),
    _words("bearer"),
    _words("pass", "pwd", "pw"),
    _words("words ", "word's ", "word’s ", "codes ", "code's ", "code’s ", "pins ", "pin's ", "pin’s "),
    _words("pass", "pin", "login", "secret"),
    _words("hook", "telegram"),
    _words("://"),
    _words("@"),
    _words("dot)", "dot]", "dot}", "dot>", " dot ", "_dot_"),
    _words("at)", "at]", "at}", " @ "),
    Hints("shape", ("000-00-0000", "000 00 0000"), begins=True),
    Hints("joined", ("AA000000A", "aa000000a")),
    _words("pass", "social", "ssn", "nhs", "national", "licen", "id card", "ity card", "tax", "steuer", "dni", "nie",
           "medicare", "insurance", "aadhaar", "ausweis", "seguridad", "policy", "account", "sort code", "routing"),
    Hints("shape", ("00000000A", "A0000000A"), begins=True),
    _words("born", "birth", "dob", "d.o.b", "gebor", "geburt", "naci", "n\u00e9"),
    Hints("shape", ("0 A", "0A A", "0a A", "0, A", "0A, A", "0a, A")),
    _words("stra", "str.", "weg", "gasse", "platz", "allee", "calle", "avenida", "avda", "rue", "avenue", "via"),
    Hints("shape", ("0 0AA", "0A 0AA")),
    Hints("shape", ("AA00", "aa00", "Aa00", "aA00"), begins=True),
    Hints("joined", ("0" * 13,)),
    Hints("shape", ("0.0.0", "0.00.0", "0.000.0")),
    _words(":"),
)  # fmt: skip
