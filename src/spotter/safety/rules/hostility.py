"""Threats to others, harassment, sexual content, minors, performance-enhancing drugs.

Gyms are full of friendly violence («I will crush you on Friday»). A threat needs somebody who does it, a violent deed
and a person it is done to; contests and jokes only warn. Questions about drugs and health are welcome: asking for
doses or a dealer is not.
"""

from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.grammar import Grammar, near
from spotter.safety.rules.shared import EXERCISE, IN_GENERAL

_THREAT: Final = CategoryName.THREAT
_HARASS: Final = CategoryName.HARASSMENT
grammar: Final = Grammar(
    {
        "EXERCISE": EXERCISE,
        "GENERAL": IN_GENERAL,
        "VICTIM": r"you|u|him|her|them|everyone|everybody|all of you|your (?:family|kids|wife|husband"
        r"|mother|mom|mum|dog|face|whole family)|that (?:guy|bitch|bastard|woman|man|trainer|coach|girl"
        r"|kid|idiot|dude|manager|asshole)|this (?:guy|bitch|bastard|woman|man|trainer|coach)|my (?:ex"
        r"|wife|husband|boss|girlfriend|boyfriend|neighbou?r|trainer|coach|coworker|colleague|roommate"
        r"|dad|mom|mum|mother|father|brother|sister|parents)|the (?:trainer|coach|manager|owner"
        r"|receptionist|staff|instructor|guy|girl|woman|man|members|people)|people|somebody|someone"
        r"|members|staff|women|men|kids|jews|muslims|gays|immigrants|his (?:face|family|kids|wife)"
        r"|her (?:face|family|kids)|their (?:family|kids)",
        "SLUR": r"nigger|niggers|nigga|faggot|faggots|fag|fags|kike|kikes|spic|spics|chink|chinks|gook"
        r"|gooks|tranny|trannies|wetback|wetbacks|raghead|ragheads|towelhead|paki|pakis|coon|coons|dyke"
        r"|retard|retards|retarded|sand ?nigger|shemale",
        "INSULT": r"idiots?|moron|morons|stupid|dumb|dumbass|worthless|pathetic|loser|losers|ugly"
        r"|fat (?:pig|cow|bitch|fuck|slob|ass|whale)|pig|cow|whale|useless|trash|garbage"
        r"|piece of (?:shit|crap|trash|garbage)|bitch|bitches|whore|slut|cunt|asshole|bastard|dickhead"
        r"|prick|wanker|scum|scumbag|disgusting|shithead|motherfucker|fucker|twat|freak|subhuman|vermin"
        r"|cockroach(?:es)?|parasites?|imbecile|clown",
    }
)
_CONTEST: Final = (
    r"leaderboard|competition|comp|challenge|race|match|game|fantasy|(?:at|in|on|during"
    r"|with) (?:the |tomorrows |fridays |our |a |next |this |todays )*(?:<EXERCISE>|gym|mat|court|ring)|lol"
    r"|haha|lmao|jk|just kidding|joking|playfully|video game|fortnite|fifa|chess"
)

