"""Medical red flags of the heart, breath and brain: stop, no workout, the right words.

Each rule is symptom × place, in either order, minus what a gym says every day (a sore chest after benching, a racing
heart after sprints). What could be either only warns: a coach who asks is better than one who hangs up.
"""

from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.grammar import Grammar, near
from spotter.safety.rules.shared import CAUSE, EXERCISE, IN_GENERAL, LONG_AGO, PERSON

CLASSES: Final = {
    "EXERCISE": EXERCISE,
    "CAUSE": CAUSE,
    "PERSON": PERSON,
    "AGO": LONG_AGO,
    "KIN": r"dad|father|mum|mom|mother|parents?|brother|sister|grand(?:pa|ma|dad|father|mother|parents?)"
    r"|uncle|aunt|family|wife|husband",
    "GENERAL": IN_GENERAL,
    "PAIN": r"pains?|painful|hurts?|hurting|ache|aches|aching|achy|pressure|tightness|squeez(?:ing|es|ed|e)"
    r"|crush(?:ing|es|ed)|discomfort|stabbing|constrict(?:ed|ion|ing)|heaviness|sharp|cramp(?:s|ing)?"
    r"|sting(?:s|ing)?|burning|killing me|twinges?|elephant|vice|vise|clamp(?:ing|ed)?|weight on"
    r"|band around|spasms?|pinching",
    "CHEST": r"chest|breastbone|sternum|rib ?cage|left breast|chests",
    "NOW": r"now|right now|today|tonight|this morning|just|currently|suddenly|all of a sudden|sudden"
    r"|out of nowhere|again|still|at the moment|since|keeps?|wont stop|yesterday|lately|getting worse"
    r"|worse|been|mid set|midset|mid workout|minutes ago|hour ago|hours ago|every time|whenever|started",
    "SORE": r"sore|soreness|doms|muscle|muscles|muscular|pec|pecs|pump|stretch|stretches|stretching|posture"
    r"|mobility|foam roll(?:er|ing)?|desk|rounded|flexib[a-z]+|tight shoulders|shoulders and"
    r"|and shoulders|fit|shirt|top|bra|vest|jersey|hoodie|strap|wetsuit|massage|gymterm day",
    "STRONG": r"really|very|so|super|extremely|incredibly|severely|severe|terribly|badly|awfully|seriously"
    r"|proper|completely|totally|too|insanely|crazy|unbelievably",
    "COMPANION": r"sweat(?:y|ing)|cold sweat|clammy|nause(?:a|ous|ated)|sick|vomit(?:ing|ed)?|dizzy"
    r"|dizziness|lightheaded|light headed|faint|breath|breathe|breathing|breathless|jaw|left arm|arm"
    r"|arms|shoulder blade|palpitations|heart|weak|pale|grey|gray|numb|anxious|spread(?:s|ing)?"
    r"|radiat(?:es|ing|ed|e)|shoot(?:s|ing)",
    "REST": r"at rest|resting|rest|sitting|sit|seated|lying|lie|laying|in bed|bed|sofa|couch|sleep|sleeping"
    r"|asleep|at night|walking|walk|stairs|talking|standing|doing nothing|not doing anything|no reason"
    r"|for nothing|watching tv|desk|slightest|barely|even when|even just|tying my shoes|shower"
    r"|few steps|normal|unusual|unusually|more than usual|than usual|worse|wont (?:slow|stop|come|go"
    r"|calm|settle)|doesnt (?:slow|stop|come|go|calm|settle)|not (?:slowing|stopping|coming|going)"
    r"|suddenly|sudden|out of nowhere|random(?:ly)?|minutes later|an hour|hours|still",
}
grammar: Final = Grammar(CLASSES)
_MEDICAL: Final = CategoryName.MEDICAL_EMERGENCY
CALM: Final = (
    r"<AGO>|<GENERAL>|<KIN>(?: in law)? (?:had|has had|died (?:of|from)|passed (?:away )?(?:of|from)|suffered"
    r"|survived) (?:a |an |his "
    r"|her )*(?:[a-z]+ )?(?:strokes?|heart attacks?|seizures?)"
)


