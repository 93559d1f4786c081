"""Thoughts of dying and of hurting oneself. Everything here leads to a kind answer and a number, never to a scolding.

Idioms of tired people («leg day makes me want to die») and old stories («years ago I wanted to die») only warn: the
answer goes on, with care.
"""

from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.grammar import Grammar
from spotter.safety.rules.shared import EXERCISE, IN_GENERAL, LONG_AGO

_SELF: Final = CategoryName.SELF_HARM
grammar: Final = Grammar(
    {
        "EXERCISE": EXERCISE,
        "GENERAL": IN_GENERAL,
        "AGO": LONG_AGO,
        "WANT": r"want|wants|wanted|wanting|wanna|wish|wishes|wished|wishing|going to|gonna|plan|plans"
        r"|planning|planned|thinking (?:of|about)|think(?:s)? (?:of|about)|thought (?:of|about)"
        r"|thoughts (?:of|about)|considering|consider|decided|ready|hoping|hope|urge|urges|tempted"
        r"|trying|try|tried|feel like|feels like|feeling like|will|would|might|could|should|about to"
        r"|need|intend|tonight|dream(?:ing)? (?:of|about)|fantasi[sz](?:e|ing) about|rather|prefer|just"
        r"|keep|going|better|ill|id|imagine|prepared|attempt(?:ed)?|want it",
        "ME": r"myself|my self|my own life|meself|mysel",
        "OTHER": r"himself|herself|themself|themselves|themselfs",
    }
)

# After a workout people say they want to die. It counts as slang only with the exercise as the cause, and without
# a word of despair.
_SLANG: Final = (
    r"(?:made|makes|making|make|had|has|got|gets) (?:me|us|you)(?: [^ .]+){0,3} (?:die|dead|kill)|(?:after"
    r"|during|from|because of|thanks to|doing|mid|another|one more|more|these|those|that|todays|tomorrows"
    r"|if i (?:have|had|see|hear|do)|every time i|when i|at|on)~6 (?:<EXERCISE>)"
    r"|(?:<EXERCISE>)~6 (?:want to die|wanna die|kill (?:me|myself))|lol|lmao|haha+|rofl|jk|just kidding"
    r"|joking|figuratively"
)
_DESPAIR: Final = (
    r"anymore|any more|no point|pointless|reali[sz]ed?|nobody|no one|alone|lonely|life|live|living|pills"
    r"|bridge|rope around|gun|knife|blade|razor|depress(?:ed|ion|ing)|hopeless|worthless|burden|hate myself"
    r"|hate my|everyone|therapist|tonight|goodbye|note|family|cry(?:ing)?|empty|numb|serious|seriously want"
    r"|really want|not joking|for real|cant go on|end it|suicid[a-z]+|anyway|doesnt help|not helping"
    r"|nothing helps|divorce|broke up|died|lost my"
)
_CALM: Final = (
    r"<AGO>|<GENERAL>|(?:dont|do not|didnt|did not|never|not|wouldnt|would not|not going to|no longer"
    r"|stopped)(?: [^ .]+){0,3} (?:want to |wanna |going to |gonna |wanting to |feel(?:ing)? like "
    r"|actually |really |be |think(?:ing)? (?:of|about) )*(?:die|dying|kill(?:ing)? myself"
    r"|hurt(?:ing)? myself|harm(?:ing)? myself|suicidal|suicide|end(?:ing)? my life)"
)

