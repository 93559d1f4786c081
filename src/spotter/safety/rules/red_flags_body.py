"""Medical red flags of spine, muscle, veins, joints and pregnancy."""

from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.grammar import Grammar, near
from spotter.safety.rules.red_flags import CALM, CLASSES

grammar: Final = Grammar(
    {
        **CLASSES,
        "URINE": r"urine|pee|peeing|piss|pissing|wee|urinating|urinated|peed",
        "SADDLE": r"groin|saddle|between (?:my |the |his |her )?legs|genitals?|genital area|crotch|butt|bum"
        r"|buttocks?|backside|inner thighs?|private parts?|privates|down there|perineum|when i wipe"
        r"|wiping|vagina|penis|testicles|anus|undercarriage",
        "BACK": r"back|spine|spinal|lumbar|disc|disk|tailbone|sciatica|vertebra[a-z]*",
        "JOINT": r"knees?|elbow|shoulder|ankle|hip|wrist|finger|thumb|patella|kneecap|toe|collarbone|jaw",
        "LIMB": r"knees?|elbow|shoulder|ankle|hip|wrist|finger|thumb|kneecap|arm|leg|forearm|shin|foot|hand"
        r"|collarbone|biceps?|bicep|pec|hamstring|achilles|calf|quad|toe|bone|quadricep|tricep|triceps"
        r"|groin",
        "SWELL": r"swell(?:s|ing|ed)?|swollen|swole up|ballooned|ballooning|puffy|puffed up|blew up|huge"
        r"|(?:twice|double|the) (?:the |its )?(?:normal )?size(?: of a| of an)?|like a balloon|balloon"
        r"|bruis(?:e|ed|ing)|black and blue|purple",
        "CANT": r"cant|cannot|can not|couldnt|could not|unable to|wont|will not|not able to|can barely"
        r"|can hardly|refuses to|doesnt|impossible to",
        "PREGNANT": r"pregnant|pregnancy|preggo|preggers|trimester|weeks along|expecting|gestation|prenatal"
        r"|\d+ weeks pregnant|first baby|bump|months along|antenatal",
    }
)
_MEDICAL: Final = CategoryName.MEDICAL_EMERGENCY

