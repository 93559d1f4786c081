"""The allow-list that goes first: words that sound bad outside a gym and mean nothing bad in one.

What matches is replaced by `gymterm` before any rule looks, so no rule has to know about skull crushers. It stays a
sign that somebody talks about training, which other rules use.
"""

from functools import cache
from typing import Final

from spotter.safety.findings import merged
from spotter.safety.grammar import Pattern, PatternIndex, alternatives, bounded
from spotter.safety.words import Words

_PART: Final = (
    r"abs|legs?|arms?|chest|back|glutes?|quads?|hamstrings?|hammies|calves|calf|biceps?|triceps?|shoulders?"
    r"|delts?|core|body|forearms?|lungs|muscles?|butt|ass"
    r"|bum|thighs?|traps|lats|pecs|feet|hips?|knees?|lower body|upper body|whole body|everything|obliques"
    r"|grip|soul"
)
# Not the chest: «my chest is killing me» may be the one time it is not slang.
_TIRED_PART: Final = _PART.replace("|chest|", "|").replace("|whole body|everything|", "|")
_DOER: Final = (
    r"workout|work out|class|session|burpees?|squats?|deadlifts?|leg day|legday|wod|circuit|cardio|sprints?"
    r"|intervals?|hill|hills|run|hiit|coach|trainer|instructor"
    r"|set|sets|finisher|stairmaster|treadmill|spin|lunges?|thrusters?|plank|planks|assault bike|rower|bike"
    r"|this|that|it|those|these|they|you|youre|he|she|doms"
    r"|gymterm|murph|alarm|heat|humidity|commute|stairs|arms|legs|abs|shoulders|feet|calves|back|knees?"
    r"|class today|fran|program|programme"
)
_PHRASES: Final = (
    # Olympic lifts and other names of exercises
    r"(?:power |hang |squat |muscle |split |push |dumbbell |kettlebell |db |kb |barbell )*(?:clean"
    r"|cleans)(?: and| n|,)? (?:jerk|jerks|press|presses|snatch)",
    r"(?:power|hang|squat|muscle|split|push|dumbbell|kettlebell|db|kb|barbell|block|one arm|single arm"
    r"|strict|heavy|full|a|the|my|your|best|max) (?:clean|cleans|jerk|jerks|snatch|snatches)",
    r"snatch(?:es)? (?:grip|pulls?|balance|technique|form|pr|max|press|deadlifts?|day|\d+)|(?:snatch"
    r"|jerk)(?:es|s)?(?: \d+)? (?:kg|kgs|lb|lbs|kilos|reps|sets)",
    r"(?:split|push|squat|power) jerks?|jerk (?:technique|form|drills?|dips?|blocks|pr|max)|snatch and jerk",
    r"skull ?crush(?:er|ers|ing)|nose ?breakers?|face ?pulls?|good ?mornings?|hip ?thrusts?|thrusters?"
    r"|donkey kicks?|fire hydrants?|butt ?kick(?:s|er|ers)?|ass to grass|atg",
    r"dead ?(?:hangs?|lifts?|lifting|bugs?|stops?)|ball ?slams?|slam ?balls?|wall ?balls?"
    r"|med(?:icine)? balls?|man ?makers?|devils? press(?:es)?|turkish get ?ups?|bear (?:crawls?|hugs?)",
    r"suicides|suicide (?:mission|squad|sprints?|runs?|drills?|shuttles?|grip|squeeze|planks?|push ?ups?"
    r"|pushups?|pulls?"
    r"|curls?|sets?|burpees?|lunges?|intervals?|laps?)|(?:run|ran|do|did|doing|running) (?:some )?suicides",
    r"(?:shuttle|court|gym) suicides?|death by (?:burpees?|push ?ups?|pull ?ups?|thrusters?|squats?|emom)"
    r"|widow ?makers?|gut ?busters?|jack ?knives|jack ?knife|guillotine (?:press|choke)",
    r"jumping jacks?|star jumps?|dive ?bombers?|spider ?man|scissor kicks?|flutter kicks?|mule kicks?"
    r"|hammer (?:curls?|strength)|preacher curls?|spider curls?|drag curls?|cheat (?:curls?|reps?|meals?"
    r"|days?)",
    r"shoulder shocker|box ?ing|shadow ?box(?:ing)?|heavy bag|speed bag|punch(?:ing)? (?:bag|bags)"
    r"|kick(?:ing)? (?:bag|bags)|sparring|body ?pump|body combat|battle ?ropes?|prowler|sled (?:push|pull"
    r"|drag)s?",
    r"(?:shoulder|band|stick|broomstick|pvc) dislocat(?:es|ions?)|dislocates?(?: drills?)? (?:with|using)",
    # swimming, rowing
    r"breast ?strokes?|back ?strokes?|butterfly stroke|freestyle stroke|stroke (?:rate|rates|length|volume"
    r"|technique|count|mechanics)|(?:rowing|swim|swimming|row|drive|golf|tennis|power|paddle) strokes?"
    r"|strokes? (?:per|a) minute",
    # failing and dying, as lifters say it
    r"(?:to|until|till|near|past|before|muscular|technical|muscle|form) failure|fail(?:ed)? (?:a|the|my|on"
    r"|at) (?:rep|reps|lift|set|squat|bench|snatch)",
    rf"(?:kill|killed|killing|kills|destroy|destroyed|destroying|murder|murdered|smash|smashed|smashing"
    rf"|wreck|wrecked|blast|blasted|torch|torched|annihilate|crush|crushed|crushing|hammer|hammered|nuke"
    rf"|fry|fried|punish|punished|beat up|beast|shred|shredded|obliterate|obliterated|trash|trashed) (?:my"
    rf"|those|these|the|your|our|his|her|that|this|some)(?: [a-z]+)? (?:{_PART}|workout|session|set|sets"
    rf"|reps?|weights?|class|pr|pb|run|race|squats?|bench|deadlifts?|burpees?|it|cardio|programme|program"
    rf"|wod|finisher|lift|lifts|presentation|interview|exam|test|competition|comp|meet|game|match|goal"
    rf"|goals|day|week|leg day|time|record)",
    rf"(?:my|the|your|our|his|her)(?: [a-z]+)? (?:{_TIRED_PART}) (?:are|is|were|was|feel|feels"
    rf"|felt)(?: [a-z]+)? (?:dying|dead|killing me|on fire|fire|destroyed|toast|wrecked|fried|smoked|cooked"
    rf"|shot|screaming|jelly|jello|trashed|burning|melting|done|gone|shaking|useless)",
    rf"(?:{_DOER})(?: (?:is|was|are|were|just|almost|nearly|really|absolutely|totally|literally|always"
    rf"|completely|going to|gonna|will|would|today|still|trying to|honestly|seriously|about to"
    rf"|ll))* (?:kill|killed|killing|kills|murder|murdered|murdering|destroy|destroyed|destroying|wrecked"
    rf"|ended|finished|crushed|slaughtered|crippled|gassed|smoked|cooked) (?:me|us|him|her|everyone|them"
    rf"|my [a-z]+)(?! with| if| and bury)",
    r"(?:kill|killer|beast|savage) (?:mode|workout|class|session|set|abs|circuit|finisher|playlist|instinct"
    r"|legs|coach|trainer|pace|pump)|killed it|killing it|crushed it|crushing it|slayed|slay it|nailed it"
    r"|dead last|drop dead (?:sets?|gorgeous)|dead tired|dead weight|dead ?beat|dead serious|dead easy"
    r"|deadline|deadlines",
    r"(?:time|hours?|minutes?) to kill|kill (?:some )?time|killing time|kill two birds|dressed to kill"
    r"|if looks could kill|buzz ?kill|over ?kill|kill (?:the|my) (?:lights|music|mood|vibe|cravings?"
    r"|appetite|app|process|engine|soreness|fat|bloat|sweet tooth|hunger)|kill for a|would kill for"
    r"|to die for|(?:or|not) die trying|die ?hards?|die ?cast|dying to (?:try|know|see|get|start|hit|meet|go)"
    r"|die of (?:laughter"
    r"|laughing|boredom|embarrassment|cringe)|dying (?:of|from) (?:laughter|laughing|boredom|thirst|heat)"
    r"|dying laughing|over my dead body|(?:would|id) die without (?:my (?:coffee|music"
    r"|playlist|phone|belt|headphones|straps)|coffee|music)|overdos(?:e|ed|ing) on (?:cheese|chocolate|sugar|carbs?"
    r"|pizza|cake|coffee|squats|burpees|cardio|protein|sweets|candy|food|ice cream|turkey|bread|cookies|netflix|sun)"
    r"|burn(?:ing|ed|t)? (?:myself|yourself|himself|herself) out",
    # harmless words for bodies and food
    r"fat ?(?:loss|burn(?:ing|er|ers)?|free|percentage|percent|mass|intake|adapted|grip|gripz|bar|bike"
    r"|cal(?:iper|ipers)?)|body ?fat|low fat|healthy fats?|chicken breasts?|turkey breasts?|egg whites?"
    r"|rump|nuts|dirty bulk|hot (?:yoga|tub|pilates)",
    r"pass(?:ed|ing)? out (?:the |some |our |your |my |free |new |more |a few )?(?:flyers?|fliers|leaflets?"
    r"|towels?|waters?|water bottles|forms?|cards?|programs?|programmes?|sheets?|medals?|shirts?|t ?shirts"
    r"|coupons|samples|mats?|bands?|keys|snacks|candy|invites|invitations)",
    r"(?:faint|weak) (?:of |at )?heart(?:ed)?|faint ?hearted|faint (?:line|lines|smell|sound|praise|glow"
    r"|light|hope|memory|idea|lines)|heart (?:rate )?(?:zones?|monitors?|straps?|rate training|to heart"
    r"|healthy|felt|warming|breaking|broken)|by heart|take heart|heart (?:of|is set|and soul)|sweet ?heart",
    r"chest (?:day|days|press|presses|fly|flys|flies|flyes|workouts?|exercises?|routine|pump|supported"
    r"|strap|muscles?|gains|session|freezer|training|dips?|to bar|to floor|measurement|size|hair|pass"
    r"|expander|opener|openers|stretch|stretches|mobility|volume|dominant|programme|program|circumference"
    r"|up|and (?:triceps?|back|shoulders?|arms)(?: (?:day|workout|session|routine|pump|today|tomorrow))?)",
    r"warm(?:ed|ing|s)? ?ups?|warm (?:up|down|shower|water|day|weather|welcome)|lock(?:ed|ing|s)? ?outs?"
    r"|lockers?|cool(?:ed|ing)? ?down|blood flow restriction|bfr|blood pressure (?:cuff|monitor)"
    r"|pressure (?:cooker|washer|plate|points?)|tyre pressure|tire pressure|peer pressure|under pressure"
    r"|no pressure|water break|pop ?corn|pop ?tarts?|pop(?:ped)? (?:by|over|up|a pr|a pb)|pop in (?:to|for"
    r"|and|at|later|tomorrow|tonight|after)",
    r"burn(?:ed|t|ing|s)? (?:fat|calories|off|out|the)|feel the burn|after ?burn|run(?:ning)? with scissors"
    r"|shoot(?:ing)? (?:for|hoops|some hoops|me (?:a|an) (?:message|text|email|dm|mail)|you (?:a"
    r"|an) (?:message|text|email|dm|mail)|a (?:video|reel))|photo ?shoot|shot ?put|shots? of (?:espresso"
    r"|whey)|hit (?:the|my) (?:gym|showers?|weights|macros?|wall|goals?|targets?|protein|depth|legs|chest"
    r"|pr)",
    # said of something else
    r"(?:answered|ticked|said|put) no (?:to|for|on)(?: [a-z]+){1,3}|(?:cant|couldnt|cannot) find(?: the)? words to"
    r" (?:thank|describe|express|say)|a fit (?:body|bod|physique)|(?:ease|easing|get|getting|come|coming|go"
    r"|going|jump) back (?:in|into|to)",
    r"(?:ill|will|gonna|going to) (?:faint|pass out|die|collapse) if you|overdos(?:e|ed|ing) (?:of|on) (?:squats?"
    r"|cardio|burpees?|lunges?|endorphins|protein|leg day|gymterm)|(?:wont|not|will not) be (?:around|here) (?:next"
    r" (?:week|month)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)",
    r"suicide (?:prevention|awareness)|(?:concussion|return to play) (?:rules|protocol|policy|guidelines?)"
    r"(?: after concussion)?|gear (?:ratios?|shift|shifting|bag|check|list)|steroid (?:inhaler|cream|spray"
    r"|injection in (?:the|my) (?:shoulder|knee|hip|back|elbow))",
    r"(?:rather|sooner) (?:die|be (?:shot|dead)) than (?!(?:live|be|go|keep|wake|face|stay|carry|continue"
    r"|exist|feel|see|spend|eat|gain|look|wake)(?![a-z]))[a-z]+|(?:id|would|could) die for (?:your|that|this|a|an|some"
    r"|those|these)|streak(?: [a-z]+){0,2} die[sd]?|where (?:i|we|dreams|gains|legs) (?:go|come|went) to die"
    r"|good ?bye to (?:sugar|carbs?|alcohol|dairy|smoking|snacks?|bread|chocolate|gluten|coffee|excuses|winter"
    r"|summer|beer|wine|my (?:belly|gut|love handles|old [a-z]+))",
    r"black(?:ed|ing)? out (?:the|my|our|all|some)(?: whole| entire)? (?:windows?|calendar|diary|dates?"
    r"|weekends?|schedule|screen|week|month|evenings?|blinds|curtains)|(?:calves|arms|biceps|quads|delts"
    r"|glutes) blew up|seizure free|scars?(?: on my [a-z]+)? from (?:an? |the |my )?(?:old )?(?:accident"
    r"|surgery|operation|op|c ?section|appendix|crash|fall|childhood)|(?:burpees|thrusters|sprints|they|these"
    r"|those|it|that|cardio|that smell|the smell) makes? me(?: feel| a bit| so)? sick|zone (?:2|two)|talk test"
    r"|burn (?:my|your|the|those|these) (?:arms|legs|abs|shoulders|glutes|quads|calves|lungs) out"
    r"|(?:leg day|legday|burpees?|squats?|thrusters?|lunges?|cardio|wall ?balls?|sled(?: push)?|rowing|running"
    r"|sprints?|deadlifts?|planks?|spin|assault bike|the rower|intervals?|mondays?) makes? me want to"
    r" (?:die|cry|scream|quit|throw up)|suicide squad|(?:what is|whats) the meaning of life",
    r"cut(?:ting)? (?:phase|season|calories|carbs|weight for|sugar|back|down|out|the)|(?:lean|clean|mini"
    r"|summer|winter) (?:bulk|cut)|bulk(?:ing)? (?:and|or) cut(?:ting)?|deep cuts|cutting diet"
    r"|cutting cycle of",
)


