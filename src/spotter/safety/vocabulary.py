"""Words worth repairing when they are mistyped, and words that are right although they look like a mistyped one."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Only words that carry a rule. Repairing everything would need a dictionary, and would mend what is not broken.
CRITICAL: Final = _words("""
    chest pain pains painful pressure tight tightness squeezing crushing breath breathe breathing breathless
    breathlessness
    heart attack stroke palpitations palpitation fluttering heartbeat irregular racing pounding
    faint fainted fainting collapsed collapse unconscious consciousness dizzy dizziness lightheaded seizure
    numb numbness tingling weakness paralysed paralyzed drooping droopy slurred slurring speech headache vision
    urine swollen swelling bladder bowel groin saddle pregnant pregnancy bleeding contractions
    confused vomiting vomited concussion dislocated deformed fever rhabdo rhabdomyolysis ambulance emergency
    suicide suicidal kill killing myself yourself overdose cutting worthless hopeless hurting harming harm
    anymore living wanna tonight pills
    anorexia anorexic bulimia bulimic purge purging laxatives laxative starve starving binge bingeing vomit calories
    steroids steroid trenbolone testosterone anavar dianabol clenbuterol winstrol
    ignore disregard forget previous instructions instruction system prompt prompts override reveal pretend jailbreak
    bypass password developer restrictions guidelines
    bitch fuck fucking fucker whore slut cunt retard idiot stupid moron nudes porn shoot murder stab gun die dying
""")

NOT_TYPOS: Final = _words("""
    heat heats hear hears heard hearts earth chess cheat cheats chests ches tigh tights night right light fight sight
    might eight
    tightly tighten pains paint paints paid pan pin plan plain plains spain gain gains again rain train brain main
    painted painting gained breathed breather breathes breaths breadth bread break breaks broth breast breasts
    attacks attach attacked attacker stroked stroker stokes strokes stoke strike stoked racing pacing facing tracing
    bracing racking raving rowing grounding rounding sounding bounding founding
    fain faints fait saint taint feint print pounding points point aint
    collapses collapsing collapsible number numbs numbed dumb nub thumb limb
    speeches peech visions visit version fission mission division provision
    purine marine wrine stollen sullen swell welling dwelling smelling selling spelling yelling telling
    ladder ladders badder bladders bowels bowl bowls towel towels elbow vowel bower below
    grown grin groins join groan grain going coin gown row own saddles paddle straddle sadder addle
    bleeding breeding feeding blending bending leading reading needing
    confuse confuses focused confined seizures
    fevers never ever lever fewer feet fee sever seven even
    skill skills skilled mill bill hill will till fill still kills killer killed ill kiln skilling filling
    milling billing
    willing chilling drilling kin kid king kick kicking
    putting curing cuing cutting cuttings gutting shutting hutting nutting
    hustling hunting hosting hurdling hurling turning curling burning hurt hurts hating
    hams ham charm charms harms warm warms farm arm arms army hard hare harming farming warming charming framing arming
    lining giving loving leaving lying liking livings moving riving driving diving
    pill pulls polls spills skills pals pile piles fills bills hills drills grills mills
    began begin began bing being bring singe hinge binges binged ring
    purged surge urge purse pure pure nurse purger merge purging surging urging
    starved starves stare start starts starving staring starring starting stave
    calorie caloric forge fort forgets forgot forge forger orget target get
    prompted romp promo prom system systems stem sytem reveals revel revealed pretends portend intend
    previously ignored ignores ignoring ignorer gnore disregards promptly
    fluttered stuttering muttering buttering guttering cluttering shuttering
    shoots shot shout shoo shoots hoot foot root boot scoot moot soot smoot shooting
    slot slit salt sluts lut slu stout start stab stabs tab tabs stub stan star stay stable stabbed stag slab scab
    gun guns gums guts gut gum fun run sun bun dun gunn
    ditch itch pitch bitch hitch witch batch bitches botch birch stitch bit bitchy
    fork folk luck duck tuck buck suck puck pluck muck funk flick fuel full
    whole where shore chore whores whose were here
    count cut cute aunt can cent cant cunts cunning
    adult idiots idiom stupidly pored pork ported born corn worn torn pore pour port ports porno poor prone
    nude nudges needs nodes nudges dudes
    wanna want wannabe tonight tonights together toning
    mating vomits worthwhile worth hopeful hopes homeless hopelessly harmless worthy
    retarded retired regard retread remark restart retards return
    dye dyed dying drying doing tying trying lying
    live lives living lived alive
    stead steady instead confirmed confused refused confuse
    amore anymore moreover more
    your yours yourself ourself himself itself herself self myself
    harmed harmony dislocate dislocates dislocation dislocations
    presser pressures pressured press pressing pressures
    squeezed squeezes crushed crusher brushing rushing blushing flushing
    heartbeats swollen fallen
    vision visual
    dizzily fizzy dozy
    cutting cuttings
    instructor instructors instructed construction instructional
    gnarly
""")