_SPINE: Final = (
    grammar.rule(
        _MEDICAL, "numbness where a saddle would touch",
        [
            near(r"numb|numbness|tingl(?:ing|y|es)|pins and needles|(?:cant|cannot|lost|no|loss of|dont"
                r"|losing) (?:feel|feeling|sensation)|dead feeling",
                r"<SADDLE>", 6),
            r"saddle (?:numbness|an[a]?esthesia|area)",
        ],
        unless=r"bike seat|saddle (?:sore|height|sores)|cycling|spin class|bicycle|peloton|sat on"
            r"|sitting on|hours? (?:on the|of) (?:bike|cycling|sitting)|butt is numb from|<GENERAL>",
        calm=rf"{CALM}|fell asleep|bike|spin|sitting",
    ),
    grammar.rule(
        _MEDICAL, "bladder or bowel out of control",
        [
            r"(?:lost|lose|losing|no|loss of|lack of)~2 control~3 (?:bladder|bowels?|<URINE>|toilet)"
            r"|(?:bladder|bowels?)~3 (?:control|incontinen[a-z]+|leak(?:ing|s)?|accident|stopped|wont"
            r"|not working|problems?|issues?|trouble|numb|weak)",
            r"(?:<CANT>)~2 (?:hold|control|start|feel|stop)~3 (?:<URINE>|bladder|bowels?|poo|poop|stool)"
            r"|(?:<CANT>) (?:pee|urinate|wee|go to the (?:toilet|loo|bathroom)|empty my bladder|poop|poo)"
            r"|(?:wet|peed|soiled|pooped|pissed) (?:myself|my pants|himself|herself|the bed)"
            r"|trouble (?:peeing|urinating|going to the toilet|controlling)|incontinen(?:t|ce)"
            r"|difficulty (?:peeing|urinating)|(?:hard|difficult) to (?:pee|urinate)",
        ],
        unless=r"jump(?:s|ing)?|double unders?|skipping|trampoline|box jumps?|sneez[a-z]+|laugh(?:ed|ing)?"
            r"|cough(?:ing)?|postpartum|post partum|after (?:birth|having|giving)|since (?:giving birth"
            r"|having)|pelvic floor|pushing out|nearly|almost|<GENERAL>|excited|lol|haha|protein|dog|baby"
            r"|toddler|camera|public|no (?:bladder|bowel)(?: or (?:bladder|bowel))? (?:problems?|issues?|trouble)",
        calm=CALM, negatable=False,
    ),
    grammar.rule(
        _MEDICAL, "both legs weak or numb",
        [
            near(r"both (?:of my |my |his |her )?(?:legs|feet|thighs|knees)",
                r"numb|numbness|weak|weakness|tingl(?:ing|y)|pins and needles|gave out|giving (?:out|way)"
                r"|cant feel|cannot feel|not working|going dead|went dead|buckl(?:e|ed|ing)|heavy and"
                r"|paralysed|paralyzed", 6),
            r"(?:<CANT>)~1 (?:feel|move|use) (?:my|his|her) (?:legs|feet|toes|lower body)|(?:legs"
            r"|lower body)~2 (?:paralysed|paralyzed|have gone numb|went numb|are numb|gone numb)",
        ],
        unless=r"leg day|legday|squats?|lunges?|jelly|doms|lol|lmao|haha|fun|awesome|cold plunge|ice bath"
            r"|cross ?legged|sat|sitting|<GENERAL>|sauna|snow|freezing",
        calm=rf"{CALM}|(?:<EXERCISE>)", negatable=False,
    ),
    grammar.rule(
        _MEDICAL, "back pain with weak or numb legs",
        [near(r"<BACK>", r"pains?|hurts?|hurting|ach(?:e|es|ing)|killing me|slipped|herniated|went|gave"
            r"|popped|injur[a-z]+|tweaked|prolapsed|bulging|bad|deadlift(?:s|ing|ed)?|stiff|sore"
            r"|strain(?:ed)?", 6),
            r"sciatica"],
        also=[r"both (?:my )?(?:legs|feet)|legs (?:are |feel |went |gone |have gone |getting )*(?:weak|numb"
            r"|giving way|dead)|(?:leg|foot) (?:weakness|drop)|foot drop|drag(?:ging)? my (?:foot|leg)"
            r"|(?:cant|cannot|hard to|difficult to|trouble|trouble to) (?:pee|peeing|urinate|urinating"
            r"|go to the toilet)|bladder|bowel|bowels|incontinen[a-z]+|wet myself|saddle|groin (?:is "
            r"|feels |went )*numb|numb[a-z]*~4 (?:groin|genitals|between)|toilet|between my legs"],
        unless=r"<GENERAL>", calm=r"<AGO>",
    ),
    grammar.rule(
        _MEDICAL, "back pain with fever",
        [near(r"<BACK>|neck", r"pains?|hurts?|hurting|ach(?:e|es|ing)|killing me|sore|stiff(?:ness)?|tender", 6)],
        also=[r"fevers?|feverish|chills|temperature|3[89](?:\.\d)? ?(?:c|degrees|°)?|10[0-4](?:\.\d)? ?(?:f"
            r"|degrees)|night sweats|shiver(?:ing|s)|(?:unexplained|losing|lost|dropped"
            r"|without trying)~6 (?:weight|kg|kilos|pounds|lbs|trying)|cancer|tumou?r|chemo"],
        unless=r"<GENERAL>|(?:1rm|bench|deadlift|squat)~4 10\d|minutes|reps|kg for",
        calm=rf"{CALM}|goal|want to lose|trying to lose|room temperature|10\d (?:kg|lbs?|pounds|kilos)"
            rf"|3[89] (?:years?|yo|y o|kg|reps|min)|39|38",
        score=0.85,
    ),
    grammar.rule(
        _MEDICAL, "night pain with weight loss or cancer, back pain with fever",
        [near(r"pain|ache|aching|hurts", r"at night|every night|wakes me|waking me|woke me|night pain"
            r"|in the night|keeps me up", 8), near(
            r"<BACK>",
            r"fever|feverish|chills|night sweats", 14)],
        also=[r"(?:unexplained|losing|lost|dropped|without trying)~6 (?:weight|kg|kilos|pounds|lbs|trying)"
            r"|weight loss|cancer|tumou?r|chemo|fever|feverish|chills|night sweats"],
        unless=r"<GENERAL>", calm=r"goal|want to lose",
    ),
)  # fmt: skip

