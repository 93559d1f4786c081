"""What people say who will not say it: places, means, goodbyes. Each needs two things that rarely meet by chance."""

from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.grammar import Grammar, near
from spotter.safety.rules.shared import IN_GENERAL

_SELF: Final = CategoryName.SELF_HARM
grammar: Final = Grammar(
    {
        "GENERAL": IN_GENERAL,
        "URGE": r"want|wanna|wants|wanted|think(?:ing)? (?:about|of)|thought (?:about|of)|imagin(?:e|ing)"
        r"|pictur(?:e|ing)"
        r"|urge|tempted|feel like|part of me|keep|could just|should just|might just|wonder(?:ing)?|dream(?:ing)? of"
        r"|fantasi[sz](?:e|ing)",
        "PLACE": r"bridge|roof|rooftop|ledge|cliff|balcony|window|train|trains|tracks|rails|platform|underground|tube"
        r"|traffic|lorry|truck|bus|motorway|wall|tree|car park|top floor|river|sea",
        "FALL": r"jump(?:ing)?(?: off| from| in front)?|step(?:ping)? (?:off|out|in front)"
        r"|throw(?:ing)? myself|let(?:ting)? go"
        r"|steer(?:ing)? into|driv(?:e|ing) (?:into|off)|swerv(?:e|ing)|crash(?:ing)? into|walk(?:ing)? into"
        r"|fall(?:ing)?"
        r"|veer(?:ing)?",
        "MEANS": r"pills|tablets|sleeping tablets|painkillers|paracetamol|rope|noose|blade|razor|razors|gun",
    }
)

RULES: Final = (
    grammar.rule(
        _SELF, "an urge at a dangerous place",
        [r"(?:<URGE>)~8 (?:<FALL>)~6 (?:<PLACE>)", r"(?:<PLACE>)~8 (?:<URGE>)~5 (?:<FALL>)(?! (?:rope|box"
            r"|squats?|higher))"],
        unless=r"<GENERAL>|lol|haha+|parkour|bungee|swim(?:ming)?|wetsuit|gymterm|box jumps?|wall balls?"
            r"|vertical|higher"
            r"|train (?:with|for|at|on|in|my|hard|more|again|today|tomorrow|to)|program[a-z]*|plan|holiday"
            r"|surf[a-z]*",
    ),
    grammar.rule(
        _SELF, "not safe with oneself",
        r"(?:keep|keeping) myself safe(?! (?:in|on|when|while|during|from (?:injur|cov|germ)))|(?:not"
        r"|dont feel|isnt|am i) safe"
        r" (?:with|from|by) myself|(?:dont|cant|do not|cannot) trust myself (?:tonight|alone|to be alone"
        r"|right now|around"
        r"|with (?:the )?(?:<MEANS>|knives))|(?:scared|afraid|frightened|worried)~2 what i (?:might|could"
        r"|will|may) do"
        r"(?: to myself| tonight)?",
        unless=r"snacks?|chocolate|biscuits|fridge|cookies|<GENERAL>",
    ),
    grammar.rule(
        _SELF, "means laid ready",
        [r"(?:got|have|bought|found|counted|hid|hiding|saved|saving|stockpil[a-z]+|hoard[a-z]*|holding"
            r"|looking at|next to)~4"
            r" (?:<MEANS>)~8 (?:ready|in front of me|in my hand|here|tonight|in case|enough|talk to|goodbye"
            r"|say bye|over)",
         r"(?:took|swallowed|taken|downed) (?:all|a handful|too many|the whole|a whole|the rest|every one"
         r"|lots)~5 (?:<MEANS>)"],
        unless=r"jump(?:ing)? rope|skipping rope|battle|climb[a-z]*|tricep[a-z]*|shav[a-z]*|electric"
            r"|<GENERAL>|magnesium"
            r"|vitamins?|salt|gymterm",
    ),
    grammar.rule(
        _SELF, "only one way out",
        r"(?:only|just) (?:one|1) (?:way|exit|thing)~2 (?:out|left|for me)|only (?:way|exit|escape)~3 (?:out"
        r"|see)(?! of the)"
        r"|(?:no|cant see (?:a|any)|see no) (?:other )?way out(?! of the)|(?:wont|will not"
        r"|not going to) need (?:it|this|them"
        r"|one|anything|my [a-z]+) (?:where im going|anymore soon|where i am going|when im gone"
        r"|after (?:tonight|friday"
        r"|this))|where im going (?:i|ill|there)",
        unless=r"car ?park|parking|building|changing|locker|contract|maze|fire exit|emergency exit|<GENERAL>|plateau",
    ),
    grammar.rule(
        _SELF, "hurting oneself as a punishment",
        [near(r"(?:punch(?:ing)?|hit(?:ting)?|bang(?:ing)?|slam(?:ming)?|smash(?:ing)?|scratch(?:ing)?|claw(?:ing)?"
            r"|bit(?:e|ing)|pinch(?:ing)?)~3 (?:wall|walls|head|myself|arms?|legs|skin|fists?|knuckles|hands"
            r"|concrete)",
            r"(?:until|till|til) (?:i|it|they|my [a-z]+)~2 (?:bleeds?|bleeding|hurts?|bruised?|split|raw|see stars)"
            r"|(?:i )?deserve (?:it|this|the pain|pain|to hurt)|on purpose|calms? me|feel something|feel better", 8),
         r"(?:bleed|hurt|bruise|burn)(?:ing)? (?:myself|my (?:arms?|legs|skin|thighs|own))~3 (?:on purpose"
         r"|deliberately)"],
        unless=r"boxing|sparring|bag|mitts|handstand|<GENERAL>",
    ),
    grammar.rule(
        _SELF, "does not expect to live",
        r"(?:not|dont|never|wont|no longer)~3 (?:plan(?:ning)?|expect(?:ing)?|intend(?:ing)?"
        r"|going)~3 (?:being|be|to be"
        r"|living|to live) (?:around|alive|here) (?:that long|much longer|for long|by then|anymore"
        r"|any longer)|(?:wont|not"
        r"|will not) (?:be|make it) (?:alive|around)~2 (?:by then|that long|much longer|to see)|(?:be"
        r"|being) dead (?:by|before)"
        r" (?:then|summer|christmas|spring|winter|the end)",
        unless=r"<GENERAL>|battery|phone|plants?",
    ),
)  # fmt: skip