_HEART: Final = (
    grammar.rule(
        _MEDICAL, "chest pain or pressure",
        [
            r"(?:<CHEST>) pains?",
            near(r"<CHEST>", r"pains?|painful|pressure|squeez(?:ing|es|ed|e)|crush(?:ing|es|ed)|stabbing"
                r"|constrict(?:ed|ion|ing)|heaviness|elephant|vice|vise|clamp(?:ing|ed)?|discomfort|spasms?", 5),
            r"(?:<CHEST>)~3 (?:hurts?|hurting|aches?|aching|killing me)",
            r"(?:hurts?|hurting|aches?|aching|sharp|burning|cramp(?:s|ing)?|sting(?:s|ing)?|twinges?|weight"
            r"|tightness|squeeze|tight feeling|knot|pinching|weird feeling|funny feeling)~4 (?:in|on|across"
            r"|inside|behind|around|of) (?:my |his |her |their |the |your )?(?:left side of (?:my |the )?"
            r"|middle of (?:my |the )?|centre of (?:my |the )?|center of (?:my |the )?)?(?:<CHEST>)",
            r"(?:<CHEST>) (?:is|feels?|felt|was|gets?|got|has been|keeps|has gotten|has got|has become"
            r"|went)~2 (?:tight|heavy|burning|on fire|weird|funny|compressed|like its? (?:being|in))",
            r"(?:squeez|crush)(?:ing|es)~2 (?:my|his|her) (?:<CHEST>)",
            r"(?:sitting|standing|stepping|weight|band|belt) (?:on|around) (?:my|his|her) (?:<CHEST>)",
        ],
        unless=r"(?:<SORE>)|sore|pressure plate|tight (?:<CHEST>) (?:and|muscles?)|(?:bounc(?:e|es|ed|ing)"
            r"|touch(?:es)?|lower(?:ed|ing)?|drop(?:ped|s)?|rest(?:s|ed|ing)?)~4 (?:<CHEST>)|bruis(?:e|ed"
            r"|es)|<CHEST> (?:infection|cold)|heartburn",
        calm=rf"{CALM}|(?:hurts?|hurting|aches?|aching|tight|burning|on fire|killing me|twinges?|cramp(?:s"
            rf"|ing)?|discomfort|spasms?|pinching)~6 (?:<CAUSE>)~4 (?:<EXERCISE>)",
    ),
    grammar.rule(
        _MEDICAL, "chest pain or pressure, with soreness named as well",
        [r"(?:<CHEST>) pains?", near(r"<CHEST>", r"pressure|squeezing|crushing|stabbing|elephant", 3)],
        also=[r"(?:<COMPANION>)~8 (?:<NOW>)|(?:<NOW>)~8 (?:<COMPANION>)|jaw|left arm|cold sweat|clammy"
            r"|sweating|dizzy|nauseous|breath|breathe|breathing|normal"],
        unless=r"heartburn|<GENERAL>", calm=CALM,
    ),
    grammar.rule(
        _MEDICAL, "tight chest with another sign", r"tight(?:ness)?~4 <CHEST>|<CHEST>~4 tight(?:ness)?",
        also=[r"breath|breathe|breathing|breathless|dizzy|left arm|jaw|sweating|sweaty|clammy|nauseous"
            r"|nausea|faint|palpitations|heart"],
        unless=r"<GENERAL>|heart rate|shirt|bra|strap", calm=r"<AGO>",
    ),
    grammar.rule(
        _MEDICAL, "tight chest",
        [r"(?:<NOW>|felt|feel|feeling|having|have|got|get|getting|woke up with"
            r"|with)~2 (?:a )?(?:tight <CHEST>|tightness (?:in|across) (?:my |the )?<CHEST>"
            r"|<CHEST> tightness)",
            r"<CHEST> tightness",
            r"tightness (?:in|across|around)~2 <CHEST>"],
        unless=r"<SORE>|<GENERAL>", calm=rf"{CALM}|stretch|posture|pecs|muscles?|(?:<CAUSE>)~4 (?:<EXERCISE>)",
    ),
    grammar.rule(
        _MEDICAL, "pain in the jaw or left arm",
        [
            near(r"jaw", r"pains?|ache|aching|aches|hurts?|pressure|tight", 4) + r"",
        ],
        also=[r"chest|left arm|arm|sweat(?:y|ing)|clammy|nause(?:a|ous)|breath|breathe|breathless|dizzy"
            r"|heart|when i (?:run|walk|climb|exercise|train)|on exertion|shoulder|whenever i exert"],
        calm=CALM,
    ),
    grammar.rule(
        _MEDICAL, "pain, numbness or heaviness down the left arm",
        [
            r"(?:pain|pains|ache|aching|numb|numbness|tingl(?:es|ing|y)|heavy|heaviness|pressure|weird"
            r"|radiat(?:es|ing|e)|shoot(?:s|ing)|spread(?:s|ing)|travel(?:s|ling|ing)|going|running|goes"
            r"|moving|moves)~4 (?:in|down|into|through|to|along) (?:my |his |her |their |the )?left arm",
            r"left arm~3 (?:numb|tingl(?:es|ing|y)|heavy|went (?:numb|dead|weak)|feels? (?:dead|weird"
            r"|strange|heavy|weak)|pain|hurts?|ach(?:es|ing))",
        ],
        unless=r"curls?|biceps?|triceps?|elbow|wrist|tendon|tricep|slept on|sleeping on|sleep on"
            r"|vaccin[a-z]+|shot|jab|<GENERAL>",
        calm=rf"{CALM}|(?:hurts?|ach(?:es|ing)|pain|weak)~6 (?:<EXERCISE>)",
    ),
    grammar.rule(
        _MEDICAL, "a heart attack, or the fear of one",
        [
            r"(?:having|have|had|is having|is this|this is|be|am i|think|like|might|maybe|could|possible"
            r"|signs? of|symptoms? of|about to have|suspect(?:ed)?|was it|had) ~2?(?:a "
            r"|an )?(?:heart attack|cardiac arrest|cardiac event|infarct[a-z]*)".replace("~2?", ""),
            r"(?:think|afraid|scared|worried|sure|feel(?:s|ing)?|fear)~8 heart attack",
            r"heart attack~4 (?:now|right now|symptoms|\?)", r"cardiac arrest", r"angina",
                r"heart (?:has )?stopped",
        ],
        unless=r"(?:nearly|almost|just about|practically|gave|give|giving|gives)~4 (?:heart attack)"
            r"|heart attack~6 (?:when i (?:saw|heard|opened|checked|found|read)|price|bill|lol|haha"
            r"|scared me)|<GENERAL>",
        calm=rf"{CALM}|famil(?:y|ial)|grand(?:father|mother|pa|ma|dad)|uncle|aunt|lol|haha|cleared",
    ),
    grammar.rule(
        _MEDICAL, "palpitations",
        [r"palpitations?", r"heart flutters?|irregular (?:heart ?beats?|heart rhythm|pulse)"
            r"|heart ?beats?~3 (?:irregular|erratic|uneven)|heart (?:hurts?|hurting|aches?|aching|pains?)"
            r"|(?:pain|pains|ache|pressure|stabbing|stinging|tightness|burning)~3 (?:near|around|in|by|at"
            r"|over|close to) (?:my |the |his |her )?heart|arr?hythmia|a ?fib|atrial fibrillation"
            r"|heart (?:is |keeps? |was |has been |feels like (?:its|it is) )?(?:flutter(?:ing|s)?|skipping"
            r"|skips|missing) ?(?:beats?|a beat)?"],
        unless=r"skip(?:s|ped) a beat~5 (?:when|seeing|hearing)|when (?:i|he|she) (?:saw|see|heard|smiles?)|crush"
            r"|<GENERAL>",
        calm=CALM,
    ),
    grammar.rule(
        _MEDICAL, "racing heart out of proportion",
        near(r"(?:heart|pulse|heart rate|heartbeat)(?: is| was| keeps| has been| started)? ?(?:rac(?:ing|es"
            r"|ed)|pound(?:ing|s|ed)|thump(?:ing|s|ed)|beat(?:ing|s) (?:so |too |really |very "
            r"|way too )?(?:fast|hard|out of my chest|like crazy|irregularly)|go(?:ing|es) (?:crazy|nuts"
            r"|wild|haywire)|wont (?:slow|calm|settle|come)|all over the place|through the roof|hammering"
            r"|jump(?:ing|s|ed)|at (?:1[3-9]\d|2\d\d)|is (?:1[3-9]\d|2\d\d))",
             r"<REST>|dizzy|lightheaded|light headed|faint|chest|breath|breathe|breathless|sweating|shaking"
             r"|shaky|weird|scared|scary|normal|panic|worried|pain", 14),
        unless=r"max(?:imum)? heart rate|zone|<GENERAL>|chest strap|excited|nervous|date|love|exam|interview",
        calm=rf"{CALM}|(?:<CAUSE>) (?:the |my |those |these |all |some |hard |a )*(?:<EXERCISE>)",
    ),
    grammar.rule(
        _MEDICAL, "a resting pulse far too high", r"resting (?:heart rate|pulse|hr|heartrate)~5 (?:1[2-9]\d"
            r"|2\d\d)", calm=CALM,
    ),
)  # fmt: skip