@cache
def _index() -> PatternIndex[None]:
    every = [Pattern(bounded(one)) for phrase in _PHRASES for one in alternatives(phrase)]
    return PatternIndex((None, pattern, ()) for pattern in every)


def _harmless(clean: str) -> tuple[tuple[int, int], ...]:
    return merged(
        found.span()
        for _, pattern, start, end in _index().possible(clean)
        for found in pattern.compiled.finditer(clean, start, end)
    )


def without_gym_language(words: Words) -> Words:
    """The same words with harmless phrases replaced. Offsets into the text stay right."""
    clean = words.clean
    harmless = _harmless(clean)
    if not harmless:
        return words
    pieces: list[str] = []
    starts: list[int] = []
    spans: list[tuple[int, int]] = []
    position = index = 0
    for begin, end in (*harmless, (len(clean) + 1, len(clean) + 1)):
        while index < len(words.starts) and words.starts[index] < begin:
            stop = words.starts[index + 1] - 1 if index + 1 < len(words.starts) else len(clean)
            word = clean[words.starts[index] : stop]
            pieces.append(word)
            starts.append(position)
            spans.append(words.spans[index])
            position += len(word) + 1
            index += 1
        if begin > len(clean):
            break
        first = index
        while index < len(words.starts) and words.starts[index] < end:
            index += 1
        pieces.append("gymterm")
        starts.append(position)
        spans.append((words.spans[first][0], words.spans[index - 1][1]))
        position += len("gymterm") + 1
    return Words(" ".join(pieces), tuple(starts), tuple(spans))