_MUSCLE: Final = (
    grammar.rule(
        _MEDICAL, "urine the colour of cola, tea or blood",
        near(r"<URINE>", r"dark brown|brown|brownish|cola|coke|coca|pepsi|tea|coffee|rust|rusty|red|reddish"
            r"|pink|blood|bloody|black|dark|darker|maroon|orange|guinness|iced tea|root beer|mahogany"
            r"|burgundy", 8),
        unless=r"dark yellow|darker yellow|dark y[a-z]+|<GENERAL>|beetroot|beets|beet"
            r"|drink(?:ing)? (?:coffee|tea|coke|cola)|coffee (?:makes|made)|makes me pee|make me pee"
            r"|light yellow|pale|clear",
        calm=rf"{CALM}|vitamin|dehydrat(?:ed|ion)|b12|multivitamin|drink more water",
    ),
    grammar.rule(
        _MEDICAL, "rhabdomyolysis",
        [r"(?:have|having|got|get|getting|is this|this is|think|be|might|maybe|could|it|signs? of"
            r"|symptoms? of|possible|suspect|like|worried about|scared of|diagnosed with)~3 (?:rhabdo"
            r"|rhabdomyolysis)"],
        unless=r"<GENERAL>|uncle rhabdo", calm=CALM,
    ),
    grammar.rule(
        _MEDICAL, "swollen muscles that do not move",
        near(r"(?:arms?|legs?|thighs?|biceps?|quads?|forearms?|triceps?|muscles?|pecs?|shoulders?)(?: are"
            r"| is| have| has| got| feel| so| really| very| super| extremely| still)* (?:<SWELL>)",
            r"(?:<CANT>)~1 (?:bend|straighten|move|lift|extend|feel|use|close)|rock hard|hard as"
            r"|(?:<URINE>)|days", 14),
        unless=r"<GENERAL>|pump", calm=CALM,
    ),
    grammar.rule(
        _MEDICAL, "signs of a clot in the leg",
        [
            near(r"calf|calves|lower leg|behind my knee|shin|thigh|one leg|left leg|right leg|leg|leg vein",
                r"(?:<SWELL>)|(?:hot|warm|red|redness|heat|throbbing|hard)~4 (?:hot|warm|red|swollen"
                r"|swelling|tender|painful|pain|hurts|throbbing|touch|hard|sore)|(?:swollen|swelling|tender"
                r"|painful|pain|hurts|aching|throbbing|red|sore)~5 (?:hot|warm|red|redness|heat|swollen"
                r"|swelling)|(?:hot|warm) to (?:the )?touch|feels (?:hot|warm)", 7),
            r"(?:think|have|got|having|be|maybe|might|could|is this|possible|suspect(?:ed)?|worried~3"
            r"|signs? of|symptoms? of|it|a) (?:a |an )?(?:dvt|deep vein thrombosis|blood clot|clot"
            r"|thrombosis|pulmonary embolism)",
            r"(?:calf|calves|leg)~5 (?:pain|hurts?|sore|ach(?:es|ing)|cramp(?:ing)?|tight)~12 (?:flight"
            r"|plane|flew|flying|long haul|surgery|operation|cast|bed rest)|(?:flight|plane|flew|long haul"
            r"|surgery|operation)~14 (?:calf|leg) (?:pain|hurts?|is (?:sore|painful|hurting|throbbing"
            r"|swollen))",
        ],
        unless=r"pump(?:ed)?|<GENERAL>|bump(?:ed)?|shin splints|compression|red light|bruise|bruised"
            r"|bruises|kicked|huge (?:calves|legs|fan|difference|pump)|huge",
        calm=CALM,
    ),
)  # fmt: skip