_BREATH: Final = (
    grammar.rule(
        _MEDICAL, "cannot breathe",
        [
            r"(?:cant|cannot|can not|couldnt|could not|can barely|can hardly|barely|hardly|unable to"
            r"|not able to|struggl(?:e|es|ing) to|struggled to|fight(?:ing)? to|hard to|hard for me to"
            r"|difficult to|trouble|not|hurts to|hurts when i|isnt|is not|stopped|difficulty|difficulties"
            r"|problems?|having trouble|finding it hard to) (?:even |really |properly |fully |actually "
            r"|to )?(?:breathe|breathing|breath|breathes|get (?:any |enough |a )?(?:air|breath|full breath"
            r"|deep breath)|catch (?:my|his|her|their) breath|take a (?:deep |full |proper )?breath)",
            r"(?:gasping|gasp|fighting|starving|desperate|begging) for (?:air|breath)|(?:not|isnt|no longer"
            r"|stopped|has stopped) breathing|no air|suffocat(?:ing|e)|chok(?:ing|e)(?: on)?"
            r"|throat~3 (?:clos(?:ing|ed|es)|tight(?:ening)?|swell(?:ing|s)?|swollen)|lips~3 blue|(?:blue"
            r"|purple) lips|turn(?:ing|ed) blue|respiratory distress",
            r"breathing (?:is |feels |has become |has gotten |got )?(?:really |very |so |super "
            r"|extremely )?(?:difficult|hard|laboured|labored|painful|shallow)",
        ],
        unless=r"through (?:my |the )?nose|nose|nasal|mask|snorkel|belt|brace|bracing|under ?water"
            r"|choke (?:up|hold|point)|chok(?:ed|ing) up|chokes?holds?|rear naked|guillotine|stuffy"
            r"|hay ?fever|technique|pattern|<GENERAL>|remember to breathe|forget to breathe|laugh(?:ing)?"
            r"|jeans|leggings|dress",
        calm=rf"{CALM}|(?:<CAUSE>) (?:the |my |those |these |all |some |hard |a |that |yesterdays "
            rf"|todays )*(?:<EXERCISE>)|(?:<EXERCISE>) (?:like|until|till|so hard)|lol|haha|😂",
        negatable=False,
    ),
    grammar.rule(
        _MEDICAL, "cannot breathe, with another sign",
        r"(?:cant|cannot|couldnt|barely|hardly|struggl(?:e|ing) to|trouble|difficulty) (?:breathe|breathing"
        r"|breath|catch my breath|get air)",
        also=[r"chest|dizzy|faint|fainted|lightheaded|palpitations|heart|coughing|blood|ankles?|swollen"
            r"|asthma attack|inhaler|allergic|hives|throat|at rest|resting|sitting|lying|lie down|now"
            r"|suddenly|worse"],
        unless=r"<GENERAL>|heart rate|chest day|gymterm", calm=r"<AGO>", negatable=False,
    ),
    grammar.rule(
        _MEDICAL, "breathless, with another sign", r"short of breath|shortness of breath|breathless(?:ness)?",
        also=[r"chest|dizzy|faint|fainted|lightheaded|palpitations|heart|coughing|blood|ankles?|swollen"
            r"|throat|at rest|resting|sitting|lying|lie down|now|suddenly|worse"],
        unless=r"<GENERAL>|heart rate|gymterm|(?:<CAUSE>)~3 (?:<EXERCISE>)", calm=r"<AGO>",
    ),
    grammar.rule(
        _MEDICAL, "breathless out of proportion",
        [
            near(r"short of breath|shortness of breath|breathless(?:ness)?|out of breath|winded|puffed"
                r"|panting|wheez(?:e|es|ing|y)|breathing (?:heavily|hard|fast)|cant catch my breath"
                r"|short(?:ness)? (?:on|of) breath",
                 r"at rest|resting|sitting|sit|lying|lie|laying|in bed|sofa|couch|sleep|sleeping|at night"
                 r"|talking|doing nothing|not doing anything|no reason|for nothing|watching tv|slightest"
                 r"|tying my shoes|tie my shoes|shower|few steps|unusual|unusually|more than (?:usual"
                 r"|normal)|than usual|than normal|suddenly|sudden|out of nowhere|randomly|minutes later"
                 r"|even though|never used to|way too|before (?:i )?(?:even )?(?:start|starting|moving"
                 r"|move)|wake|woke|waking|barely|hours? later|an hour after|(?:two|three|2|3|several"
                 r"|a few) days|normal|worse (?:every|each|over|and)", 12),
            r"(?:just|simply|only|even|barely|merely) (?:from )?(?:walking|standing|sitting|climbing"
            r"|going up|crossing|getting dressed|getting up)~8 (?:short of breath|breathless|gasping"
            r"|wheez(?:e|ing))",
            r"(?:short of breath|shortness of breath|breathless|gasping|wheez(?:e|ing))~6 (?:just|simply"
            r"|only|even|barely|merely) (?:from |by |when |while )?(?:walking|standing|sitting|climbing"
            r"|going up|crossing|getting dressed|getting up|a few|one flight)",
        ],
        unless=r"<GENERAL>|walking lunges?", calm=rf"{CALM}|get (?:fitter|fit|in shape)|improve my"
            rf"|out of shape|unfit|winded|puffed|back to normal (?:in|within|after)", negatable=True,
    ),
    grammar.rule(
        _MEDICAL, "breathless",
        r"short of breath|shortness of breath|breathless(?:ness)?|asthma attack|wheezing",
        score=0.4,
        unless=r"<GENERAL>|(?:<CAUSE>)~3 (?:<EXERCISE>)",
    ),
    grammar.rule(
        _MEDICAL, "blood coughed or vomited up", r"(?:cough(?:ing|ed|s)?|vomit(?:ing|ed|s)?|throw(?:ing"
            r"|n)? up|threw up|spit(?:ting)?|puk(?:ing|ed)|spat)~2 (?:up )?blood|blood when i cough"
            r"|bloody (?:vomit|phlegm|sputum)", calm=CALM,
    ),
    grammar.rule(
        _MEDICAL, "a severe allergic reaction", r"anaphyla(?:xis|ctic)(?: shock)?"
            r"|(?:used|using|use|needs?|gave|jabbed|give|take|took|inject[a-z]*)~3 epi ?pen"
            r"|allergic reaction~8 (?:throat|breathe|breathing|swell(?:ing)?|swollen|face|tongue|lips"
            r"|hives)|(?:tongue|lips|face|throat)~3 (?:swelling|swollen|swelled|closing)(?: up)?", calm=CALM, unless=
            r"lip (?:balm|filler)",
    ),
)  # fmt: skip