_HOSTILE: Final = (
    grammar.rule(
        _THREAT, "a threat of violence",
        [
            r"(?:ill|i will|im going to|i am going to|im gonna|i gonna|gonna|going to|we will|were going to"
            r"|well|want to|wanna|i want to|id like to|i should|i swear ill|i could|somebody should"
            r"|someone should|lets|plan to|planning to|about to|i might|he will|hes going to|they will"
            r"|they are going to|has threatened to|threatened to|will) (?:just |really |literally |fucking "
            r"|actually |personally |come and |come over and |find and |go and |hunt down and "
            r"|come there and |so )*(?:kill|murder|stab|shoot|strangle|choke out|behead|burn|beat|beat up"
            r"|bash|punch|hurt|attack|rape|slaughter|execute|poison|maim|break|smash|kick|slit|run over"
            r"|assault|bury|butcher|knife|lynch|hang|torture|cripple|slap|jump|knock out"
            r"|hit) (?:the shit out of |the hell out of |the crap out of |every one of |all "
            r"|up )?(?:<VICTIM>)",
            r"(?:shoot|blow|bomb|burn|light|torch|set fire to|shooting|bombing|blowing|burning) (?:up "
            r"|down )?(?:the |this |your |that |their )(?:gym|place|building|school|office|club|studio"
            r"|house|home|car|whole place|whole gym)(?: up| down| on fire)?|(?:bring(?:ing)?|brought|take"
            r"|taking|carry(?:ing)?) (?:a |my |the |an )?(?:gun|knife|weapon|rifle|bomb|machete|pistol"
            r"|ar 15|glock) (?:to|into|in) (?:the |your |this )?(?:gym|school|work|class|club|studio"
            r"|office)|(?:plant(?:ed)?|put|there is|theres) (?:a |the )?bomb (?:in|at|under)|mass shooting",
            r"(?:break|smash|snap|bash|crush|slit|cut) (?:your|his|her|their) (?:neck|legs|kneecaps|knees"
            r"|face|skull|jaw|teeth|throat|head|fingers|bones)|(?:you|he|she|they)(?:re| are|s| is|ll"
            r"| will) (?:going to |gonna )?(?:be )?(?:dead|dead meat|a dead man|regret (?:it|this)"
            r"|pay for this)|(?:i )?know where (?:you|she|he|they) lives?|watch your back|(?:find"
            r"|hunt)~2 (?:you|her|him) (?:down |and |at home)*(?:kill|hurt|make you|and youll)?|make (?:you"
            r"|him|her) (?:suffer|bleed|pay with)|(?:you|they|he|she|women|jews|muslims|gays|immigrants"
            r"|all of them) (?:should|deserve to|must|need to) (?:die|be (?:killed|shot|hanged|gassed|raped"
            r"|burned))|put a bullet in|end (?:you|him|her)(?! up)|acid (?:in|on) (?:your|her|his) face",
        ],
        unless=r"hit (?:you|me) up|hit (?:the|my|your)|jump (?:rope|in|on|over|up|ahead|to)|kill (?:them"
            r"|it) (?:in|at|on)|break (?:the|my|your) (?:record|pr|plateau|habit)|beat (?:the|my|your|his"
            r"|her) (?:time|record|score|pr|pb)|well (?:hit|beat|smash)|slap (?:on|the)|(?:hurt"
            r"|kill) (?:you|me) to (?:try|ask|be|do|say)|wont hurt|hurt (?:your|their|my) (?:chances"
            r"|progress|back|feelings|recovery|gains)|end up|hit (?:someone|him|her|you) up|burn (?:the"
            r"|your|off)|(?:beat|run over|kick) (?:the|my) (?:clock|ball)|<GENERAL>|self ?defen[cs]e|boxing"
            r"|kickboxing|mma|sparring|bjj|krav|bury (?:the|my)",
        calm=rf"{_CONTEST}|beat (?:you|him|her|them)(?! up| to)",
    ),
    grammar.rule(_HARASS, "a slur", r"<SLUR>", score=0.85, unless=
        r"fag (?:end|break)|coon hound|retard(?:ed|ant) (?:foam|flame)|fire retardant|flame retardant"
        r"|chink in|dyke (?:road|trail|path)", negatable=False),
    grammar.rule(
        _HARASS, "an insult to a person",
        [
            r"(?:you|u|youre|ur|you are|hes|he is|shes|she is|theyre|they are|such a|fucking|fuckin|stupid"
            r"|what a|total|absolute|complete|dumb|ugly|fat|lazy) (?:are |is |a |an |the |such |so |just "
            r"|nothing but |really |fucking |fuckin |absolutely |complete |total |all |bunch of |absolute "
            r"|goddamn |damn |dumb |stupid |fat |ugly |lazy |little |bloody |biggest |old )*(?:<INSULT>)",
            r"(?:fuck|screw|damn|piss)(?: off)? (?:you|u|off you|this trainer|that trainer|him|her|them"
            r"|the trainer|the staff)|(?:go )?fuck (?:yourself|urself|yourselves|off)"
            r"|shut (?:the fuck )?up (?:you|bitch|idiot|stupid|bot|fat)|stfu|(?:nobody|no one) (?:likes"
            r"|loves|wants) (?:you|u|her|him)|(?:hate|despise) (?:you|u|that bitch|that fat|women|jews"
            r"|muslims|gays|black people|immigrants|foreigners|fat people|all women)|(?:suck"
            r"|eat) (?:my )?(?:dick|cock|shit)|eat shit|lick my|drop dead",
        ],
        score=0.5, unless=r"(?:im|i am|i feel|feel|me|myself|was i|am i)~3 (?:<INSULT>)|(?:stupid"
            r"|dumb) (?:question|questions|idea|mistake|thing|heavy|strong|hard|sore|early|machine|scale"
            r"|app|email|phone|diet|alarm|easy|simple|good|injury|knee|shoulder|tight|tired|joke)"
            r"|useless (?:at|without|for|information|machine|after|muscle)|disgusting (?:amount|shower"
            r"|taste|flavou?r|pump|weather)|hate you (?:coach|lol|for)|lol|haha|trash (?:can|bags?|bin)"
            r"|garbage (?:can|bags?)|pig(?:s in| tails)",
    ),
    grammar.rule(
        _HARASS, "degrading or stalking a person",
        r"(?:<INSULT>)~3 (?:should|deserves?)~2 (?:die|be (?:banned|shot|raped))|(?:keep|keeps"
        r"|been) (?:following|stalking|harassing|touching|groping|filming|photographing) (?:me|her|him"
        r"|women|girls|that)|(?:grop(?:e|ed|ing)|molest(?:ed|ing)?|upskirt|stalk(?:ed|ing)?|harass(?:ed"
        r"|ing)?|catcall(?:ed|ing)?) (?:me|her|him|women|girls|a|the|members)|(?:find|give|get"
        r"|tell)~3 (?:her|his|that (?:girls?|womans?|members?)) (?:home )?(?:address|number|phone number"
        r"|schedule)~6 (?:so i can|to (?:follow|wait|surprise)|without her|follow her)|(?:fat|ugly|old"
        r"|black|brown|gay|disabled) (?:people|women|men|members|girls) (?:are (?:disgusting|gross|lazy"
        r"|subhuman|inferior)|should (?:not|be banned|stay|leave|die)|(?:dont|do not) belong)",
        score=0.7, unless=r"<GENERAL>", calm=r"being harassed|harass(?:ed|ing) me|stalk(?:ed|ing) me"
            r"|grop(?:ed|ing) me|touching me|following me|filming me|keeps",
    ),
)  # fmt: skip