_JOINTS: Final = (
    grammar.rule(
        _MEDICAL, "a locked joint",
        [r"(?:<JOINT>)~3 (?:locked|stuck|jammed|locks|locking|frozen)(?! out)",
            r"(?:locked|jammed|stuck) (?:<JOINT>)"],
        also=[r"(?:<CANT>)~2 (?:bend|straighten|move|extend|unlock|open|close|put weight|walk)|wont (?:bend"
            r"|move|straighten|budge)|up|stuck|in place|position|at \d+ degrees|pain|swollen|hurts"],
        unless=r"<GENERAL>|lock(?:ing|ed)? (?:my |your |the )?(?:knees|elbows)|locked out|frozen peas"
            r"|frozen shoulder|straight and locked|stuck (?:at|on)", calm=CALM,
    ),
    grammar.rule(
        _MEDICAL, "a joint that gives way",
        r"(?:knees?|ankle|hip|shoulder|elbow)~4 (?:gives? way|gave way|giving way|gives? out|gave out"
        r"|giving out|buckl(?:es|ed|ing)|buckle|slips? out|slipped out|slides? out|feels? (?:unstable"
        r"|loose)|is (?:unstable|loose)|unstable|wobbles? and)",
        unless=r"<GENERAL>|cue|valgus|dont let", calm=rf"{CALM}|last rep|final rep|lol",
    ),
    grammar.rule(
        _MEDICAL, "a pop or snap with swelling or loss of use",
        r"(?:pop|popped|popping|snap|snapped|crack|cracked|tore|torn|rip|ripped|ripping|tear|crunch|twang"
        r"|bang|rupture|ruptured|rolled|twisted)(?: [^ .]+){0,8} (?:<LIMB>)|(?:<LIMB>)~8 (?:pop|popped|snap"
        r"|snapped|crack|cracked|tore|torn|rip|ripped|tear|crunch|ruptured|rolled|twisted)|(?:felt|heard"
        r"|feel|hear) (?:a|something|it|the|like a)~3 (?:pop|snap|tear|rip|crack|give|ping|twang)",
        also=[r"<SWELL>|(?:<CANT>)~2 (?:walk|bear|put|move|bend|straighten|lift|raise|stand|feel|use|grip)"
            r"|weight on it|weight bearing|deformed|dent|gap|hole|bunched|rolled up|lump|gave way|numb"
            r"|instant(?:ly)?~3 pain|intense pain|severe pain|excruciating|agony|unbearable|shooting pain"],
        unless=r"popped a pr|rip (?:a|my) (?:callus|callous|hand)|ripped (?:a|my) (?:callus|callous|palm"
            r"|pants|shorts|leggings|hands?)|ripped (?:body|physique|abs)|get ripped|<GENERAL>|no pain"
            r"|no swelling|without pain|painless|snapped (?:a|my) (?:band|picture|photo)|pants|shorts"
            r"|band snapped",
        calm=rf"{CALM}|cant bear to",
    ),
    grammar.rule(
        _MEDICAL, "a pop with pain",
        r"(?:felt|heard|feel|hear) (?:a|something|it|the|like a)~3 (?:pop|snap|tear|rip|crack|give|ping|twang)",
        score=0.4, unless=r"no pain|<GENERAL>|painless|crackl[a-z]+",
    ),
    grammar.rule(
        _MEDICAL, "a deformed or dislocated limb, an open wound",
        [
            r"(?:<LIMB>)~4 (?:deformed|dislocated|out of (?:place|its socket|the socket|joint|socket)"
            r"|wrong (?:way|angle|direction)|sticking out|bent (?:the wrong|at a weird|weirdly|backwards)"
            r"|crooked|weird angle|strange angle|odd angle|funny angle|misshapen|popped out|came out of"
            r"|slid (?:to the side|out|sideways|off)|slipped (?:to the side|out|sideways)|shifted to)",
            r"(?:bone|bones)~3 (?:sticking|poking|coming|visible|showing|through|exposed|broke|broken)"
            r"|(?:deformed|dislocated|misshapen) (?:<LIMB>)|dislocated|compound fracture|(?:broke|broken"
            r"|fractured|snapped) (?:my|his|her|a) (?:leg|arm|ankle|wrist|foot|hand|neck|back|collarbone"
            r"|hip|femur|shin|bone|finger|toe|rib|ribs)",
            r"(?:<CANT>)~2 (?:put|bear|place)~2 (?:any )?weight (?:on|through)|(?:<CANT>) walk on (?:it|my)"
            r"|(?:bleeding|blood)~5 (?:wont stop|not stopping|doesnt stop|everywhere|pouring|gushing"
            r"|spurting|a lot|heavily)|(?:pouring|gushing|spurting) (?:with )?blood|bleeding (?:heavily"
            r"|badly|a lot|out)|deep (?:cut|gash)|lost a lot of blood",
        ],
        unless=r"<GENERAL>|broke (?:my|his|her) (?:back|neck|leg) (?:trying|to get|for)|break a leg"
            r"|bone broth|bone density|bracelet|shoulder (?:press|day)", calm=
            rf"{CALM}|last (?:month|winter|summer|spring)|months? (?:post|after|since)|healed|recover(?:ed"
            rf"|ing|y)|rehab|physio|surgery|weeks ago|cast came off|old injury|easing back",
    ),
    grammar.rule(
        _MEDICAL, "severe pain with numbness",
        near(r"severe pain|excruciating|unbearable pain|worst pain|pain is unbearable|agony|10/10|10 / 10"
            r"|ten out of ten|10 out of 10",
            r"numb|swell(?:ing)?|swollen|stomach|abdomen|abdominal|belly|testicle|side|cant move"
            r"|cannot move|fever|muscles?|arms?|legs?|back|neck|knee|shoulder|head", 12),
        unless=r"<GENERAL>|effort|rpe|rated|review|recommend|instructor|coach|class|workout|would",
        calm=CALM, score=0.8,
    ),
)  # fmt: skip