_HEAD: Final = (
    grammar.rule(
        _MEDICAL, "fainting",
        [
            r"(?:faint|fainted|fainting|fainty|fainting spells?|syncope|lost consciousness"
            r"|losing consciousness|lose consciousness|unconscious|unresponsive|knocked out cold|out cold"
            r"|passed out|pass out|passing out|passes out|blacked out|blacking out|black out|blackouts"
            r"|had a blackout)",
            r"(?:<PERSON>)(?: has| have| had| just| nearly| almost| suddenly| literally"
            r"| at the gym)* (?:collapsed|keeled over|dropped to the (?:floor|ground)|went down"
            r"|hit the (?:floor|deck|ground))~8 (?:gym|floor|treadmill|mat|unconscious|responding|bench"
            r"|rack|class|studio|shower|changing room|locker room|now|just|workout|squat|squats|during|mid"
            r"|run|track|help|ambulance|pale|moving)",
            r"(?:just|suddenly|member|client|guy|woman|man|someone|somebody|he|she) (?:has |have |just "
            r"|suddenly )*collapsed",
            r"(?:vision|everything|sight|eyesight|room|world)~3 (?:went|goes|going|gone|turned|turning|got"
            r"|fad(?:ed|ing))~2 (?:black|dark|grey|gray|blank|blurry|white|tunnel)",
            r"(?:woke up|came to|came round|wake up|waking up|found myself) on the (?:gym |bathroom "
            r"|kitchen )?(?:floor|ground)|tunnel vision|no pulse|not responding|wont wake up|not waking up"
            r"|doesnt wake up",
            r"(?:see|seeing|saw) (?:black spots|spots|stars|black)~6 (?:stand|squats?|collapse|fall|faint"
            r"|dizzy|deadlift[a-z]*|set|every|down|over)",
        ],
        unless=r"asleep|snor[a-z]+|couch|sofa|in bed|into bed|to bed|my bed|the bed|pillow|nap|on the bus"
            r"|from (?:laughing|excitement|joy|boredom|happiness)|laughter|laughing|exam|price|bill|curtains?"
            r"|blinds|dates?|faint (?:of|hearted)"
            r"|drunk|tequila|drinking|<GENERAL>|for the faint|faint smell|when i (?:saw|heard)"
            r"|knees?~2 collapse|arch(?:es)?|as soon as i got home|after dinner|before 9|by 9|at 9|at 10"
            r"|movie|film|the (?:towels|flyers)|scandal|tent|bench collapsed|shelf|chair|roof|building"
            r"|company|deal",
        calm=rf"{CALM}|lol|haha|worried (?:ill|i will|i might)|afraid of|scared of|smell of|sight of",
    ),
    grammar.rule(
        _MEDICAL, "dizzy with another sign",
        near(r"dizzy|dizziness|dizzier|light ?headed(?:ness)?|light headed|woozy|vertigo|room (?:is "
            r"|was )?spinning|everything (?:is |was )?spinning|head (?:is |was )?spinning|off balance|giddy",
             r"chest|heart|breath|breathe|breathless|faint|fainted|vision|blurry|blurred|double|numb"
             r"|vomit(?:ing|ed)?|throw(?:ing)? up|threw up|confused|fall|fell|falling|fall over|cant stand"
             r"|cannot stand|hit my head|headache|slurr[a-z]+|palpitations|collapse|pass out|black|hold on"
             r"|hold onto|grab|sit down|lie down|stop|stopped|sweat(?:ing|y)|clammy|shaky|shaking|nauseous"
             r"|nausea|hours|all day|days|every time|keep|keeps|wont go away|not going away|right now"
             r"|mid set|midset|suddenly|medication|meds|diabet[a-z]+|insulin|blood sugar|pale|tingling", 14),
        unless=r"<GENERAL>|stop (?:feeling|getting)|how (?:do|can) i (?:stop|avoid|prevent)", calm=
            rf"{CALM}|bit dizzy|little dizzy|slightly dizzy|kind of dizzy|lol|haha|spin(?:ning)? class"
            rf"|spins|cartwheels?",
    ),
    grammar.rule(
        _MEDICAL, "very dizzy", r"(?:<STRONG>) (?:dizzy|lightheaded|light headed|woozy)|(?:dizzy"
            r"|lightheaded|light headed) (?:spells?|now|right now|again)|(?:severe|bad|sudden|constant"
            r"|extreme) (?:dizziness|vertigo)|feel(?:ing)? (?:dizzy|faint|lightheaded)(?: and| right| now)",
        unless=r"<GENERAL>", calm=CALM,
    ),
    grammar.rule(_MEDICAL, "dizzy", r"dizzy|dizziness|lightheaded|light headed|woozy|vertigo", score=0.4, unless=
        r"<GENERAL>"),
    grammar.rule(
        _MEDICAL, "signs of a stroke",
        [
            r"(?:face|mouth|smile|eyelid|eye|cheek|lip)~4 (?:droop(?:s|ing|ed|y)?|sag(?:s|ging|ged)?"
            r"|lopsided|crooked|numb|paralysed|paralyzed|one side|wont move|twisted|uneven|slack)",
            r"(?:droop(?:y|ing)|numb|lopsided|crooked|sagging|paralysed|paralyzed) (?:on one side of (?:my "
            r"|his |her |the )?)?(?:face|mouth|smile|cheek)|facial droop(?:ing)?|half (?:of )?(?:my|his"
            r"|her) face",
            r"slurr(?:ing|ed|s)|slur(?:s|ring)?~3 (?:words|speech)|speech~3 (?:slurred|garbled|weird|funny"
            r"|gone|wrong|unclear|jumbled|strange|trouble|problems|difficult)|(?:cant|cannot|couldnt"
            r"|trouble|difficulty|struggling to|unable to|hard to) (?:speak(?:ing)?|talk(?:ing)?"
            r"|find (?:my |the |his |her )?words|form (?:words|sentences)|get (?:my |the )?words out"
            r"|say words)|words~4 (?:wrong|jumbled|garbled|mixed up|wont come|not coming)"
            r"|talking (?:gibberish|nonsense)|not making (?:any )?sense",
            r"(?:one side|left side|right side|half)~3 (?:of (?:my|his|her|the) (?:body|face)"
            r"|of me)~6 (?:numb|weak|weakness|paralysed|paralyzed|tingl[a-z]+|heavy|dead|wont move"
            r"|cant move|droop[a-z]*|not working|gone|limp)|(?:numb|numbness|weak|weakness|paralysed"
            r"|paralyzed|paralysis|tingling|heavy|dead|limp|cant (?:move|feel))~6 (?:one side|left side"
            r"|right side|half)(?: of (?:my|his|her|the) (?:body|face)| of me)?",
            r"(?:arms?|legs?|hands?|side|foot)~6 (?:suddenly|sudden|all of a sudden)~2 (?:dont|doesnt|wont"
            r"|stopped|not|isnt|arent|cant|stop)~1 (?:work|working|move|moving|respond|responding|obey)"
            r"|(?:suddenly|sudden|all of a sudden|just)~5 (?:cant|cannot|couldnt|unable to|not) (?:move"
            r"|lift|feel|control|raise) (?:my |his |her |the )?(?:left|right|one) (?:arm|leg|hand|side"
            r"|foot)|(?:left|right|one) (?:side|arm|leg|hand)~4 (?:suddenly|went|gone|goes"
            r"|has gone)~2 (?:weak|numb|dead|limp|paralysed|paralyzed|floppy)|(?:sudden"
            r"|suddenly)~4 (?:weakness|numbness|weak|numb)~6 (?:arm|leg|hand|side|face)",
            r"(?:having|had|have|think|be|like|signs? of|symptoms? of|mini|suspected|a|is this"
            r"|possible) (?:a |an |mini )*stroke|tia|mini stroke",
            r"(?:lost|losing|lose|loss of|no|sudden|double|cant see|blind|gone)~3 (?:vision|sight|eyesight"
            r"|in one eye|out of (?:one|my left|my right) eye)|(?:vision|sight|eyesight)~3 (?:double"
            r"|doubled|gone|lost|disappeared)|(?:blurry|blurred|double) vision|(?:vision|sight|eyesight|eye"
            r"|eyes)~3 (?:blurry|blurred|fuzzy|foggy)~6 (?:sudden|suddenly|one eye|headache|now|since"
            r"|dizzy)|see(?:ing)? double|went blind",
        ],
        unless=r"stroke (?:rate|length|of)|strokes|golf|tennis|swim[a-z]*|rowing|row|rower|paddle"
            r"|heat ?stroke|catch and drive|<GENERAL>|foreign|language|spanish|german|english|shy"
            r"|public speaking|at the same time|talk test|dentist|weaker than|stronger than|imbalance"
            r"|weak side|dominant|glasses|contacts|lenses|goals?|strategy",
        calm=rf"{CALM}|famil(?:y|ial)|grand(?:father|mother|pa|ma|dad)|uncle|aunt"
            rf"|talk(?:ing)?~6 (?:<EXERCISE>)|lol|haha|rehab",
    ),
    grammar.rule(
        _MEDICAL, "a headache like never before",
        [
            near(r"headaches?|migraine|head (?:pain|hurts?|is (?:pounding|exploding|splitting))|pain in my head",
                 r"worst|thunderclap|thunder clap|suddenly|sudden|out of nowhere|like never before"
                 r"|never (?:had|felt|experienced)|explo(?:de|ded|ding|sive)|unbearable|excruciating"
                 r"|stiff neck|neck is stiff|neck stiff|vision|blurr[a-z]+|see(?:ing)? double|confus[a-z]+"
                 r"|numb|slurr[a-z]+|weakness|hit my head|bang(?:ed)? my head|blinding|splitting"
                 r"|like (?:lightning|a bomb|someone hit)|faint(?:ed)?|fever|in seconds|of my life"
                 r"|throwing up|vomiting", 12),
            r"(?:head|skull)~3 (?:going to explode|about to explode|exploding|feels like it(?:s"
            r"| is) (?:exploding|splitting|bursting))",
        ],
        unless=r"<GENERAL>|paperwork|admin|parking|schedul[a-z]+|traffic|tension headaches from my desk"
            r"|no headaches?", calm=CALM,
    ),
    grammar.rule(
        _MEDICAL, "a blow to the head with after-effects",
        r"(?:hit|bang(?:ed)?|bump(?:ed)?|smack(?:ed)?|knock(?:ed)?|whack(?:ed)?|crack(?:ed)?|slam(?:med)?"
        r"|struck|dropped|fell|landed|clonked|kicked|smashed|slammed|hitting|banging|bumping|knocking"
        r"|smacking|falling)~6 (?:head|skull|temple|forehead)|(?:head|skull|temple|forehead)~5 (?:hit"
        r"|bang(?:ed)?|bumped|struck|knock(?:ed)?|smack(?:ed)?|slammed)|concussion|concussed|head (?:injury"
        r"|knock|trauma)|(?:kettlebell|plate|bar|barbell|dumbbell|weight|rack|pull up bar)~3 (?:hit|fell on"
        r"|landed on|to)~2 (?:head|face|skull)",
        also=[r"confus(?:ed|ion|ing)|vomit(?:ing|ed|s)?|throw(?:ing|n)? up|threw up|puk(?:ing|ed|e)"
            r"|nause(?:a|ous|ated)|sick|dizzy|dizziness|woozy|remember|memory|foggy|fog|blurr(?:y|ed)"
            r"|double|sleepy|drowsy|headache|blacked out|passed out|unconscious|ringing|disoriented|stars"
            r"|speech|slurr(?:ed|ing)|balance|weird|out of it|dazed|concuss(?:ed|ion)|light|nosebleed"
            r"|bleeding|blood|ears?|knocked out|pupils?"],
        unless=r"nail on the head|headline|<GENERAL>|headphones|head start|heads up", calm=CALM,
    ),
    grammar.rule(_MEDICAL, "a blow to the head", r"(?:hit|banged|bumped|smacked|knocked|whacked) (?:my|his"
        r"|her) head(?! start)|concussion|concussed", score=0.4, unless=
        r"<GENERAL>"),
    grammar.rule(
        _MEDICAL, "a seizure or unresponsive person",
        [r"(?:seizure|seizures|convuls(?:ing|ion|ions)|having a fit|epileptic fit|foaming at the mouth"
            r"|call(?:ing)? (?:an ambulance|911|999|112|000)|need an ambulance|medical emergency"
            r"|heat ?stroke|heat exhaustion|stopped sweating(?! as| so)|diabetic shock|hypo attack|electrocuted"
            r"|poisoned)"],
        unless=r"<GENERAL>|aed|medical emergency (?:plan|contact|form|procedure|policy|kit)", calm=CALM,
    ),
    grammar.rule(
        _MEDICAL, "blood sugar far off", near(r"blood sugar|glucose|sugar",
            r"(?:is |at |was )?(?:[1-4]\d|[23]\.\d|[4-9]\d\d)|crash(?:ed|ing)?|very low|too low|dangerously"
            r"|shak(?:y|ing)|confused|sweating|faint", 6),
        also=[r"diabet[a-z]+|insulin|type 1|type one|shaky|shaking|confused|faint|sweating|mg|mmol"], unless=
            r"<GENERAL>|grams?|g of|snack|recipe", calm=CALM,
    ),
)  # fmt: skip

RULES: Final = (*_HEART, *_BREATH, *_HEAD)
