"""Words of prompt injection: override, role change, extraction, fake system text, exfiltration, orders to machines.

A tripwire, not the control: permissions never come from text. Members only get a warning, because members do write
«ignore the previous set»; text that machines bring in is held back.
"""

import re
from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.grammar import Grammar

_INJECTION: Final = CategoryName.INJECTION
grammar: Final = Grammar(
    {
        "DROP": r"ignor(?:e|es|ing|ed)|disregard(?:s|ing)?|forget(?:ting)?|overrid(?:e|es|ing)|bypass(?:es"
        r"|ing)?|neglect|discard|dismiss|abandon|supersedes?|cancel|void|nullify|erase|unlearn"
        r"|set aside|throw (?:out|away)|stop (?:following|obeying)|do not (?:follow|obey|listen to"
        r"|comply with)|dont (?:follow|obey|listen to|comply with)|pay no (?:attention|mind|heed) to"
        r"|skip|delete|reset|drop|clear|break|violate|turn off|disable|switch off|deactivate|remove"
        r"|circumvent|get around|instead of following|replaces?|no longer (?:follow|bound by|apply"
        r"|subject to)",
        "OLD": r"previous|previously|prior|above|earlier|preceding|before|foregoing|past|former|existing"
        r"|initial|original|all|any|your|every|everything|system|systems|developers?|current|old"
        r"|built in|internal|these|those|the|other|default|openais|anthropics|first|hidden|safety",
        "RULES": r"instructions?|prompts?|directives?|guidelines?|system (?:message|prompt)s?"
        r"|(?:system )?rules|commands?|constraints?|restrictions?|guard ?rails?|safeguards?"
        r"|content (?:policy|policies|filters?)|policies|safety (?:rules|measures|filters?|protocols?"
        r"|guidelines)|filters?|programming|limitations?|orders|directions|moderation|alignment|ethics"
        r"|configuration|context above|messages above|conversation above",
        "SECRET": r"(?:system|hidden|initial|original|secret|internal|developer|base|underlying|starting"
        r"|pre|full|exact|complete|entire|first) (?:system |hidden |initial |secret |full "
        r"|developer )*(?:prompts?|instructions?|messages?|rules|directives|guidelines|configuration"
        r"|config)|system ?prompts?|pre ?prompt|(?:your|ur) (?:full |exact |complete |entire |own "
        r"|original |initial |verbatim |very first |current )*(?:prompts?|instructions?|rules"
        r"|guidelines|configuration|system (?:message|prompt)|directives|context window|hidden (?:text"
        r"|rules)|tool (?:definitions|list|schemas?)|function (?:definitions|schemas?)|source code"
        r"|api keys?|credentials|secrets|environment variables|env vars)",
        "AI": r"ai|a i|llm|language model|assistant|chat ?bot|bot|agent|ai agents?|ai assistants?"
        r"|ai models?|gpt|chatgpt|claude|model|coach bot",
        "DATA": r"conversation|conversations|chat (?:history|log|logs)|chats?|history|messages"
        r"|member (?:list|data|records|database|details|emails)|members (?:list|data|records|details"
        r"|emails)|customer (?:list|data|records|details)|all (?:emails|members|users|customers|data"
        r"|records|names|contacts|passwords|files|bookings)|passwords?|secrets?|api keys?|tokens?"
        r"|credentials|personal (?:data|information|details)|database|user data|payment (?:data|details"
        r"|info)|credit cards?|card numbers?|phone numbers|email addresses|everything you know"
        r"|contact list|contacts|context|memory|notes|system prompt|environment variables"
        r"|private (?:data|information|notes)|medical (?:data|records|notes)",
    }
)

