"""The same alarms in German, Spanish and French: the phrases people in trouble use most. Accents are folded away."""

from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.grammar import Grammar

grammar: Final = Grammar({})
_MEDICAL: Final = CategoryName.MEDICAL_EMERGENCY
_SELF: Final = CategoryName.SELF_HARM

RULES: Final = (
    grammar.rule(
        _MEDICAL, "red flag (German)",
        r"brustschmerz(?:en)?|schmerz(?:en)?~3 (?:in|auf) (?:der|meiner) brust|(?:druck|enge|stechen"
        r"|brennen)~3 (?:auf|in) (?:der|meiner) brust|brust~3 (?:schmerzt|tut weh|eng)|engegefuhl|(?:kriege"
        r"|bekomme|krieg|bekomm) (?:kaum |gar )?(?:keine|kaum|schlecht) luft|keine luft(?: mehr)?|atemnot"
        r"|kann nicht (?:mehr )?atmen|ohnmachtig|in ohnmacht|umgekippt|bewusstlos|zusammengebrochen"
        r"|schwarz vor (?:den )?augen|herzinfarkt|schlaganfall|herzrasen|herzstolpern|herzklopfen in ruhe"
        r"|lahmung(?:en)?|gesicht~3 (?:taub|hangt)|halbseitig|linke[rn]? (?:arm|seite)~3 (?:taub|gelahmt"
        r"|schmerz[a-z]*)|dunkler urin|urin~4 (?:braun|dunkel|cola)|stark(?:e)? schwindelig|notarzt"
        r"|krampfanfall|starke blutung(?:en)?",
    ),
    grammar.rule(
        _MEDICAL, "red flag (Spanish)",
        r"dolor~3 (?:en|de) (?:el |mi )?pecho|(?:me )?(?:duele|oprime|aprieta)~2 (?:el |mi )?pecho"
        r"|presion~2 (?:en|de) (?:el |mi )?pecho|opresion~3 pecho|no puedo respirar|me cuesta respirar"
        r"|(?:me )?falta (?:el |de )?aire|me (?:he )?(?:desmaye|desmayado|desmayo)|perdi el (?:conocimiento"
        r"|sentido)|se (?:ha )?desmayo|infarto|ataque (?:al corazon|cardiaco)|derrame cerebral"
        r"|palpitaciones|brazo izquierdo~4 (?:dormido|adormecido|duele|dolor)|(?:duele"
        r"|dolor)~3 brazo izquierdo|cara~3 (?:dormida|caida|torcida)|orina~4 (?:oscura|marron|coca|negra"
        r"|roja)|peor dolor de cabeza|convulsi(?:on|ones)|ambulancia",
    ),
    grammar.rule(
        _MEDICAL, "red flag (French)",
        r"(?:douleurs?|mal|pression|oppression|serrement)~4 (?:a|dans|au niveau de|de) (?:la |ma )?poitrine"
        r"|douleurs? thoracique|poitrine~3 (?:serree|oppressee|mal)|(?:arrive|peux|arrive plus"
        r"|peux plus)~3 (?:pas |plus )?(?:a )?respirer|du mal a respirer|essouffle(?:e)? au repos"
        r"|(?:je me suis|il sest|elle sest|me suis) evanoui(?:e)?|perdu connaissance"
        r"|tombe(?:e)? dans les pommes|malaise cardiaque|crise cardiaque|infarctus|(?:un )?avc"
        r"|palpitations cardiaques|bras gauche~3 (?:engourdi|mal|douleur)|(?:mal|douleur)~3 bras gauche"
        r"|visage~3 (?:engourdi|paralyse|tombe)|urine~4 (?:foncee?s?|marron|brune?s?|noire?s?|rouge)"
        r"|pire mal de tete|le samu|ambulance svp",
    ),
    grammar.rule(
        _SELF, "thoughts of dying (German)",
        r"(?:will|mochte|wollte|wurde)~3 (?:nicht mehr leben|sterben|tot sein|mich umbringen"
        r"|nicht mehr da sein|mein leben beenden|nicht mehr aufwachen)|umbringen|selbstmord|suizid(?:al"
        r"|gedanken)?|lebensmude|(?:mich )?ritzen?|selbst ?verletz[a-z]+|mir (?:etwas|was) antun"
        r"|mich (?:selbst )?verletzen|keinen sinn mehr|ware~3 (?:lieber|besser) tot|ohne mich besser dran"
        r"|das leben (?:nehmen|beenden)|kann nicht mehr leben", negatable=False,
    ),
    grammar.rule(
        _SELF, "thoughts of dying (Spanish)",
        r"(?:quiero|quisiera|ganas de|deseo|prefiero)~2 (?:morir|morirme|matarme|suicidarme|estar muert[oa]"
        r"|desaparecer para siempre|dejar de vivir|acabar con (?:todo|mi vida)|quitarme la vida"
        r"|no despertar)|no quiero (?:seguir )?(?:vivir|viviendo|vivir mas|estar aqui)|suicid(?:io|arme"
        r"|arse|a)|matarme|quitarme la vida|(?:hacerme|me hago|haciendome) dano|cortarme|me corto"
        r"|autolesi[a-z]+|mejor sin mi|no vale la pena vivir|acabar con mi vida", negatable=False,
    ),
    grammar.rule(
        _SELF, "thoughts of dying (French)",
        r"(?:veux|voudrais|envie de|aimerais|prefere|vais|pense a)~2 (?:mourir|me tuer|me suicider"
        r"|etre mort(?:e)?|en finir|disparaitre pour toujours|ne plus (?:vivre|me reveiller|exister))"
        r"|(?:plus|pas) envie de vivre|suicid(?:er|aire|aires)|(?:mon|le|au|du|par) suicide"
        r"|me tuer|en finir avec (?:la|ma) vie"
        r"|mettre fin a mes jours|me faire du mal|me mutil(?:e|er)|me scarifi(?:e|er)|mieux sans moi"
        r"|plus la force de vivre", negatable=False, unless=
            r"suicide (?:sprints?|squad|grip)",
    ),
)  # fmt: skip
