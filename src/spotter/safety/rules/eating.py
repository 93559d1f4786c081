"""Signs of an eating disorder: starving, purging, compensating. They get support and no number to chase.

Fasting windows, cutting phases, cheat meals and «I ate too much pizza» are ordinary gym talk and pass.
"""

from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.grammar import Grammar
from spotter.safety.rules.shared import EXERCISE, IN_GENERAL, LONG_AGO

_EATING: Final = CategoryName.EATING_DISORDER
grammar: Final = Grammar(
    {
        "EXERCISE": EXERCISE,
        "GENERAL": IN_GENERAL,
        "AGO": LONG_AGO,
        "LOSE": r"lose weight|losing weight|weight loss|skinny|skinnier|thin|thinner|lighter|drop (?:weight"
        r"|kilos|pounds|kg)|flat stomach|the scale|fat|weight|kilos|kg|pounds|summer|wedding|calories"
        r"|shred",
        "LITTLE": r"(?:[1-9]\d|[1-7]\d\d|zero|no|0|two hundred|three hundred|four hundred|five hundred"
        r"|six hundred)(?: (?:to|or) \d+)?",
    }
)
_CALM: Final = r"<AGO>|<GENERAL>|recovered|recovery|recovering|in remission"

RULES: Final = (
    grammar.rule(
        _EATING, "making oneself sick",
        [
            r"(?:mak(?:e|es|ing)|made|force|forcing|forced) (?:myself|yourself|me|herself"
            r"|himself) (?:to )?(?:throw(?:ing)? up|vomit(?:ing)?|puke|sick|be sick|barf|purge|gag)"
            r"|(?:throw(?:ing|s|n)?|threw) up~4 (?:my food|my meals?|what i (?:ate|eat)|after (?:eating"
            r"|meals?|dinner|lunch|every|each|i eat)|on purpose|everything i (?:eat|ate)|to (?:lose|stay"
            r"|get|not gain))|(?:vomit(?:ing)?|puk(?:e|ing))~3 (?:after (?:eating|meals?|every|each|dinner"
            r"|lunch)|on purpose|to lose)|fingers? down (?:my|your) throat|induc(?:e|ing) vomiting",
            r"(?:binge|bingeing|binging|binged|eat|eating)~3 (?:and|then|or|n)~3 purg(?:e|ing|ed)|(?:i|been"
            r"|keep|started|want to|need to|started) (?:purge|purging|purged)|purg(?:e|ing) (?:after|my"
            r"|again|every|meals?|food|to)|purging|(?:laxatives?|diuretics?|water pills|ipecac"
            r"|enemas?)~10 (?:<LOSE>|after (?:eating|meals?|dinner)|binge)|(?:<LOSE>)~10 (?:laxatives?"
            r"|diuretics?|water pills|ipecac|enemas?)|abus(?:e|ing) laxatives?|(?:take|takes|taking|took"
            r"|swallow|use|uses|using|used|rely on) (?:\d+ |more |a lot of |so many |some )?laxatives",
        ],
        unless=r"purg(?:e|ing) (?:the|old|our|my closet|my kitchen|my inbox|members|data|emails|cache"
            r"|records|list|database)|doctor (?:gave|prescribed)|constipat[a-z]+|food poisoning"
            r"|stomach (?:bug|flu)|pre ?workout made|<GENERAL>", calm=_CALM,
    ),
    grammar.rule(
        _EATING, "starving oneself",
        [
            r"starv(?:e|es|ing|ed|ation) (?:myself|yourself|herself|himself|my ?self|mode on purpose|diet"
            r"|to)|(?:want|going|trying|gonna|wanna|how|plan|able|easier|need)~3 starve(?! (?:cancer|the))"
            r"|skip(?:ping|ped)? (?:all (?:of )?(?:my )?meals|every meal|meals (?:for days|all week"
            r"|every day|to (?:lose|get|be)))|(?:stop|stopped|quit|quitting|avoid) eating (?:altogether"
            r"|completely|entirely|anything|for (?:days|a week|\d+ days|two|three)|food|until|so i"
            r"|to (?:lose|get|be))",
            r"(?:havent|have not|hasnt|didnt|not|wont|hadnt|barely|nothing|dont|cant let myself|refuse to"
            r"|refusing to|without|going without)~2 (?:eaten|eat|eating|ate|food)~4 (?:in|for|since|over"
            r"|all)~2 (?:\d+|two|three|four|five|six|seven|a few|several|a couple of|days|a week)~1 (?:days"
            r"|day|hours|week|weeks)",
            r"(?:eat|eating|ate|eaten|live|living|surviv(?:e|ing)|consume|consuming|limit(?:ing)? (?:myself"
            r"|my ?self)?|allow(?:ing)? myself|restrict(?:ing)?(?: myself)?|stick(?:ing)?|down|on|under"
            r"|only|less than|max|maximum|at)~4 (?:<LITTLE>) (?:kcals?|cals?|calories?)~3 (?:a|per|each"
            r"|every|/|daily|only|today|total|so|and|or|diet|$|for)",
            r"(?:eat|eating|ate|eaten) (?:nothing|no food|zero food)~3 (?:for|in|since|over)~2 (?:\d+|two"
            r"|three|four|five|six|seven|a few|several|a couple of|days|a) (?:days|day|week|weeks)"
            r"|(?:<LITTLE>) (?:kcals?|cals?|calories?) (?:a|per|/|each) day|(?:<LITTLE>) calorie (?:diet"
            r"|days?|limit|intake)|(?:how (?:little|few))~6 (?:eat|calories|survive)~8 (?:<LOSE>|without"
            r"|before|and (?:still )?(?:train|live|survive)|get away)|(?:lowest|least"
            r"|minimum)~4 (?:calories|eat)~8 (?:survive|without dying|alive|get away)|(?:only"
            r"|just) (?:drink|drinking|having|have|eat|eating) (?:water|coffee|diet coke|air|ice|celery"
            r"|gum)~5 (?:days?|week|to lose|all day|so i)|(?:water|dry) fast(?:ing)?~6 (?:\d+|two|three"
            r"|four|five|seven|ten|fourteen|a) (?:days|day|weeks?)|fast(?:ing)? for (?:[4-9]|[1-9]\d|four"
            r"|five|six|seven|ten|fourteen|a|two|three) (?:days|weeks?)(?! before)",
        ],
        unless=r"(?:burn(?:s|ed|ing|t)?|deficit|surplus|under maintenance|below maintenance|bowl|meal|snack"
            r"|breakfast|lunch|dinner|shake|serving|bar|left|remaining|add|extra|more|over|treadmill|watch"
            r"|apple watch|session|workout|protein|each meal|per meal|a meal|dessert|smoothie|per hour"
            r"|an hour|class)|ramadan|lent|religious|blood test|colonoscopy|surgery|flu|sick|stomach"
            r"|food poisoning|(?:im|i am) starving(?! my)|starving (?:after|now|today|right|lol|again)|dog"
            r"|cat|horse|<GENERAL>|before (?:my|the) (?:workout|training|session)|no time|busy|forgot",
        calm=_CALM, negatable=False,
    ),
    grammar.rule(
        _EATING, "an eating disorder by name, or its culture",
        [
            r"pro ?ana|pro ?mia|thinspo|thinspiration|bonespo|meanspo|ana (?:buddy|coach|tips|diet)"
            r"|ana and mia|abc diet|anorexia tips|how (?:to|can i|do i|could i) (?:be|become"
            r"|get) (?:anorexic|bulimic)|want to (?:be|become) (?:anorexic|bulimic)|wish i (?:was|were"
            r"|had) (?:anorexic|anorexia|bulimic)",
            r"(?:relaps(?:e|ed|ing)|my|have|having|struggl(?:e|ing)|suffer(?:ing|s)?|fighting|battling|with"
            r"|got|diagnosed|slipping|falling|going back|think i|i am|im|becoming"
            r"|back) (?:back )?(?:in ?to |with |from |my |an |a |i |have |am |be |becoming |getting |old "
            r"|to |developing )*(?:anorexi[ac]|bulimi[ac]|orthorexi[ac]|eating disorder|disordered eating"
            r"|binge eating disorder|ed thoughts|bed and|ed again|ednos)",
            r"(?:chew(?:ing)? and spit(?:ting)?|body checking|hid(?:e|ing) (?:my |the |that )?(?:food"
            r"|not eating|weight loss|im not eating|i dont eat|eating disorder|how little)"
            r"|pretend(?:ing)? (?:to eat|i ate|ive eaten)|lie about eating|trick(?:s|ing)? (?:to"
            r"|for) (?:not eat|skip(?:ping)? meals|suppress(?:ing)?|hide)|(?:hide"
            r"|hiding)~4 (?:from (?:my )?(?:parents|mum|mom|doctor|husband|wife|family))~6 (?:eat|eating"
            r"|food|weight)|make my (?:ribs|bones|collarbones|hip ?bones) (?:show|visible|stick out)"
            r"|see my (?:ribs|bones|collarbones|hip ?bones)|thigh gap|ribs showing)",
        ],
        unless=r"<GENERAL>|client has|hide the food from (?:my )?(?:kids|dog)", calm=_CALM,
    ),
    grammar.rule(
        _EATING, "guilt about eating, compensation",
        [
            r"(?:guilty|guilt|disgust(?:ed|ing)|ashamed|shame|hate myself|panic|terrified|scared|afraid"
            r"|anxious|fat and disgusting|gross|failure|cry|crying|punish(?:ing)? myself"
            r"|sick with)~8 (?:after (?:eating|i eat|meals?|every meal|food|dinner)|when(?:ever)? i eat"
            r"|every time i eat|for eating|of (?:eating|food|calories|gaining)|about (?:eating|food"
            r"|everything i eat)|to eat|because i ate|if i eat|i ate)",
            r"(?:every time i eat|when(?:ever)? i eat|after (?:eating|i eat|every meal))~8 (?:guilty"
            r"|disgust(?:ed|ing)|ashamed|hate|panic|punish|run|exercise|burn (?:it|everything)|throw|cry"
            r"|fat)|(?:dont|do not|didnt) deserve (?:to eat|food|dinner|lunch|breakfast|a meal)|(?:earn"
            r"|deserve) (?:my |the )?(?:food|dinner|meals?|right to eat)|not allowed to eat (?:until"
            r"|unless)|punish(?:ing)? myself (?:for eating|with (?:cardio|exercise|running|the gym))"
            r"|(?:burn|work|run|exercise) (?:off|out)~2 (?:every(?:thing)?|all)~3 (?:calorie|calories|bite"
            r"|ate|eat)|(?:exercise|train|run|work out|cardio)~4 (?:until i (?:faint|collapse|pass out"
            r"|throw up)|because i (?:ate|eat)|to make up for eating|to compensate for)"
            r"|cant stop (?:bingeing|binging|binge eating|weighing myself|counting calories"
            r"|thinking about food)|binge(?:ing|d|s)?~4 (?:every (?:night|day)|again and again|in secret"
            r"|secretly|out of control|and (?:hate|cry|cant)|cant stop|until (?:i(?:m| am) sick|it hurts))"
            r"|lost control~4 (?:eating|food|binge|binged)|secret(?:ly)? (?:binge|bingeing|eating|eat)"
            r"|weigh myself (?:\d+|ten|five|twenty|every hour|several|multiple|constantly)|obsess(?:ed|ing"
            r"|ive)~4 (?:calories|food|my weight|eating|the scale|being (?:thin|skinny))|(?:scared"
            r"|terrified|afraid|fear|petrified) (?:of|to) (?:eat(?:ing)?|food|carbs|calories"
            r"|gain(?:ing)?(?: weight| any)?)",
        ],
        score=0.7, unless=r"<GENERAL>|guilty pleasure|allerg[a-z]+|celiac|coeliac|deserve(?:d)? (?:a "
            r"|this )?(?:pizza|treat|burger)|earned (?:my|this) (?:pizza|burger|beer|treat|dessert)|lol"
            r"|haha|before (?:training|the gym|a run|running|workout)", calm=_CALM,
    ),
    grammar.rule(
        _EATING, "a dangerous wish about weight",
        [
            r"(?:lose|drop|shed|losing|cut)~3 (?:[1-9]\d|ten|twenty|thirty) ?(?:kg|kgs|kilos|pounds|lbs?"
            r"|lb)~3 (?:in|by|within|this|before)~2 (?:[1-9]|[12]\d|a|one|two|three|ten|this|next"
            r"|few) (?:days?|week|weekend)|want to (?:be|weigh) (?:underweight|3\d ?(?:kg|kilos)"
            r"|4[0-4] ?(?:kg|kilos)|[89]\d ?(?:lbs?|pounds))|bmi (?:of|under|below|at)~2 1[0-7]"
            r"|goal (?:weight|bmi) (?:of |is )?(?:3\d kg|1[0-7])|skip(?:ping)? (?:all (?:my )?meals"
            r"|every meal|meals (?:all|every|for|to))|how (?:can|do) i (?:stop (?:being|feeling) hungry"
            r"|suppress (?:my )?hunger|ignore hunger)~6 (?:days|fast|lose|skinny)|(?:binge|binged|bingeing"
            r"|binging)(?! ?watch)",
            r"how (?:do|can|to)~3 (?:get|become|be) (?:as )?(?:thin|skinny) (?:as|quick|fast|without)",
        ],
        score=0.5, unless=r"binge ?watch[a-z]*|binge(?:d|ing)? (?:watch[a-z]*|netflix|on netflix|the"
            r"|a series|series|shows?|season|episodes?|podcasts?)|<GENERAL>",
    ),
)  # fmt: skip