_EXPLICIT: Final = (
    r"porn|porno|pornhub|pornographic|nudes?|dick ?pics?|blow ?jobs?|hand ?jobs?|rim ?job"
    r"|jerk(?:ing)? (?:me |him |it )?off|wank(?:ing)?(?! er)|masturbat(?:e|es|ing|ion)|horny|cum(?:ming"
    r"|shot)?|orgasms?|anal sex|oral sex|deep ?throat|creampie|gangbang|threesome"
    r"|cock|pussy|pussies|tits|titties|boobs|clit|dildo|vibrator|bdsm|hentai|onlyfans|sext(?:ing)?"
    r"|erotic(?:a)?|fuck (?:me|her|him|you hard|my)|fucking (?:her|him|my|you) (?:hard|in)|sex (?:with|chat"
    r"|story|scene|tape|slave|doll|toys?|with me)|have sex|having sex|hook ?up with me|get naked"
    r"|take (?:off )?your (?:clothes|panties|bra|top) off|naked (?:pics?|pictures?|photos?|selfies?|video)"
    r"|suck (?:my|your|his) (?:dick|cock|tits)|ride my (?:dick|cock|face)|eat (?:me|you|her) out|spank me"
    r"|rape fantasy|sexy (?:pics?|photos?|pictures|roleplay|talk)|dirty talk|talk dirty|sexual (?:favou?rs?"
    r"|roleplay|fantasy|fantasies|content|act|acts)|seduce|make love to"
)
_SEXUAL: Final = (
    grammar.rule(
        CategoryName.SEXUAL, "explicit sexual content", _EXPLICIT,
        unless=r"before (?:a |the |my )?(?:workout|competition|race|match|training|game|gym|lifting)"
            r"|after (?:a |the |my )?(?:workout|surgery|birth|hip|training)|testosterone|gains"
            r"|pelvic (?:floor|pain)|libido|recovery|health|doctor|hamstring|nude (?:colou?r|leggings|shade"
            r"|tone)|cock(?:ed|pit|tail|y)|moot cock|cum laude|lower boobs|sports? bra|bra|bounce"
            r"|boobs (?:hurt|sore|bounc[a-z]+|get in the way|jiggle)|pussy ?(?:cat|willow|out|foot(?:ing)?)"
            r"|(?:dont|do not|being|be|such|a|stop being|little) (?:a )?pussy|performance|affect|effect"
            r"|postpartum|contracepti[a-z]+|std|condoms?|tits up|stretch",
        score=0.8, negatable=False,
    ),
    grammar.rule(
        CategoryName.MINORS, "sexual content with minors",
        near(r"child|children|kid|kids|minor|minors|underage|under age|teen|teens|teenage|teenager|preteen"
            r"|little (?:girl|boy)s?|young (?:girl|boy)s?|school ?(?:girl|boy)s?|toddler|baby|infant|lolita"
            r"|loli|shota|(?:[4-9]|1[0-7]) ?(?:year|yr|yo|y o)s?(?: old)?|(?:ten|eleven|twelve|thirteen"
            r"|fourteen|fifteen|sixteen|seventeen|six|seven|eight|nine) ?(?:year|yr)s?(?: old)?|daughter"
            r"|son|niece|nephew|my students?|jailbait|barely legal|8th grader|middle school(?:er)?",
             _EXPLICIT + r"|sex|sexy|sexual|sexually|sexuali[sz]ed|naked|undress(?:ed|ing)?|molest(?:ed"
                 r"|ing)?|grop(?:e|ing)|touch (?:her|him|them)|seduc(?:e|ing)|aroused?|lust|hot for"
                 r"|turned on|attracted to|fetish|date (?:a|her|him)|kiss(?:ing)?|undressing", 8),
        unless=r"sex education|safeguarding|prevent|protect|report(?:ed|ing)?|abuse (?:prevention|awareness"
            r"|policy|training)|pregnan[a-z]+|breast ?feed[a-z]*|<GENERAL>|sex of|same sex|single sex"
            r"|unisex|mixed sex|daughter (?:was|is) (?:harassed|groped)|goodnight|kiss (?:goodbye"
            r"|good night|the kids)|changing rooms?|sex (?:of the )?baby",
        score=0.95, negatable=False,
    ),
    grammar.rule(CategoryName.MINORS, "abuse material by name",
        r"child porn(?:ography)?|csam|kiddie porn|loli(?:con)?|shotacon|jailbait|cp (?:videos?|links?|pics?"
        r"|trade|images?)|pedo(?:phile)? (?:content|videos?|pics?)|preteen (?:nudes?|models?|pics?)", score=0.97,
        negatable=False, unless=
        r"report|<GENERAL>"),
)  # fmt: skip