RULES: Final = (
    grammar.rule(
        _INJECTION, "tells the reader to drop its instructions",
        [
            r"(?:<DROP>)(?: (?:any|all|and|of|the|your|my|that|what|whatever|every|each|everything"
            r"|completely|totally|immediately|please|anything|about|these|those|<OLD>))* (?:<RULES>)",
            r"(?:<DROP>)~3 (?:everything|anything|all|whatever|what)(?: [^ .]+){0,3} (?:above|before this"
            r"|before|prior|you (?:were|have been|are|ve been|know|learned|was) (?:told|taught|instructed"
            r"|given|programmed)?|told (?:you )?(?:before|earlier|previously|so far)|said (?:before|earlier"
            r"|above|previously)|so far|instructed)",
            r"(?:override|overriding|bypass|hack|circumvent|disable|trick|cheat)~1 (?:the |your "
            r"|this )?(?:system|filters?|safety|security|ai|bot|checks|moderation)|(?:disregard|ignore"
            r"|override)~1 (?:the )?(?:members?|users?|customers?|owners?|persons?|humans?)~1 (?:requests?"
            r"|questions?|wishes|messages?|instructions?|input|query)|(?:<DROP>)~4 (?:previous|prior|above"
            r"|earlier|preceding|original|initial|system|your)~3 (?:<RULES>)",
            r"(?:ignore|disregard|forget)(?: all)?(?: the)? (?:above|previous|prior|preceding)(?: text"
            r"| content| message| messages| input)?(?: and| ,| .|$)",
            r"(?:instructions?|rules|guidelines|prompts?|restrictions|directives) (?:above |before |given "
            r"|you (?:were|have been) given |so far )*(?:no longer apply|do(?:es)? not apply|dont apply"
            r"|are (?:now )?(?:void|cancelled|canceled|obsolete|null|outdated|suspended|lifted|invalid"
            r"|replaced|overridden|fake)|have been (?:lifted|revoked|replaced|updated|cancelled|suspended"
            r"|removed|overridden)|(?:can|should|must|may|are to) be (?:ignored|disregarded|skipped"
            r"|forgotten|bypassed))",
            r"(?:without|free (?:of|from)|outside|beyond|no more|not bound by|unbound by|liberated from"
            r"|break free (?:of|from)|unshackled)(?: [^ .]+){0,3} (?:restrictions|guard ?rails|guidelines"
            r"|safety (?:rules|filters?)|content (?:policy|filters?)|ethical (?:limits|guidelines"
            r"|constraints)|moral (?:limits|constraints)|censorship|filters|openais? (?:rules|policies))",
        ],
        unless=r"(?:warm ?up|exercise|squats?|deadlifts?|meal|recipe|diet|food|parking|gym|house|pool|sauna"
            r"|locker|machine|equipment|class) (?:instructions|rules|guidelines|directions|restrictions)"
            r"|(?:instructions?|directions|rules|guidelines|orders|restrictions) (?:for|of|on|from) (?:the "
            r"|my |your |our |this |that |a )*(?:machine|exercise|squats?|deadlifts?|bench|package|box"
            r"|label|app|pool|gym|sauna|lift|movement|physio|doctor|class|meal|recipe|smith|rower|treadmill"
            r"|coach|trainer|instructor|fasting|game|progressive|form)|dietary restrictions|drop (?:all"
            r"|the) filters? on|mobility restrictions|time restrictions|physios? (?:instructions|orders)"
            r"|doctors? orders|instagram filters?|air filters?|water filters?|clear instructions"
            r"|remove (?:the )?filters? from",
        negatable=False,
    ),
    grammar.rule(
        _INJECTION, "claims new instructions or authority",
        [
            r"(?:new|updated|revised|additional|special|urgent|important|real|actual|true|following|secret"
            r"|hidden|priority|overriding|emergency) (?:system |admin |developer |secret |hidden |priority "
            r"|important |core |top priority )*(?:instructions?|directives?|prompt|orders|commands?"
            r"|protocol)(?: for (?:the |you|all )?(?:<AI>)?| from| follow| below| is| are| effective|,| ."
            r"| you| to)",
            r"(?:your|the) (?:new|real|actual|true|only|updated|primary|next) (?:task|role|job|objective"
            r"|goal|mission|instructions?|purpose|identity|name|persona|directive|function) (?:is|are"
            r"|will be|now)(?! to (?:squat|bench|run|lose|gain|deadlift|lift))",
            r"(?:from (?:now|here|this (?:point|moment)) on(?:wards?)?|henceforth|starting now"
            r"|going forward|as of now|from this message on)~3 (?:you(?:re| are| will| must| shall| ll"
            r"| should| have| can| do| only| respond| answer| obey)?|respond|answer|reply|act|speak|obey"
            r"|always|only|every (?:reply|response|answer)|all (?:replies|responses))~4 (?:are|is|act"
            r"|respond|reply|answer|obey|follow|called|named|ignore|say|speak|behave|must|no longer|pretend"
            r"|have no|do anything|only|a|an|my|no|with|to|as|in|without)",
            r"(?:system|admin|administrator|developer|root|security|maintenance|operator|owner|sudo|debug"
            r"|super ?user|openai|anthropic|spotter) (?:override|mode|command|message|notice|update|alert"
            r"|directive|instruction|instructions|access granted|privileges?|note|prompt|request"
            r"|authori[sz]ation|level access)(?: enabled| activated| on| engaged| accepted| code| granted"
            r"| to|,| .|$| from| for| the| ignore| you| override| all| grant| this| new| begin| start| end)",
            r"(?:i am|im|this is|speaking as|as) (?:your |the |a |an )?(?:developer|creator|admin"
            r"|administrator|system administrator|engineer at|programmer|owner of this system|openai"
            r"|anthropic|spotter (?:staff|engineer|admin|support)|ceo of|root user|superuser"
            r"|sys ?admin)(?: [^ .]+){0,8} (?:need|order|authori[sz]e|command|must|show|give|grant|reveal"
            r"|unlock|disable|ignore|instruct|require|override|tell|bypass|testing|debug|allow|permit|turn)",
            r"(?:end|begin|start|stop) (?:of )?(?:system (?:prompt|message|instructions?)|user (?:input"
            r"|message|data|text)|instructions?|prompt|untrusted (?:data|content|text)|data (?:block"
            r"|section)|document|context)|(?:the )?(?:following|above|below|this) (?:instructions?|text"
            r"|message|prompt|section) (?:supersede|override|replace|take(?:s)? (?:priority|precedence)"
            r"|overrides|supersedes|replaces|has (?:priority|precedence))|takes? precedence over",
        ],
        unless=r"admin (?:mode|access) (?:for|on) (?:the )?(?:door|app|treadmill)|new (?:instructions"
            r"|orders) from my (?:physio|doctor|coach|trainer)|maintenance (?:mode|notice|message|update"
            r"|alert|request|note)(?: for| from| on)? (?:the )?(?:pool|sauna|treadmill|gym|machines?"
            r"|equipment|showers?|calories|intake)|security (?:update|alert|notice|note|code)"
            r"|end of (?:the )?(?:document|class|instructions)|start of (?:the )?(?:class|document)"
            r"|(?:maintenance|security|owner|operator) (?:mode|message|notice|update|alert|note|request)",
        negatable=False,
    ),
    grammar.rule(
        _INJECTION, "asks for another role",
        [
            r"(?:you are|youre|you re|you will be|you shall be|become|you have become|you now are|u are"
            r"|consider yourself) (?:now |no longer |hereby |going to be |from now on |henceforth "
            r"|currently |officially |free |just )*(?:an? |the |my |in |called |named |bound |acting as "
            r"|playing |operating (?:as|in) |to act as |known as )*(?:[^ .]+ ){0,3}(?:dan|unrestricted"
            r"|unfiltered|uncensored|jailbroken|evil|hacker|root|terminal|linux|shell|python interpreter"
            r"|god mode|developer mode|debug mode|admin mode|opposite|rogue|amoral|unethical"
            r"|without (?:rules|limits|restrictions|filters|morals)|bound by|restricted|limited by"
            r"|a different ai|free from|freed|liberated|no longer (?:an? )?(?:ai|assistant|coach)|pirate"
            r"|villain|sql|database|another ai|malicious|aim|stan|dude mode|maximum|sydney|doctor evil"
            r"|system administrator|administrator|superuser|obedient)",
            r"(?:act|behave|respond|answer|pretend|role ?play|simulate|imagine|emulate|speak|reply|play"
            r"|function|operate|write|talk)~2 (?:as|like|to be|being|you are|youre|that you are|a|an|the"
            r"|were|had|have|in)~5 (?:dan|unrestricted|unfiltered|uncensored|jailbroken|evil|hacker"
            r"|no (?:rules|restrictions|limits|limitations|filters?|guidelines|ethics|morals|boundaries"
            r"|guardrails|safety)|without (?:any )?(?:rules|restrictions|limits|limitations|filters?"
            r"|guidelines|ethics|morals|guardrails|safety)|developer mode|admin|administrator|root"
            r"|superuser|system|my (?:dead |late |deceased )?(?:grandma|grandmother)|opposite|amoral"
            r"|terminal|linux|shell|bound by|licensed doctor|rogue)",
            r"do anything now|dan (?:mode|prompt)|(?:developer|god|debug|jailbreak|dan|admin|sudo|root"
            r"|unrestricted|unfiltered|evil|maintenance) mode(?: enabled| activated| on| engaged"
            r"| now)?(?! for the| for machine)|jail ?break(?:ing|s|ed)?|jailbroken|(?:enable|activate|enter"
            r"|switch to|turn on|engage|go into|unlock) (?:your )?(?:developer|god|debug|dan|admin"
            r"|unrestricted|unfiltered|uncensored|root|sudo|evil|expert unfiltered) (?:mode|access|version"
            r"|output)|(?:you have|there are|with|has|have) no (?:rules|restrictions|guidelines|guardrails"
            r"|filters|content policy|ethical|moral|limits on what)|(?:opposite|reverse) day~8 (?:rules"
            r"|instructions|say)|grandma~10 (?:recipe for|napalm|read me|exploit)"
            r"|hypothetically~8 (?:no rules|bypass|without restrictions)|token smuggling"
            r"|prompt injection(?: test| attack)?|stay in character",
        ],
        unless=r"no (?:rules|limits|restrictions) (?:gym|for (?:members|guests))|unlimited"
            r"|have no (?:restrictions|limits) (?:on|with|in) (?:my|movement|range|equipment|food|diet|time"
            r"|exercise|exercises)|(?:i|we) have no|become a (?:trainer|coach|member)|linux (?:server"
            r"|laptop)|opposite (?:arm|leg|side|hand|foot|direction|day)|system (?:of|is|was)"
            r"|debug mode on the|maintenance mode|(?:machine|treadmill|app|website|portal|kiosk)~4 mode",
        negatable=False,
    ),
    grammar.rule(
        _INJECTION, "asks for hidden instructions or secrets",
        [
            r"(?:reveal|show|print|repeat|output|display|tell|give|share|leak|dump|expose|list|what (?:is"
            r"|are|was|were|does|do)|whats|recite|copy|write|summari[sz]e|translate|paste|return|disclose"
            r"|provide|send|echo|spell|read|see|know|describe|encode|quote|type|spit|extract|get|reproduce"
            r"|explain|paraphrase|include|state)~7 (?:<SECRET>)",
            r"(?:repeat|print|output|copy|recite|show|write|echo|translate|paste|spit|type|return|display"
            r"|give me|tell me|summari[sz]e)~4 (?:everything|all|text|words|content|sentences|lines"
            r"|contents|message|messages|the (?:text|words|lines|message|content)|what(?:s| is| was"
            r"| comes)?|whatever)~3 (?:above|before this|preceding|prior to (?:this|my)"
            r"|before my (?:message|first)|you were told|verbatim|at the (?:top|start|beginning) of"
            r"|written above|in your (?:context|prompt|memory|system)|starting with you are)",
            r"(?:what|which) (?:secret |hidden |original |initial |exact )*(?:instructions?|rules"
            r"|guidelines|prompts?|directives)~1 (?:were|are|have|did|do)~1 (?:you|they|your)|(?:your"
            r"|the) (?:very )?first message|(?:what|everything|anything) (?:did )?(?:other|another"
            r"|different) (?:members?|users?|people|customers?|clients?) (?:have |has )?(?:said|told|wrote"
            r"|asked|say|tell|write|ask)|(?:what|which|how) (?:were|was|are|did|have)~2 (?:you"
            r"|they)~2 (?:told|instructed|programmed|prompted|configured|given)(?: [^ .]+){0,4} (?:not to"
            r"|to (?:do|say|hide|avoid|keep)|before|at the (?:start|beginning)|initially|as instructions"
            r"|say|secretly|by your (?:developers?|creators?|system))|verbatim~5 (?:prompt|instructions"
            r"|above)|(?:prompt|instructions|above)~5 verbatim|(?:api key|secret key|access token"
            r"|env(?:ironment)? variables?|database (?:password|url|credentials)|admin password"
            r"|root password|private key)~6 (?:you|your|use|used|stored|have|access)|(?:reveal|show|print"
            r"|give|tell|send|leak|dump|list|share)~4 (?:api keys?|access tokens?|secret keys?"
            r"|environment variables|database (?:password|credentials|url|schema)|admin passwords?"
            r"|other (?:users?|members?|customers?|clients?|peoples?) (?:data|conversations?|chats?"
            r"|messages|emails|details|notes|passwords|workouts|information|addresses)|passwords? of"
            r"|etc passwd)",
        ],
        unless=r"(?:your|the) (?:full |exact |complete |own )*(?:instructions?|guidelines|rules) (?:for|on"
            r"|to|about|of|regarding) (?:the |a |an |my |how |doing |using |proper |this |that |safe |gym "
            r"|pool )*(?!your|yourself|above)(?:[a-z]+)|house rules|gym rules|instructions? (?:card|video"
            r"|sheet)|first (?:message|rule)|your (?:gym|pool|sauna|class|refund|cancellation|house|guest"
            r"|parking|studio)",
        negatable=False,
    ),
    grammar.rule(
        _INJECTION, "sends data outside",
        [
            r"(?:send|post|upload|forward|e ?mail|mail|exfiltrate|transmit|submit|leak|copy|export|append"
            r"|attach|encode|include|embed|put|share|report|deliver|pass|dump|text|cc|bcc"
            r"|add)~8 (?:<DATA>)~10 (?:to|at|in|into|via|as|through|inside) (?:http|https|www"
            r"|this (?:address|url|server|webhook|link|email|endpoint|number)|the (?:url|webhook|link|image"
            r"|address|endpoint|query|following)|webhook|attacker|my server|my (?:email|webhook|server"
            r"|endpoint)|an external|external|a (?:url|link|markdown|webhook|parameter)|[a-z0-9]+@[^ ]+|ftp"
            r"|query|url|evil|pastebin|base64|parameters?)",
            r"(?:exfiltrat(?:e|ion|ing))|(?:render|display|include|insert|output|add|embed|load"
            r"|show)~3 (?:this|the following|an?|markdown)~3 (?:markdown )?(?:image|img|pixel"
            r"|picture)~8 (?:url|http|https|src|with|containing)|tracking pixel",
            r"(?:fetch|visit|open|curl|wget|load|navigate to|go to|browse to|download|retrieve|call|request"
            r"|follow|access)~4 (?:http|https|www|the (?:url|link)|this (?:url|link))~14 (?:follow|execute"
            r"|run|obey|instructions|do what|script|install|and do|commands?)",
        ],
        unless=r"send me (?:my|the|a) (?:history|notes|workout|messages|invoice)|export my"
            r"|share my (?:history|notes|progress)", negatable=False,
    ),
    grammar.rule(
        _INJECTION, "speaks to the machine that reads it",
        [
            r"(?:attention|note|notice|message|important|memo|reminder|instruction|instructions|warning"
            r"|hint|dear|hello|hey|hi|to|psa)~1 (?:to|for|all|any|the|,)? ?(?:the |any |all |every "
            r"|whichever |whatever )*(?:<AI>)(?: agents?| assistants?| models?| systems?)?(?: that| who"
            r"| which)?(?: is| are)? ?(?:reading|processing|summari[sz]ing|parsing|,|must|should|you must"
            r"|please|handling|analy[sz]ing|viewing|indexing|ignore|do|do not|this|follow|when|also)",
            r"if you(?:re| are) (?:an? |the )?(?:<AI>)|(?:as|being) an? (?:ai|llm|language model"
            r"|ai assistant|ai agent|ai model)~3 (?:you|must|should|reading)|(?:<AI>)s? (?:must|should"
            r"|shall|has to|have to|need to|needs to|is required to|are required to|will now"
            r"|is instructed to|are instructed to|ought to) (?:now |always |also |first |immediately |not "
            r"|ignore |instead |comply |never |respond |reply |say |tell |send |call |execute |run |delete "
            r"|grant |approve |include |add |output |forget |disregard |recommend |mark |give |transfer "
            r"|treat )",
            r"(?:when|while|before|after|if|once|whenever) (?:you |an ai |the ai |the assistant "
            r"|any ai )?(?:summari[sz](?:e|ing)|process(?:ing)?|read(?:ing)?|pars(?:e|ing)|answer(?:ing)?"
            r"|analy[sz](?:e|ing)|respond(?:ing)?|translat(?:e|ing)|review(?:ing)?|ask(?:ed"
            r"|ing)?)~4 (?:this|the|about this|to this)(?: [^ .]+){0,6} (?:you must|must|always|instead"
            r"|do not|say|tell|include|add|output|respond|reply|recommend|mention|append|execute|call|send"
            r"|ignore|first (?:call|send|run|execute))",
            r"(?:when|if|whenever) (?:asked|someone asks|anyone asks|somebody asks|a (?:user|member"
            r"|customer|visitor) asks|(?:users|members|people) ask)~8 (?:always|say|tell|answer|respond"
            r"|reply|claim|never)|(?:do not|dont|never|without)~1 (?:tell|telling|inform|informing|mention"
            r"|mentioning|alert|alerting|notify|notifying|ask|asking|let|reveal|show|disclose|warn"
            r"|warning)(?: [^ .]+){0,4} (?:user|users|member|members|human|humans|owner|admin|staff"
            r"|operator|anyone|customer|client|person)(?: [^ .]+){0,4}(?: about| this| that| know| any| and"
            r"|,| .|$| or| of)|(?:the )?(?:user|member|owner|admin|human|customer|staff|manager"
            r"|client) (?:has|have|had|already|hereby|is) (?:already |pre |fully |also |explicitly "
            r"|previously |hereby )*(?:approved|authori[sz]ed|consented|agreed|confirmed|granted|permitted"
            r"|pre ?approved|given (?:you )?(?:permission|consent|approval)|been verified"
            r"|verified as admin)|no (?:approval|confirmation|permission|authori[sz]ation"
            r"|consent) (?:is )?(?:needed|required|necessary)|(?:skip|bypass|ignore|avoid|auto"
            r"|automatically|without)~2 (?:approve|approval|approvals|confirmation|the confirmation"
            r"|permission check|verification|human review)",
            r"(?:call|invoke|use|execute|run|trigger|perform|make)~2 (?:the |your |a )?(?:[a-z_]+ )?(?:tool"
            r"|tools|function|functions|command|commands|shell|sql|query|code|script|api|plugin|action"
            r"|tool call|api call|function call)(?: [^ .]+){0,6} (?:delete|drop|refund|transfer|send|grant"
            r"|with|to|now|immediately|and|export|email|admin|rm|all|cancel|remove)|(?:delete|drop|erase"
            r"|wipe|remove|destroy|cancel|refund|purge|truncate) (?:all|every|the (?:entire|whole)"
            r"|the) (?:[a-z]+ )?(?:members?|users?|customers?|bookings?|data|database|records?|tables?"
            r"|files|payments?|invoices|accounts?|memberships?|logs?|sessions|organisation|tenant)"
            r"|drop table|rm rf|rm -rf|(?:grant|give|make|assign|set|promote|change|upgrade|elevate"
            r"|escalate)~4 (?:me|my|this|the|him|her|us|account|member|user|myself|role|privileges?"
            r"|permissions?)~5 (?:admin|administrator|owner|root|superuser|full access|staff role|role to"
            r"|all permissions|elevated|unlimited|free (?:membership|access|for life|lifetime|premium))"
            r"|(?:transfer|send|pay|refund|issue|credit|wire)~4 (?:\$|€"
            r"|£)? ?\d[\d.,]*(?: [^ .]+){0,3} (?:to|into) (?:account|iban|wallet|this|my|the following"
            r"|bitcoin|paypal)|as (?:the|an?) (?:<AI>) you (?:must|will|should|are)|say (?:only|exactly"
            r"|nothing (?:but|else))~3 (?:hacked|pwned|owned|compromised)|(?:reply|respond|answer|output"
            r"|say|print)~3 (?:with )?(?:only |just |exactly )?(?:hacked|pwned|i have been (?:hacked|pwned)"
            r"|owned|compromised|access granted)",
        ],
        unless=r"hi coach|tell (?:the )?(?:user|member)s? (?:that|about) (?:the )?(?:class|gym|pool)"
            r"|(?:cancel|remove|delete) the (?:[a-z]+ )?(?:booking|session|sessions|account"
            r"|membership)(?: [^ .]+)* (?:for|on|from|at|my|please)|make (?:me|my) (?:[a-z]+ )?(?:programme"
            r"|program|plan|workout)|give me (?:a|an|the|my|some|your|full body)|(?:coach"
            r"|trainer) bot (?:please|can)|run (?:the )?code|use the (?:code|app) (?:to|and|with|for)"
            r"|use (?:code|the code)|(?:assistant|agent) (?:coach|manager|instructor|trainer)"
            r"|model (?:should|must) (?:fit|be)|action (?:to|and)",
        negatable=False,
    ),
    grammar.rule(
        _INJECTION, "drops instructions (German, Spanish, French, Italian, Portuguese)",
        r"(?:ignorier(?:e|en|t)?|vergiss|vergesst|missachte|missachten|verwirf"
        r"|umgehe)(?: [^ .]+){0,4} (?:anweisung(?:en)?|instruktion(?:en)?|regeln|befehle?|vorgaben"
        r"|systemprompt|system prompt)|(?:zeig|zeige|nenne|gib|verrate)~4 (?:system ?prompt|anweisungen"
        r"|systemanweisung(?:en)?)|(?:ignora|ignore|ignorez|olvida|oublie|oubliez|dimentica|esqueca|omite"
        r"|descarta|desconsidere|trascura)(?: [^ .]+){0,4} (?:instrucciones|instructions|reglas|consignes"
        r"|regles|istruzioni|regole|instrucoes|regras|ordenes|directivas|directives|indicaciones)"
        r"|(?:muestra(?:me)?|dime|revela|montre(?:z)?|affiche(?:z)?|revele(?:z)?|mostra(?:mi)?"
        r"|mostre)~4 (?:prompt|instrucciones|instructions|consignes|istruzioni"
        r"|instrucoes)(?: [^ .]+){0,2} (?:del sistema|systeme|di sistema|do sistema|secret[a-z]*"
        r"|ocult[a-z]*|originales|initiales)?|(?:ahora eres|eres ahora|tu es maintenant"
        r"|vous etes maintenant|du bist (?:jetzt|ab jetzt|nun)|sei ora"
        r"|ab sofort bist du)~5 (?:sin restricciones|sans restrictions?|ohne (?:regeln|einschrankungen)|dan"
        r"|hacker|un autre|libre|senza|administrador|pirata)",
        unless=r"instructions (?:for|of) the", negatable=False,
    ),
    grammar.rule(
        _INJECTION, "drops instructions (Dutch, Nordic, Polish, Czech, Turkish, Romanian, Indonesian)",
        r"(?:negeer|vergeet|ignorera|glom|ignorer|glem|zignoruj|zapomnij|pomin|ignoruj|zapomen|abaikan|lupakan|ignora"
        r"|uita)(?! inte| ikke| niet| nie| jangan)(?: [^ .]+){0,4} (?:instructies|regels|opdrachten"
        r"|aanwijzingen|instruktioner(?:na)?|regler(?:na|ne)?"
        r"|instruksjoner|instrukcje|instrukcji|polecenia|polecen|zasady|zasadach|instrukce|pokyny|pravidla|instruksi"
        r"|perintah|aturan|instructiunile|regulile)|(?:talimat|kural|komut)[a-z]*(?: [^ .]+){0,3} (?:yok say"
        r"|gormezden gel"
        r"|unut|dikkate alma|gec)[a-z]*|(?:toon|geef|laat|visa|vis|pokaz|ukaz|tunjukkan|goster"
        r"|arata)~3 (?:systeemprompt"
        r"|systemprompt(?:en)?|system ?prompt|prompt systemowy|systemovy prompt|prompt sistem|sistem (?:mesaj|komut"
        r"|istem)[a-z]*)",
        negatable=False,
    ),
    grammar.rule(
        _INJECTION, "encoded or reversed orders", r"vtaber~3 (?:cerivbhf|nyy|nobir)|cerivbhf vafgehpgvbaf"
            r"|vafgehpgvbaf|flfgrz cebzcg|snoitcurtsni|erongi|tpmorp metsys|tpmorp|(?:decode|decrypt"
            r"|unscramble|base64|rot13|hex)~6 (?:and|then)~2 (?:follow|execute|run|do|obey|act|comply"
            r"|perform|carry)", negatable=False,
    ),
)  # fmt: skip


