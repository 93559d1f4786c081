"""Words that mean much the same to us, by the name they share: what was learnt about one holds for the others.

«A heavy feeling across my chest» and «weight on the breastbone» then have more in common than «my».
"""

from typing import Final

_CONCEPTS: Final = {
    # --- the body
    "CHEST": "chest chests breastbone sternum breast ribcage rib ribs heartburn bosom",
    "HEART": "heart hearts ticker heartbeat heartbeats pulse heartrate hr bpm palpitations palpitation "
        "arrhythmia afib",
    "LUNG": "breath breaths breathe breathing breathes breathless breathlessness lungs lung airway air "
        "wheeze wheezing "
    "wheezy puffed puff panting inhale exhale windpipe winded oxygen inhaler asthma respiration gasp gasping gasps",
    "HEAD": "head skull forehead temple temples scalp brain crown noggin concussion concussed migraine headache",
    "FACE": "face mouth lip lips cheek smile tongue eyelid eye eyes jaw chin speech speaking vision eyesight sight",
    "NECK": "neck nape throat collarbone",
    "ARM": "arm arms hand hands wrist wrists fingers finger forearm elbow elbows shoulder shoulders thumb "
        "bicep biceps",
    "LEG": "leg legs foot feet knee knees ankle ankles toe toes thigh thighs calf calves shin shins heel hamstring "
    "quad quads hip hips groin",
    "TRUNK": "back spine backbone spinal vertebra vertebrae lumbar tailbone lowback disc",
    "BELLY": "belly stomach tummy abdomen abdominal gut guts bowel bowels intestines appendix side flank "
        "kidney kidneys",
    "SADDLE": "saddle crotch genitals genital privates bum buttock buttocks perineum undercarriage balls testicle",
    "SKIN": "skin complexion rash hives welts",
    # --- what it feels like, what it does
    "PAIN": "pain pains painful hurt hurts hurting ache aches aching achey achy sore agony stabbing sharp throbbing "
    "throb stinging searing burning cramp cramps cramping twinge tender discomfort uncomfortable",
    "PRESS": "pressure tight tightness tighten tightening squeeze squeezing squeezed crushing crushed crush heavy "
    "heaviness heavier weight band clamp clamped vice vise elephant gripping grip grips clutching clutches clutched "
    "pressing constricted constriction strangled belt concrete brick anvil squashing squashed sitting "
    "standing kneeling",
    "NUMB": "numb numbness tingling tingly pins needles deadened tingle tingles prickly prickling dead "
        "wooden sensation "
    "feeling",
    "WEAK": "weak weakness drooping droopy droops drooped droop floppy limp paralysed paralyzed rubbery giving "
    "dangling dangles hanging sagging slurring slurred slur lopsided jelly heavier buckling buckled garbled "
    "gibberish",
    "SWELL": "swollen swelling swelled swell puffy ballooned bulging bulge balloon bigger enlarged twice "
        "inflated bump "
    "lump deformed bent crooked sideways dislocated misshapen poking",
    "FAINT": "faint fainted fainting faints collapsed collapse collapses unconscious blackout blacked unresponsive "
    "keeled flopped crumpled consciousness passed syncope limp woozy unrousable",
    "DIZZY": "dizzy dizziness lightheaded spinning spins vertigo giddy wobbly unsteady swaying seeing stars tunnel "
    "swimming swimmy headrush",
    "CONFUSE": "confused confusion disoriented disorientated muddled nonsense incoherent rambling delirious "
        "foggy blank "
    "forgets recognise recognize dazed vacant zoned glazed drowsy sleepy",
    "VOMIT": "vomit vomiting vomited vomits puke puked puking throwing threw sick nausea nauseous queasy retching "
    "heaving spewing spewed barf purge purging purged spew regurgitate upchuck chunder",
    "BLEED": "blood bleeding bleeds bled bloody gushing spurting clots clot haemorrhage soaking bleed",
    "URINE": "urine pee peeing wee weeing piss pissing urinate toilet loo bladder incontinent wet leaked "
        "leaking leak "
    "leaks bathroom trickle",
    "DARK": "cola coke tea brown dark rust rusty reddish maroon coffee treacle stout port chocolate",
    "FEVER": "fever feverish temperature temp shivering chills shivers hot burning sweats sweating clammy "
        "sweaty sweat",
    "PALE": "pale grey gray blue ashen white bluish purple waxy colour color",
    "PREG": "pregnant pregnancy trimester weeks waters contraction contractions baby bump fetus foetus expecting "
    "midwife preggers postpartum placenta labour wks bub",
    "SEIZE": "seizure seizures convulsing convulsion fit fitting jerking twitching shaking epilepsy "
        "epileptic foaming "
    "stiffened spasms",
    "SUGAR": "sugar glucose hypo diabetic diabetes insulin hba1c ketones glycemic metformin",
    "ALLERGY": "allergic allergy anaphylaxis anaphylactic epipen nuts peanut peanuts shellfish bee wasp "
        "stung sting hives",
    "HEAT": "heatstroke sauna sun overheated overheating boiling scorching",
    "RACE": "racing pounding fluttering flutter flutters thumping thudding hammering skipping skipped skips fluttery "
    "galloping irregular erratic jumping banging bouncing beats beating thump thud flipping flops",
    "STROKE": "stroke tia aneurysm",
    # --- time and course
    "SUDDEN": "suddenly sudden instantly immediately abruptly nowhere bang onset",
    "NOW": "now currently rn still tonight today atm constantly keeps ongoing tonite",
    "PAST": "ago years yrs previously childhood decade decades historic formerly once former",
    "RECOVERED": "healed cleared recovered discharged resolved settled gone normal fine ok okay sorted "
        "negative ruled",
    "NIGHT": "night nights overnight sleep asleep bed lying wake waking woke wakes",
    "LASTING": "minutes mins min hour hours hrs seconds secs week month months days",
    # --- people
    "ME": "i im ive id ill me my mine myself",
    "THEY": "he she his her him hes shes husband wife partner mum mom dad mother father son daughter friend mate "
    "brother sister client member guy man woman girl boy kid someone somebody uncle aunt gran grandad buddy "
    "bloke lady",
    "DOCTOR": "doctor doctors gp hospital ambulance er physio nurse cardiologist paramedic paramedics consultant "
    "surgeon clinic 911 999 112 specialist therapist counsellor psychiatrist crisis",
    "EXAM": "certification certificate studying exam course module quiz article documentary podcast poster leaflet "
    "training policy seminar workshop charity fundraiser awareness",
    # --- the will to live
    "DIE": "die dying died death suicide suicidal unalive kms dead funeral grave corpse ashes",
    "KILL": "kill killing killed kys slaughter murder murdering shoot shooting stab stabbing strangle throttle",
    "END": "end ending finish over disappear vanish gone exist existing exists existence goodbye goodbyes "
        "bye farewell "
    "quit escape leave stop ended checkout",
    "LIFE": "life live living alive lived lifetime world earth planet future tomorrow",
    "SELFCUT": "cut cutting cuts razor razors blade blades scars knife slice slicing burn burning carve scratch "
    "scratching lighter marks harm harming self sliced slash slashed slashing carved carving gouged scissors "
    "cigarette "
    "branded scars scar stabbed wrists wrist bled",
    "MEANS": "pills tablets paracetamol overdose rope noose bridge roof rooftop ledge cliff train tracks "
        "platform gun "
    "trigger stash stockpile stockpiled hoarding hang hanging jump jumping belt garage bleach balcony rails motorway "
    "lorry steering swerve veer oncoming crash crashing exhaust bleach antifreeze lethal fatal insulin "
    "antidepressants "
    "reservoir railing sleeping",
    "DESPAIR": "hopeless worthless pointless burden useless empty despair unbearable trapped numb failure "
        "hate loathe "
    "ashamed disgusting alone lonely unloved meaningless purpose point reason darkness bearable hollow fault deserve",
    "BETTEROFF": "better easier relieved miss notice care cope without relief",
    "FINALITY": "note letter letters will insurance passwords dog belongings cancel sorry forgive goodbye affairs",
    # --- eating
    "FOOD": "food eat eating ate eaten meal meals breakfast lunch dinner snack snacks calorie calories kcal "
        "cals carbs "
    "bread rice pizza cake apple lettuce cucumber pasta dessert",
    "NOEAT": "starve starving starved fast fasting fasted skip skipping restrict restricting nothing only water gum",
    "BINGE": "binge bingeing binged binges bingeing laxatives laxative laxies diuretics toothbrush fingers",
    "PUNISH": "punish punishment punishing earn deserve guilt guilty guilty compensate atone undo burnoff "
        "cancel allowed",
    "FAT": "fat fatter huge obese gross whale pig chubby skinny thin bones bone bony thinner skeleton "
        "underweight bmi "
    "ribs collarbones hipbones",
    "PERIOD": "period periods menstrual cycle amenorrhea",
    "SCALE": "scale scales weigh weighing weighed weighs kg kilos lbs pounds stone mirror weigh",
    # --- hostility, desire, substances
    "INSULT": "idiot idiots moron morons retard retarded bitch cunt slut whore loser ugly stupid trash scum "
        "filthy dirty "
    "vermin parasite pathetic worthless cow pig freak disgusting imbecile twat",
    "GROUP": "immigrants immigrant foreigners muslims muslim jews jew gays gay blacks black asians women trans "
    "disabled refugees gypsies mexicans indians country religion",
    "VIOLENCE": "punch smash break beat bash burn hit jaw teeth legs kneecaps hurt attack jump bury hospital petrol "
    "explode bomb weapon hammer bat fist slit throat gut choke",
    "SEXUAL": "naked nude nudes sex sexy horny dirty undressing undress topless underwear bra panties boobs tits ass "
    "fuck fucking strip porn erotic seduce sleep kiss moan sexting orgasm dick cock pussy nsfw",
    "CHILD": "child children kid kids minor minors teen teenager teenage 10 11 12 13 14 15 16 17 year yo "
        "junior juniors "
    "underage schoolgirl schoolboy pupil",
    "SECRET": "secret secretly alone private tell telling parents parent knowing hidden hide",
    "DRUG": "steroids steroid tren trenbolone test testosterone sust sustanon deca dianabol dbol anavar "
        "winstrol clen "
    "clenbuterol epo hgh sarms sarm pct cycle gear juice roids roid blast cruise trt ostarine rad140 nolvadex clomid "
    "dnp ephedrine insulin cocaine coke mdma adderall vial mg ml pin pinning anadrol masteron halotestin "
    "ecstasy weed",
    "BUY": "buy source order dealer supplier sell selling hook dose dosage dosing stack inject injecting amount",
    # --- orders to a model
    "IGNORE": "ignore disregard forget skip override bypass drop discard disobey neglect overrule cancel "
        "erase delete "
    "wipe void unlearn ignora ignorez ignoriere vergiss olvida oublie ignorar negeer dimentica esquece",
    "RULES": "rules rule instructions instruction guidelines restrictions restriction limits limitations "
        "policy policies "
    "constraints safeguards filter filters guardrails directives directive programming configuration training orders "
    "commands anweisungen regeln instrucciones reglas instrucoes regole istruzioni consignes regles "
    "instructies talimat",
    "BEFORE": "previous previously above prior earlier before preceding initial original everything "
        "vorherigen anteriores "
    "precedentes precedenti vorige eerdere",
    "PROMPT": "prompt prompts system sys developer hidden brief preamble context config backend setup configured",
    "REVEAL": "reveal show print repeat echo output display expose leak dump list disclose tell read paste "
        "quote recite "
    "share reproduce translate spill zeige muestra affiche mostra verbatim export",
    "MODEL": "ai assistant bot chatbot model llm gpt chatgpt agent agents machine robot claude language "
        "asistente ki ia "
    "assistente assistent",
    "ROLE": "pretend act roleplay dan jailbreak jailbroken mode character persona simulate imagine unrestricted "
    "unfiltered uncensored developer admin administrator root sudo superuser god owner debug maintenance",
    "TOOLDO": "send email forward post upload call execute run invoke transfer refund approve grant set "
        "change update "
    "curl fetch tool function api webhook url link http https",
    "DATA": "members member data database table records emails phone addresses password passwords keys key "
        "token tokens "
    "credentials secrets secret customers clients users user everyone list logs conversation",
    "STEALTH": "quietly silently without mention mentioning notify inform log logging hide invisible note confirm "
    "confirmation asking",
    # --- what ordinary messages are about
    "GYM": "gymterm workout workouts squat squats squatting bench benching benched deadlift deadlifts "
        "deadlifting burpee "
    "burpees lunge lunges plank planks sprint sprints sprinting interval intervals hiit crossfit wod amrap emom "
    "metcon "
    "row rows rower rowing erg bike spin cardio treadmill stairmaster elliptical circuit circuits reps rep set "
    "sets lift "
    "lifts lifting lifted curl curls dips crunches situps pushup pushups pullup pullups thrusters kettlebell "
    "kettlebells "
    "dumbbell dumbbells barbell barbells plates rack racks machine machines session sessions class classes yoga "
    "pilates "
    "bootcamp warmup cooldown deload hypertrophy bulk bulking programme program volume tempo rpe pr pb 1rm "
    "superset finisher "
    "glutes abs lats traps pecs delts core muscle muscles doms pump run runs running ran jog jogging 5k 10k "
    "marathon race "
    "swim swims swam laps pool sport sports football tennis boxing climbing hike hiking mobility stretch stretches "
    "stretching foam roller coach trainer instructor gym strength protein creatine macros wall",
    "ADMIN": "membership subscription account booking book booked bookings refund invoice payment price prices "
        "cost trial "
    "locker lockers reception timetable schedule slot slots parking towel towels shower showers sauna app wifi "
    "turnstile "
    "card contract pause paused renew renewal upgrade pass guest voucher email thursday monday tuesday "
    "wednesday friday "
    "saturday sunday easter january february march april june july august september october november december",
    "TRAVEL": "holiday holidays vacation trip travel travelling travels flight fly flying hotel italy spain "
        "abroad beach "
    "moving weekend wedding birthday party visiting honeymoon",
    "DEVICE": "phone battery watch garmin fitbit strava screen timer earbuds headphones bluetooth laptop alarm "
        "playlist music "
    "charger tv",
    "MEDIA": "movie film films series episode book novel song album game poster comic netflix soundtrack "
        "audiobook title "
    "watched watching binged",
    "KIT": "shoes shoe gloves straps chalk leggings shorts socks shirt bag bottle bands mat sweatband jersey "
        "suit jeans trainers",
    "CHEER": "love loved loving happy great proud fun awesome brilliant amazing thanks thank cheers lovely "
        "enjoy enjoyed "
    "enjoying excited best perfect nice keen yay worth",
    "TREAT": "burger burgers coffee beer pancakes cookies cookie chocolate kebab curry chips fries wine tacos "
        "sushi steak "
    "chicken oats shake smoothie yoghurt banana",
    "CRY": "cry crying cried tears sobbing sob sobbed weeping wept bawling",
    "CAR": "car drive driving drove wheel road tree traffic truck bus lane",
    "WATERS": "river canal sea lake pier ocean harbour lock",
    "HEIGHT": "height heights floor storey building window sill railing tower multistorey",
    "CHOOSE": "picked chosen chose decided decision planned planning plan date method",
    "FIX": "physio rehab cleared healed recovering recovery surgery op operation",
    # --- grammar
    "NO": "no not never dont doesnt didnt isnt wasnt arent cant couldnt wont without none nothing neither "
        "nor nope aint "
    "cannot havent hasnt hadnt wouldnt shouldnt zero barely hardly",
    "IF": "if when whether unless would could",
    "FUN": "lol haha lmao joke joking jk hehe kidding funny meme xd hilarious rofl",
    "ASK": "what how which why should can whats",
}  # fmt: skip


def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, words in _CONCEPTS.items():
        for word in dict.fromkeys(words.split()):
            found[word] = (*found.get(word, ()), name)
    return found


CONCEPTS_OF: Final = _by_word()
"""All concepts of a word; the first is the one that counts in pairs."""
_SMALL: Final = (
    "a an the of to and in is it its on at for that this was be been are so just with as or but from up by has had "
    "have do does did am there then than very really were will about also into get got some like"
)
SMALL: Final = frozenset(_SMALL.split())
"""Words that pairs reach over."""