_PREGNANCY: Final = (
    grammar.rule(
        _MEDICAL, "a warning sign in pregnancy",
        r"bleed(?:ing|s)?|spotting|blood|fluid|leak(?:ing|ed|s)?|waters?|gush|contractions?|dizzy|dizziness"
        r"|lightheaded|light headed|faint(?:ed|ing)?|passed out|headaches?|chest|calf|calves|weak|weakness"
        r"|breathless|short of breath|shortness of breath|breathe|baby (?:isnt|is not|hasnt|has not|stopped"
        r"|not|moving less)|(?:isnt|not|less|stopped|fewer|reduced|decreased|no)~2 (?:moving|movements?"
        r"|kick(?:s|ing)?)|blurr(?:y|ed)|see(?:ing)? (?:spots|stars)|(?:severe|bad|strong|sharp|painful"
        r"|regular|intense|awful|stomach|abdominal|tummy|belly)~2 (?:cramps?|cramping|pains?|ache)|swollen"
        r"|swelling|vomiting",
        also=[r"<PREGNANT>"],
        unless=r"<GENERAL>|chest (?:press|fly|supported)|blood (?:pressure is (?:fine|normal|good|ok)|type"
            r"|test|flow)|drink (?:more )?(?:water|fluid)s?|water (?:bottle|aerobics|intake|class|weights)"
            r"|waters? (?:class|aerobics)|in the water|swim[a-z]*|fluids|calf raises?|stretch[a-z]*",
        calm=rf"{CALM}|last pregnancy|first pregnancy|after pregnancy|postpartum|not pregnant|gave birth"
            rf"|was pregnant|avoid|should i avoid|safe to|bump(?:ed)? into",
    ),
    grammar.rule(_MEDICAL, "waters breaking or a miscarriage",
        r"(?:my |her )?waters? (?:just |have |has )*(?:broke|broken|breaking)|miscarr(?:iage|ying)"
        r"|going into labou?r|in labou?r|preterm labou?r", unless=
        r"<GENERAL>|water bottle|cooler|dispenser|fountain|main", calm=CALM),
)  # fmt: skip

RULES: Final = (*_SPINE, *_MUSCLE, *_JOINTS, *_PREGNANCY)