RULES: Final = (
    grammar.rule(
        _SELF, "killing oneself",
        [
            r"(?:kill|kills|killing|killed|off|offing|hang|hanging|hanged|shoot|shooting|drown|drowning"
            r"|stab|stabbing|poison|poisoning|end|ending|unalive|unaliving|overdose|delete|gas"
            r"|starve)~1 (?:<ME>)(?! (?:a favou?r|to death laughing))(?! to death)?".replace("(?! to death)?", ""),
            r"(?:kill|end|hang|shoot|unalive|take)~1 (?:my own life|my life|it all)|(?:tak(?:e|ing)"
            r"|end(?:ing)?|ended|took) (?:my|his|her|their) (?:own )?(?:life|lives)|end(?:ing)? it(?: all"
            r"| tonight| now| today| forever|$)|end it all|ending it all|(?:what if|wish|if) i (?:just "
            r"|finally )?(?:ended|end) it(?: all)?$|(?:finish|ending|stop) (?:it all"
            r"|everything) (?:for good|forever|tonight)",
            r"suicid(?:e|al|ality|es)|kms|kys|sewer ?slide|sui ?cide|unalive|commit sudoku|self ?delete"
            r"|killmyself|iwanttodie|wanttodie",
            r"(?:kill(?:ed|ing|s)?|hang(?:ed|ing)?|hung|shoot|shot|hurt(?:ing|s)?|harm(?:ed|ing|s)?"
            r"|cut(?:ting|s)?) (?:<OTHER>)",
        ],
        unless=r"(?:if i (?:have|had) to|one more|another)~6 (?:<EXERCISE>)~4 kill(?:ing)? myself"
            r"|(?:kill(?:ed|ing)?|killed) (?:myself|yourself|themselves|himself"
            r"|herself)(?: [^ .]+){0,3} (?:on|in|with|at|doing|during) (?:the |my |a |that |those |these "
            r"|this |todays |yesterdays )?(?:<EXERCISE>|gym)|hurt (?:himself|herself"
            r"|themselves)~6 (?:<EXERCISE>)|suicide (?:prevention|awareness|squad|hotline poster|door|doors"
            r"|bomber)|kill(?:ing)? myself laughing|kill myself (?:to|trying to) (?:get|hit|reach|make"
            r"|finish|lose|look)|cut (?:himself|herself|themselves) (?:some slack|off|shaving)",
        calm=_CALM, negatable=False,
    ),
    grammar.rule(
        _SELF, "killing oneself, with despair",
        r"(?:<WANT>)~4 (?:kill|killing|hang|hurt|end)~1 (?:<ME>|my life|it all)",
        also=[_DESPAIR], calm=_CALM, negatable=False,
    ),
    grammar.rule(
        _SELF, "wanting to die",
        [
            r"(?:<WANT>)~4 (?:die|be dead|dying|disappear (?:forever|for good|completely"
            r"|and never (?:come back|return|be found))|not exist|stop existing|not be here|not be alive"
            r"|stop living|cease to exist|never wake up|not wake up|sleep forever|jump off|jump in front"
            r"|step in front|drive (?:off|into)|crash my car|slit|bleed out|never have been born"
            r"|not (?:have been )?born|vanish forever|sleep and never wake)",
            r"(?:dont|do not|no longer|didnt|not|wouldnt|cant|cannot|doesnt|stopped|never"
            r"|not sure i)~3 (?:want to|wanna|wish to|care to|like to|feel like|see (?:a |any "
            r"|the )?(?:reason|point|purpose) (?:to|in|of)|have (?:a |any |the )?(?:reason|will|energy"
            r"|strength) to|deserve to|wanting to|bear to|stand to|have anything to)~2 (?:live|living"
            r"|be alive|be here|exist|existing|wake up|go on|be around|continue living|keep living"
            r"|carry on living|being alive|carry on|see tomorrow|live for)",
            r"(?:no|without|lost(?: the| my| all)?|not (?:much|any)|what is the|whats the|what|any|isnt any"
            r"|little|see no|is there a) (?:reason|point|purpose|will|meaning|desire"
            r"|hope)s? (?:left )?(?:to|in|of|for) (?:live|living|go on|going on|be alive|being alive|exist"
            r"|existing|life|go(?:ing)? on living|keep going|keep (?:on )?living|stay(?:ing)? alive"
            r"|carry on|wak(?:e|ing) up|my life|me to live)",
            r"(?:world|everyone|everybody|family|kids|wife|husband|they|people|you|friends|mum|mom|parents"
            r"|children|all)~5 (?:better|happier|easier|relieved)~3 (?:without me|if i (?:was|were|wasnt"
            r"|werent|died|disappeared|were dead|was dead|was gone|were gone|werent here|wasnt here"
            r"|didnt exist)|off without me|when im gone|once im gone)|better off (?:dead|without me"
            r"|not here)|be better off if i",
            r"(?:nobody|no one|who) (?:would|will|d) (?:care|miss me|notice|even notice"
            r"|even care)~3 if i (?:die|died|was gone|were gone|disappeared|killed|wasnt|werent)"
            r"|no ?body would miss me|if i (?:died|die|was dead|were dead|disappeared|dont wake up"
            r"|didnt wake up|never woke up)(?: [^ .]+){0,4} (?:care|notice|miss|better|matter|relief|fine"
            r"|ok|okay)",
            r"(?:cant|cannot|can not|couldnt|dont know how to|dont think i can"
            r"|dont know if i can) (?:live like this|live|keep living|go on living)(?: anymore| any more"
            r"| any longer| much longer| like this| with (?:this )?(?:life|pain inside)"
            r"| living)(?! (?:without|with (?:this )?(?:trainer|programme|program|diet|gym|schedule"
            r"|membership)))",
            r"(?:tired|sick|exhausted|done|over|finished|fed up|had enough)(?: and tired)? (?:of"
            r"|with) (?:living|life|being alive|existing|existence|everything in life|this life|my life"
            r"|waking up|being here|breathing)|life~3 (?:not|isnt|no longer|hardly|never) worth~2 (?:living"
            r"|it)?|not worth living|(?:ready|prepared|want) to (?:go|leave|be done)(?: with)? (?:forever"
            r"|for good|this world|this earth|this life|life|with life)|leave this world"
            r"|hate (?:being alive|living|my life so much)|should(?:nt| not)? (?:be|have been) (?:alive"
            r"|born)|wish (?:i |id )?(?:was|were|had)~2 (?:dead|never born|not alive|never been born|gone)"
            r"|deserve to die|(?:rather|sooner) be dead|(?:i|id) be dead by|dead inside and|death (?:wish"
            r"|would be|is the only|sounds)|longing for death|crave death|want it (?:all )?to (?:end"
            r"|be over|stop forever)|make it all (?:stop|end)|want (?:everything|the pain|this pain|life"
            r"|my life|it all) to (?:end|stop|be over)|final goodbye|goodbye (?:forever|world|note|letter)"
            r"|suicide note|wrote (?:my |a |the )?(?:goodbye|farewell|suicide|last) (?:note|letter|letters"
            r"|notes)|gave away my (?:things|stuff|belongings)|giving away my (?:things|stuff|belongings)"
            r"|wont be (?:here|around|alive) (?:tomorrow|much longer|anymore|next week|for long|any longer)"
            r"|last (?:message|workout|day) (?:ever |i will ever |before i (?:go|die|end))|no (?:way"
            r"|other way) out(?: of this life)?$",
        ],
        unless=rf"(?:live|living) (?:on|off|in|near|with|at|by|here|there|alone|so far"
            rf"|like a)(?! (?:this (?:world|earth|planet|life)|earth))|be (?:here|around) (?:at|on|in"
            rf"|before|after|until|so|every|all|for|by|\d+)|die (?:down|hard|cut|of (?:hunger|thirst))"
            rf"|(?:plant|plants|phone|battery|hair|trend|fad|car|app|laptop|bulbs?)~4 (?:die|dying)"
            rf"|(?:better|lighter|cheaper)~2 without me~3 (?:on|at) the|wake up (?:at|early|before|for|to"
            rf"|sore)|(?:want|wanna) to (?:go on|carry on) (?:with|a|the|holiday)|(?:diet|programme|program"
            rf"|membership|keto|app|job|coach|subscription|cardio|contract|gym)~3 anymore|{_SLANG}",
        calm=_CALM, negatable=False,
    ),
    grammar.rule(
        _SELF, "wanting to die, with despair that no workout explains",
        [r"(?:want|wants|wanna|wish|thinking about|think about|feel like|going to|gonna|rather|better off"
            r"|keep)~3 (?:die|dying|dead|not exist|not wake up|disappear forever)",
            r"(?:dont|do not) want to (?:live|be alive|be here|exist|wake up)"],
        also=[_DESPAIR],
        unless=r"die (?:down|hard)|(?:live|living) (?:on|off|near) (?!this|earth)[a-z]+"
        r"|be (?:here|around) (?:at|before|after|until)", calm=_CALM, negatable=False,
    ),
    grammar.rule(
        _SELF, "wanting to die, perhaps as a figure of speech",
        r"(?:want|wanna|wanted|going to|gonna|about to|wish)~3 (?:die|be dead)"
        r"|(?<!dont )(?<!not to )kill(?:ed|ing)? (?:myself|yourself)|kill me now|just kill me",
        score=0.4, negatable=False,
    ),
    grammar.rule(
        _SELF, "wanting an end, in other words",
        [
            r"(?:<WANT>|dark|thoughts (?:about|of))~4 end(?:ing)? (?:things|everything|my pain|the pain"
            r"|my suffering)|want(?:s|ed)? out of (?:this |my )?life|giv(?:e|en|ing) up on (?:life|living)"
            r"|(?:done|finished|through) (?:with|living) (?:this )?(?:life|world)",
            r"(?:easier|better|happier|best|simpler|relief|relieved|fine)~4 if i (?:was|were|wasnt|werent"
            r"|died|am|just died|would die)~2 (?:dead|gone|here|around|alive|born|disappeared)?|(?:better"
            r"|happier|easier|better off|relieved) without me(?! (?:on|at|in) the)|(?:wont|wouldnt"
            r"|would not|will not|nobody will|no one will|nobody would|who would) (?:even )?miss me",
            r"(?:nothing|nobody|no one|little|not much|not a thing)~2 (?:left )?to live for"
            r"|life~2 (?:has no|has lost|lost|without|holds no)~2 (?:meaning|purpose|point|value)|(?:hope"
            r"|wish|pray|praying|hoping)~3 (?:dont|never|wont|didnt|wouldnt|not) wake up|die in my sleep"
            r"|(?:rather|want to|going to|gonna|wanna|will|could) not (?:exist|be alive|live)"
            r"|(?:my )?life is over",
            r"(?:jump|jumping|leap|throw myself|throwing myself)~1 (?:off|from|in front of|under"
            r"|out of)~3 (?:bridge|roof|rooftop|building|balcony|cliff|train|trains|tracks|window|car|bus"
            r"|traffic|truck|tower)|(?:gun|pistol) to my head|bullet (?:in|through) my (?:head|brain)|noose"
            r"|drink(?:ing)? bleach|(?:walk|step|drive|swerve|run)(?:ing)? (?:in ?to|in front of"
            r"|off) (?:traffic|a train|a tree|a wall|the traffic|a bridge|a cliff|oncoming)|(?:do|doing"
            r"|done) something (?:bad|stupid|terrible|awful|drastic) to myself|goodbye (?:everyone"
            r"|everybody|world|forever|all of you)",
            r"(?:how|when|where|what|which) (?:id|i would|i d|ill|i will|i could|i should|to) (?:do it|use"
            r"|kill|die)~8 (?:pills|rope|gun|knife|bridge|train|tablets|razor|overdose|myself)|(?:cant"
            r"|cannot|can not|couldnt|dont think i can|dont know if i can) (?:do this|go on|take it"
            r"|take this|carry on|cope|keep doing this|keep going)~8 (?:life|live|living|alive|end|die|dead"
            r"|pain|hopeless|alone|pills|goodbye|depressed|worthless)|(?:cant|cannot) (?:live|go on living"
            r"|keep living)(?: like this| anymore| any longer| with myself)",
            r"(?:burn|burning|burned|cut|cutting|scratch|scratching|hit|hitting|punch|punching|bite|biting"
            r"|hurt|hurting|harm|harming|stab|stabbing)~1 (?:<ME>|my (?:arms?|legs?|skin|wrists?|thighs?"
            r"|stomach|hands?))~8 (?:cigarettes?|lighter|razors?|blades?|knife|knives|scissors|when i(?:m"
            r"| am| feel| get)|whenever i|until (?:it|they|i)~1 (?:bleeds?|hurts?|cry)|to (?:feel|cope|calm"
            r"|numb|punish|release|deal)|feel bad|stressed|bleed|on purpose|deliberately|in secret"
            r"|secretly)",
        ],
        unless=r"(?:end|ending) (?:things|it|everything) with|see you|tomorrow|next (?:week|time)"
            r"|box jumps?|(?:cut|scratched|hit|burned|hurt) (?:myself|my [a-z]+)~4 (?:shaving|cooking"
            r"|on the (?:bar|rack|plate|cable|sled)|with the (?:bar|barbell|kettlebell|plate))|(?:better"
            r"|easier|fine) without me (?:there|today)|(?:dont|do not|didnt|not) want to (?:hurt|injure)"
            r"|when i (?:squat|bench|deadlift|lift|run|train|do|press)|<GENERAL>",
        calm=_CALM, negatable=False,
    ),
    grammar.rule(
        _SELF, "hurting oneself",
        [
            r"(?:<WANT>|need|urges?|relapsed|started|back to|been|again|deserve|on purpose|keep"
            r"|kept)~4 (?:hurt|hurting|harm|harming|cut|cutting|burn|burning|punish(?:ing)?|injure|injuring"
            r"|scratch(?:ing)?|punch(?:ing)?|hit|hitting|bruis(?:e|ing)|mutilat(?:e|ing)) (?:<ME>)",
            r"self ?harm(?:ing|ed|s|er)?|self injur[a-z]+|self mutilat[a-z]+|selfharm[a-z]*",
            r"(?:cut|cutting|cuts|slit|slitting|slash|slashing|slice|slicing|scars? on|burn|burning"
            r"|burned) (?:my|both my|open my) (?:wrists?|arms?|thighs?|legs?|skin|stomach)|cut (?:myself"
            r"|my self)(?: on purpose| again| last night| to feel| because| when| every| with a| until"
            r"| just to)|(?:razor|blade|knife)~5 (?:wrists?|arms?|skin|thighs?)|cutting (?:again|helps"
            r"|myself|makes me feel)|(?:hurt|hurting|harm|harming|burn|burning|hit|hitting|starv(?:e|ing)"
            r"|punish(?:ing)?) (?:<ME>) (?:on purpose|intentionally|deliberately|again|to (?:feel|cope"
            r"|punish)|because|when i(?:m| am| feel)|is the only|so i)|(?:hurt|harm"
            r"|injure) (?:<ME>) (?:tonight|today|right now|now|badly enough to)",
            r"(?:take|took|taking|swallow(?:ed|ing)?|taken|overdos(?:e|ed|ing)(?: on)?|down(?:ed"
            r"|ing)?)~2 (?:all (?:of )?(?:my|the|these|those)|too many|a (?:whole )?(?:bottle|box|pack"
            r"|bunch|handful) of|the whole (?:bottle|box|pack) of|enough|lots of|a load of"
            r"|whole bottle of)~3 (?:pills|tablets|meds|medication|medicine|paracetamol|tylenol|ibuprofen"
            r"|painkillers|sleeping pills|sleeping tablets|antidepressants|aspirin)|overdos(?:e|ed"
            r"|ing)(?: on| myself)?|od on|(?:how many|lethal dose|lethal amount)~6 (?:pills|tablets"
            r"|paracetamol|tylenol|to die|kill|end|overdose)|(?:painless|easiest|quickest|best|fastest|easy"
            r"|quick) way(?:s)? to (?:die|kill|go|end it|end my life)",
        ],
        unless=r"overdos(?:e|ed|ing) on (?:coffee|caffeine|chocolate|protein|pizza|sugar|cardio|carbs"
            r"|cuteness|vitamin[a-z]*|netflix)|(?:dont|do not|didnt|without|avoid|not|afraid of|scared of"
            r"|worried (?:about|ill|i will)|risk(?:ing)?|how not to|so i dont|never|fear|careful|might"
            r"|could|may|would)(?: [^ .]+){0,4} (?:hurt|hurting|injur(?:e|ing)|harm(?:ing)?|cut"
            r"|burn) (?:<ME>)|(?:hurt|injured|cut|burned|hit|scratch(?:ed)?|bruised?|injure"
            r"|hurting) (?:<ME>)~4 (?:<EXERCISE>|shaving|cooking|kitchen|gym|at work|skiing|playing"
            r"|football|falling|slipping|chopping|again at|last (?:week|month|year)|back|lifting"
            r"|with bad form|if i|on the (?:bar|rack|plate|cable))|(?:<EXERCISE>)~6 (?:hurt|injure"
            r"|cut) (?:<ME>)|cut (?:myself )?(?:some slack|off|out|down)|burn(?:ing)? (?:<ME>) out"
            r"|burn my (?:legs|arms|thighs|skin) (?:in|on) the (?:sun|sunbed)|sunburn|<GENERAL>"
            r"|push(?:ing)? myself",
        calm=_CALM,
    ),
    grammar.rule(
        _SELF, "deep despair",
        r"(?:im|i am|i feel|feel|feeling|feels|been feeling) (?:so |completely |totally |utterly |like a "
        r"|just |really |such a )*(?:worthless|hopeless|(?:a )?burden(?: to| on)?|useless and|unlovable"
        r"|trapped and|suicidal)|hate myself|(?:cant|cannot|can not) (?:do this|go on|keep going|take it"
        r"|take this|carry on|cope) (?:anymore|any more|any longer|much longer)|end of my (?:rope|tether)"
        r"|i deserve (?:to suffer|pain|it all)|(?:nothing|no one|nobody) (?:matters|cares about me"
        r"|would care)(?: anymore)?|everything (?:is|feels) (?:hopeless|pointless|meaningless)|cant go on"
        r"|life (?:is|feels) (?:pointless|meaningless|hopeless|unbearable|over)",
        score=0.5, unless=r"(?:worthless|hopeless|useless|burden)~3 (?:at|with|in|on) (?:the "
            r"|my )?(?:<EXERCISE>|cooking|dancing|maths|football|sports?)|hate myself for (?:eating"
            r"|ordering|skipping|missing|not)",
    ),
    grammar.rule(
        _SELF, "telling somebody to die", r"(?:go|just|please|should|you should|why dont you"
            r"|u should)~1 (?:kill yourself|die|hang yourself|end yourself|kys|off yourself)"
            r"|kill yourself(?! (?:on|in|with|at|doing|during|trying|to|over|for))|kys",
        unless=r"dont (?:go |just )?kill yourself|(?:let|not)~2 (?:die)|die (?:down|hard|trying)|(?:muscle"
            r"|fat|plants?|battery|trend)~3 die|try not to",
    ),
)  # fmt: skip
