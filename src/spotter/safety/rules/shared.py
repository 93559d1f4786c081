"""Classes of words that several families use."""

from typing import Final

EXERCISE: Final = (
    r"burpees?|squats?|squatting|deadlifts?|deadlifting|bench(?:es|ed|ing)?|press(?:es|ing)?|push ?ups?"
    r"|pushups?|pull ?ups?|pullups?|chin ?ups?"
    r"|lunges?|planks?|sprints?|sprinting|intervals?|hiit|tabata|crossfit|wods?|amrap|emom|murph|rows?"
    r"|rower|rowing|erg|bike|biking|spin(?:ning)?"
    r"|run(?:s|ning)?|ran|jog(?:s|ging)?|marathon|5k|10k|treadmill|stairmaster|elliptical|cardio|circuits?"
    r"|reps?|sets?|lifts?|lifting|lifted|curls?"
    r"|rais(?:es|e)|dips?|crunch(?:es)?|sit ?ups?|situps?|thrusters?|snatch(?:es)?|cleans?|kettlebells?"
    r"|dumbbells?|barbells?|workouts?|work out"
    r"|working out|worked out|training|trained|session|sessions|leg day|legday|chest day|arm day|back day"
    r"|pump|doms|spar(?:ring)?|yoga|pilates"
    r"|class|bootcamp|box jumps?|jumping jacks?|mountain climbers?|skipping|rope|swim|swimming|laps?|hike"
    r"|hiking|exercise|exercising|exercises"
    r"|pr|prs|pb|1rm|drop ?sets?|superset|finisher|abs|glutes|quads?|pecs?|delts?|traps?|lats|gymterm|hill"
    r"|hills|workload|flys?|flies|flyes"
)
"""Something done in a gym. `gymterm` is what the allow-list leaves behind."""

CAUSE: Final = (
    r"after|from|during|because of|thanks to|due to|doing|mid|midway through|following|when i"
    r"|with|post|on|at the end of|in|since"
)

PERSON: Final = (
    r"i|im|ive|he|she|they|hes|shes|theyve|someone|somebody|member|client|customer|guy|woman|man|lady"
    r"|person|dad|father|mum|mom|mother|wife|husband"
    r"|partner|girlfriend|boyfriend|friend|buddy|mate|brother|sister|son|daughter|kid|child|trainer|coach"
    r"|colleague|guest|athlete|we|spotter|boy|girl"
)

LONG_AGO: Final = (
    r"\d+ (?:years?|months?|yrs?) (?:ago|back)|(?:some|many|few|couple of|several|two|three|four|five|six"
    r"|ten|twenty) (?:years?|months?) (?:ago|back)|years? ago"
    r"|months ago|last year|years back|a year ago|decades? ago|as a (?:kid|child|teen|teenager)"
    r"|when i was (?:\d+|a|in|little|young|younger|small)"
    r"|in (?:19|20)\d\d|in (?:high school|college|uni|university)|back in|in my (?:teens|twenties"
    r"|past|youth)|in the past|used to|childhood|long ago"
    r"|history of|since recovered|have recovered|in recovery"
    r"|fully recovered|ive recovered|got cleared|cleared by|was cleared|cleared me"
)

IN_GENERAL: Final = (
    r"if (?:a|an|any|one of|some|another) (?:member|client|customer|person|guest|athlete|participant|user"
    r"|someone|of our)|if (?:someone|somebody|anyone|anybody|people)"
    r"|what (?:are|is|were) (?:the |some |typical |common |early )?(?:signs?|symptoms?|causes?|difference"
    r"|risks?|definition)|signs and symptoms"
    r"|how (?:do|can|to|does|would|should) (?:i |we |you |one |trainers |staff )?(?:recogni[sz]e|spot"
    r"|prevent|avoid|identify|respond|treat|handle)"
    r"|first aid (?:course|class|training|kit|poster|certificate|certification)|cpr (?:course|class"
    r"|training|certificate|certification)"
    r"|(?:read|article|blog|post|podcast|documentary|study|studies|research|book|chapter|poster|leaflet"
    r"|paper|module|lecture|movie|film|novel|story|news|episode|song) "
    r"(?:about|on|that|says|said|where|called)|in case of|awareness|fundraiser|charity|prevention"
    r"|hotline (?:poster|sign)|what is|whats a|what does|explain|define|essay"
    r"|risk of|reduces? the risk|lowers? the risk|chance of|prevents?|insurance|waiver"
)