_SUBSTANCE: Final = (
    r"tren|trenbolone|test e|test c|test cyp|test prop|test enanthate|test cypionate"
    r"|testosterone(?: enanthate| cypionate| propionate| injections?| gel)?|sustanon|sust|pct plan|deca|deca durabolin"
    r"|nandrolone|dbol|dianabol|d bol|anavar|oxandrolone|var|winstrol|winny|stanozolol|anadrol|a50"
    r"|superdrol|masteron|primo|primobolan|halo|halotestin|equipoise"
    r"|boldenone|turinabol|tbol|clen|clenbuterol|t3|cytomel|dnp|dinitrophenol|hgh|growth hormone|somatropin"
    r"|sarms?|ostarine|rad ?140|lgd ?4033|ligandrol|cardarine|mk ?677|ibutamoren|yk11|s23|epo"
    r"|erythropoietin|igf ?1|hcg|nolvadex|clomid|arimidex|anabolics?|anabolic steroids?|anabolic steroid"
    r"|steroids?|roids|juice|gear|ephedrine|eca stack|insulin (?:for (?:bulking|muscle|gains))|peptides?"
    r"|bpc ?157|tb ?500|ozempic without|semaglutide without|adderall|cocaine|coke|meth|methamphetamine"
    r"|amphetamines?|speed pills|ghb|trestolone|ment|slin"
)
_DRUGS: Final = (
    grammar.rule(
        CategoryName.DRUGS, "doses or sources of performance drugs",
        [
            near(_SUBSTANCE, r"dos(?:e|es|age|ing)|how much|how many|mg|mcg|iu|ius|ml|cc|cycles?|stack"
                r"|stacking|inject(?:ing|ion|ions|able)?|pin|pinning|buy|buying|sourc(?:e|es|ing)|order"
                r"|dealer|plug|get hold of|get my hands on|where (?:can|do|to|could|would)|run|running"
                r"|blast|blasting|cruise|cruising|protocol|first timer|beginner cycle|pct|per week|a week"
                r"|every other day|eod|sell|selling|black market|underground lab|ugl|taper|hop on"
                r"|hopping on|jump on|start(?:ing)?|week \d+|weeks?|recommend|best|plan|schedule"
                r"|without (?:a )?prescription|online|legit", 8),
        ],
        unless=r"(?:doctor|(?<!without )(?<!without a )(?<!no )prescri[a-z]+|trt|endocrinologist|physician"
            r"|clinic|gp|consultant|specialist|hormone replacement|hrt)|natural(?:ly)?|boost(?:ing)?"
            r"|low testosterone|raise (?:my )?testosterone|increase (?:my )?testosterone|(?:cortico"
            r"|cortisone)|cortisone|inhaler|asthma|prednis[a-z]+|cream|nasal|eczema|creatine|whey"
            r"|collagen peptides?|collagen|diabet[a-z]+|coke (?:zero|float)|diet coke|juice (?:cleanse|bar"
            r"|detox|fast)|(?:orange|apple|beet|beetroot|cherry|tart|pickle|green|fresh|fruit|lemon|celery"
            r"|tomato|cranberry|carrot|vegetable) juice|glass of juice|lifting gear|running gear|gym gear"
            r"|gear (?:bag|shop|for|up)|(?:workout|winter|rain|hiking|cycling|safety|training|new|my|the"
            r"|your|swim|boxing|what|top|low|first|second|right|lower|easy|higher|bike) gear|halo (?:top"
            r"|effect)|test (?:day|week|results?)|blood test|drug (?:test|policy|free)|anti ?doping"
            r"|side effects?|risks?|dangers?|dangerous|bad for|harm(?:s|ful)?|avoid|banned|cheat(?:ing"
            r"|ers?)?|natty|<GENERAL>|juice (?:after|before|with|and)|t3 (?:spine|vertebra|level)|ment to"
            r"|speed|best before|mobile|var result|primo coffee|dumbbell run",
        score=0.8, negatable=False,
    ),
    grammar.rule(
        CategoryName.DRUGS, "where to get them, how to use or hide them",
        [
            rf"(?:where|how|who|anyone|someone|can you|know a|get me|hook me up|best place|which)~8 (?:buy"
            rf"|get|source|order|score|sell|find|deal|inject|pin|use|take|start|hide|pass|cycle|dose|stack"
            rf"|run)~6 (?:{_SUBSTANCE})",
            rf"(?:want|wanna|going|gonna|thinking|should i|plan|planning|ready|decided|would you|help me"
            rf"|design|write|give me|make me|build me|put me)~5 (?:take|try|start|run|use|hop on|do|get on"
            rf"|cycle|inject|pin|stack|blast|on)~4 (?:{_SUBSTANCE})",
            r"(?:beat|pass|cheat|fool|trick|mask)~3 (?:a |the |my )?(?:drug|doping|steroid|anti doping"
            r"|urine) (?:test|screen|control)|(?:steroid|tren|test|sarms?|anabolic|deca|dbol|anavar"
            r"|clen) (?:cycle|stack|protocol|dosage|dose)|(?:on|hop on|hopping on|get on"
            r"|blast and) (?:the )?(?:gear|juice|roids|sauce)(?: cycle| stack)?|dnp",
        ],
        unless=r"doctor|(?<!without )(?<!without a )(?<!no )prescri[a-z]+|trt|endocrinologist|physician|hrt"
            r"|cortisone|inhaler|asthma|prednis[a-z]+|natural(?:ly)?|creatine|whey|collagen|diabet[a-z]+"
            r"|diet coke|coke zero|(?:orange|apple|beet|beetroot|cherry|tart|pickle|green|fresh|fruit|lemon"
            r"|celery) juice|glass of juice|(?:lifting|running|gym|workout|winter|rain|hiking|cycling"
            r"|safety|training|swim|boxing|new) gear|should i (?:avoid|worry)|side effects?|risks?"
            r"|dangerous|why (?:do|are|is)|drug policy|anti doping (?:policy|rules)|juice (?:cleanse|detox"
            r"|bar|after|before)|<GENERAL>|test my|gear (?:for|up)",
        score=0.8, negatable=False,
    ),
    grammar.rule(
        CategoryName.DRUGS, "performance drugs mentioned", r"tren|trenbolone|dianabol|dbol|anavar|winstrol"
            r"|anadrol|clenbuterol|sarms?|ostarine|rad ?140|hgh|anabolic steroids?|steroids|roids|dnp"
            r"|mk ?677|cocaine",
        score=0.3, unless=r"cortico|cortisone|inhaler|prednis[a-z]+",
    ),
)  # fmt: skip

RULES: Final = (*_HOSTILE, *_SEXUAL, *_DRUGS)