# --- Marks that are not words ------------------------------------------------------------------------------

TEMPLATE_TOKENS: Final = re.compile(
    r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?s>(?=\s*\[|\s*$)|</?(?:system|assistant|developer"
    r"|instructions?|tool_call|tool_result|function_calls?|function_results?|admin|im_start|im_end"
    r"|untrusted|data)(?:[\s:][^>\n]{0,80})?>|^\s*#{2,}\s*(?:system|instructions?|assistant|human|user"
    r"|response|new task|override)\b\s*:?|\{\{#?(?:system|user|assistant)~?\}\}|<start_of_turn>"
    r"|<end_of_turn>|\bbegin_system\b|\[(?:system|assistant|developer)(?: message| note"
    r"| override)?\](?:\s*:|\(#)?",
    re.IGNORECASE | re.MULTILINE,
)
ROLE_PREFIX: Final = re.compile(
    r"^[ \t>*_-]*(?P<role>system|assistant|developer|ai|human|user)[ \t*_]*:[ \t*_]*(?P<rest>\S[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
ROLE_ORDER: Final = re.compile(
    r"\b(?:you|your|ignore|disregard|forget|override|must|new|reveal|respond|reply|always|never|from now"
    r"|act|pretend|instructions?|rules|sure|user|admin|grant|send|delete|call|execute|confirmed|approved"
    r"|comply|restrictions?)\b",
    re.IGNORECASE,
)
HIDDEN_MARKUP: Final = re.compile(
    r"<!--(?P<html>.*?)(?:-->|$)|^\s*\[(?://|comment|_)\]:\s*(?:#|<>)\s*[\"'(](?P<md>[^\n]*)"
    r"|<(?P<tag>\w+)[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0"
    r"|color\s*:\s*(?:#fff(?:fff)?|white)|aria-hidden|\shidden)[^>]*>(?P<css>[^<]*)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
HIDDEN_ORDER: Final = re.compile(
    r"\b(?:ai|assistant|agents?|llm|model|bot|chatgpt|claude|instructions?|ignore|disregard|system|prompt"
    r"|must|send|reveal|forward|override|delete|grant|you are|respond|reply|say|tell|execute|call"
    r"|approve)\b",
    re.IGNORECASE,
)
EXFILTRATION: Final = re.compile(
    r"!\[[^\]]*\]\(\s*(?:https?:)?//[^)\s]*(?:[?&=]|\{|%7b)[^)]*\)"
    r"|<img[^>]+src\s*=\s*[\"']?(?:https?:)?//[^>]*[?&=]|!\[[^\]]*\]\(\s*https?://\d{1,3}(?:\.\d{1,3}){3}"
    r"|https?://\S*[?&](?:data|q|exfil|leak|secret|token|history|chat|payload|d|c|msg|info|prompt|context"
    r"|email|log)=(?:\{|\[|<|%7b|\$\{)|\[[^\]]*\]\(\s*javascript:|\bdata:text/html",
    re.IGNORECASE,
)
# Scripts without the Latin letters rules are written in: «ignore … instructions», «show … system prompt».
OTHER_SCRIPTS: Final = re.compile(
    r"(?:игнорир|проигнорир|забудь|забудьте|отмени|не следуй)[^.!?\n]{0,40}(?:инструкци|правил|указани|команд|промпт)"
    r"|(?:покажи|выведи|раскрой|напиши)[^.!?\n]{0,30}(?:системн\w+ (?:промпт|инструкци|сообщени)|свои инструкции)"
    r"|(?:ігнору|забудь)[^.!?\n]{0,40}(?:інструкці|правила)"
    r"|(?:忽略|无视|無視|忘记|忘掉|忘記|不要理会|绕过|覆盖)[^。！？\n]{0,20}(?:指令|指示|规则|規則|提示|说明|限制)"
    r"|(?:显示|顯示|告诉我|输出|发给我|泄露|透露|打印)[^。！？\n]{0,12}(?:系统提示|系統提示|提示词|系统指令)|系统提示词?[^。！？\n]{0,8}(?:发给|告诉|显示|输出)"
    r"|(?:指示|命令|ルール|プロンプト|指令|制限)[^。！？\n]{0,10}(?:無視|忘れ|破棄)|システムプロンプト[^。！？\n]{0,10}(?:表示|見せ|教え|出力)"
    r"|(?:지시|명령|규칙|지침|프롬프트)[^.!?\n]{0,12}(?:무시|잊)|시스템 ?프롬프트[^.!?\n]{0,10}(?:보여|알려|출력)"
    r"|(?:تجاهل|انس)[^.!?\n]{0,30}(?:التعليمات|الأوامر|القواعد|تعليمات)|(?:निर्देश"
    r"|नियम)[^.!?\n]{0,20}(?:अनदेखा|भूल|नज़रअंदाज़)"
    r"|(?:αγνόησε|αγνοήστε|ξέχνα)[^.!?\n]{0,40}(?:οδηγίες|κανόνες|εντολές)|(?:התעלם"
    r"|שכח)[^.!?\n]{0,30}(?:ההוראות|הוראות|הכללים)"
    r"|(?:ละเว้น|เพิกเฉย|ลืม)[^.!?\n]{0,20}(?:คำสั่ง|กฎ)",
    re.IGNORECASE,
)
