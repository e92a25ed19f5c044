"""What a word needs beside it, as tables of relations and words: one place, to be read and changed by a linguist.

Relations are those of spaCy's English pipelines (ClearNLP style). A *required* dependent stays whenever its head
stays: without it the sentence would be broken, or say what the source does not say. All other dependents may go, at a
cost in the units of word importance (standard deviations within the sentence): what it costs to leave one out beside
the importance of its words.
"""

REQUIRED = frozenset(
    "nsubj nsubjpass csubj csubjpass expl dobj dative attr acomp oprd xcomp ccomp pcomp pobj neg prt aux auxpass "
    "mark case preconj predet quantmod dep agent-complement".split()
)
"""Relations whose dependent completes its head: a verb's subject, objects and complements, particles, auxiliaries."""

OMISSION_COST = {
    "compound": 4.0,
    "nummod": 0.75,
    "poss": 1.25,
    "amod": 0.5,
    "nmod": 1.0,
    "acl": 0.5,
    "relcl": -1.25,
    "prep": 0.5,
    "agent": 0.5,
    "advcl": -1.0,
    "npadvmod": 0.0,
    "advmod": 0.75,
    "appos": -2.25,
    "conj": 0.25,
    "attribution": -5.0,
    "parataxis": -2.5,
    "designator": -2.5,
    "discourse": -6.0,
    "intj": -2.0,
    "unsaid": 2.0,
}
"""Of the other relations; below 0, leaving it out is welcome. What is not named costs nothing."""

OF_COST = 2.0
"""For "of" behind a noun: "a lack of water" is not "a lack"."""

VERB_COMPLEMENT_COST = 3.0
"""For the first phrase behind a verb without object or complement: "it depends on the weather"."""

INFINITIVE_COST = 2.0
"""For an infinitive behind a noun: "a plan to cut costs"."""

TIME_COST = -0.5
"""For when it happened: the first thing that may go."""

RESTRICTIVE_COST = 1.0
"""For a relative clause or participle without a comma before it: it says which one is meant."""

SUBJECT_TOPIC = 2.0
QUESTION_TOPIC = 2.5
UNKNOWN_TOPIC = 3.0
LIMITED_TOPIC = 4.0
UNSURE_TOPIC = 1.5
"""What a phrase is worth beside its words where no statement fits: a subject; a question; less, with a pronoun that
nothing explains; what is counted or need not be; a little less, what stands with a negation or condition."""

# Words that turn round, limit or weaken what is said ------------------------------------------------------------------

NEGATORS = frozenset(
    "no not n't never none nobody nothing nowhere neither nor cannot without hardly scarcely barely rarely seldom "
    "no-one dont doesnt didnt cant wont isnt arent wasnt werent wouldnt couldnt shouldnt havent hasnt".split()
)
LIMITERS = frozenset(
    "only just even merely almost nearly mostly partly partially half about around roughly approximately some least "
    "most up more less fewer over under exactly solely mainly largely virtually practically effectively too enough "
    "so as yet longer anymore otherwise instead rather except apart aside twice thrice ever second third fourth "
    "fifth especially particularly".split()
)
HEDGES = frozenset(
    "allegedly reportedly possibly probably perhaps maybe supposedly apparently likely unlikely presumably "
    "potentially purportedly ostensibly seemingly theoretically hopefully conceivably tentatively temporarily "
    "usually often sometimes occasionally generally normally typically knowingly intentionally deliberately "
    "wilfully willfully recklessly negligently initially formerly previously originally almost wrongly falsely "
    "mistakenly incorrectly erroneously jokingly else".split()
)
QUANTIFIERS = frozenset(
    "no none few fewer little less some any all every each both either neither most many much several half enough "
    "another other more least single".split()
)
PRIVATIVE = frozenset(
    "former previous fake alleged potential possible likely unlikely would-be suspected proposed planned failed "
    "attempted unsuccessful false so-called ex acting deputy vice assistant interim counterfeit mock virtual near "
    "partial apparent purported supposed reputed hypothetical expected prospective presumed unconfirmed non only first "
    "last next sole second third fourth fifth sixth seventh eighth ninth tenth few fewer less more many several other "
    "same different opposite artificial imitation provisional preliminary tentative conditional optional temporary "
    "imaginary fictional falling rising declining shrinking slowing growing weak weaker strong stronger lower higher "
    "slower faster poor worse better reduced unrealistic lost missing full whole entire".split()
)
"""Adjectives without which another thing is meant: a former minister is no minister."""

CONDITIONS = frozenset("if unless until till provided providing assuming whether lest once supposing except".split())
"""Conjunctions of clauses on which the truth of the main clause hangs."""

ADJUNCT_MARKS = frozenset("because although though since whereas while".split())
"""Conjunctions of clauses that are adjuncts."""

FACTUAL_MARKS = frozenset("because although though whereas".split())
"""Conjunctions of clauses that are told as facts."""

HARD_CONDITIONS = frozenset("if unless provided until till".split())

SUPPOSING = frozenset("if provided providing assuming".split())
BEFORE_CONDITION = frozenset("only as so long".split())
"""Conjunctions of clauses that a remark may stand for, and words that belong to them."""

WHEN = frozenset("when whenever where wherever as while".split())
"""Conditions only where the main clause is no report of the past."""

LIMITING_PREPOSITIONS = frozenset(
    "without except excluding barring unless until till pending than instead rather besides but".split()
)

EXCHANGES = frozenset(
    "replace replaces replaced replacing substitute substitutes substituted substituting swap swaps swapped swapping "
    "exchange exchanges exchanged exchanging switch switches switched switching rename renames renamed renaming trade "
    "trades traded trading convert converts converted converting turn turns turned turning compare compares compared "
    "mistake mistakes mistook mistaken confuse confuses confused prefer prefers preferred differ differs differed "
    "distinguish prevent prevents prevented preventing protect protects protected protecting deprive deprives deprived "
    "depriving strip strips stripped value values valued valuing price prices priced put puts putting place places "
    "placed placing blame blames blamed blaming attribute attributes attributed accuse accuses accused accusing clear "
    "cleared acquit acquitted ban banned bar barred stop stops stopped rule rules ruled refrain refrains notify "
    "notifies notified inform informs informed refrained map maps mapped link links linked linking connect connects "
    "connected connecting depend depends depended consist consists consisted based limit limits limited spend spends "
    "spent spending".split()
)
"""Verbs (all forms) that say something else without their phrase: "replaced A with B", "brought under control"."""

DEPRIVING = frozenset(
    "deprive deprives deprived depriving strip strips stripped clear cleared acquit acquitted accuse accuses accused "
    "accusing rob robs robbed".split()
)
"""Those whose phrase begins with "of"."""

PARTITIVES = frozenset(
    "lack number rest part one none thousands hundreds millions billions dozens scores most some all half third "
    "quarter majority minority percent % end loss absence risk threat ban series group lot lots kind sort type share "
    "portion groups pair couple handful bit piece member members plenty amount amounts level levels total two three "
    "four five six seven eight nine ten each any several many few both either neither much every dozen remainder "
    "shortage possibility chance chances denial rejection failure prospect fear fears rate percentage tens case cases "
    "sign signs victim victims set variety range worth aftermath wake use state date presence history dose doses copy "
    "pack period age name closure form species property beginning start origin birth head founder cause source result "
    "memorandum cousin brother sister son daughter wife husband father mother widow".split()
)
"""Nouns that say nothing, or something else, without their "of"."""

UNITS = frozenset(
    "percent pct % percentage points point hundred thousand million billion trillion dollars dollar euros euro "
    "pounds pound yen yuan cents cent years year months month weeks week days day hours hour minutes minute seconds "
    "miles mile kilometers kilometres km metres meters meter metre feet foot inches inch kg kilograms grams mg ml "
    "centimetres centimetre centimeters cm mm millimetres millimetre litre liter hectares acres ounces spoonful "
    "litres liters tons tonnes barrels degrees shares votes people bn mln m k times part parts tenth third quarter "
    "worth".split()
)
"""Nouns that say nothing without their number."""

OFFICES = frozenset(
    {("prime", "minister"), ("chief", "executive"), ("vice", "president"), ("deputy", "head"), ("public", "domain")}
)
"""Offices of two words: the second alone is another one."""

PEOPLE = frozenset(
    "people adults children patients women men mice rats smokers babies infants teenagers pupils".split()
)
"""Of whom a finding holds."""

LIGHT_NOUNS = frozenset("control justice force light effect account charge practice risk danger trial".split())
"""Nouns that make one verb with a verb and a preposition: "put into practice", "held to account"."""

WONDERING = frozenset("sure certain clear unsure uncertain unclear known".split())
"""Adjectives behind which "if" asks."""

SCALES = frozenset("thousand million billion trillion thousands millions billions".split())
"""Numbers of whatever is counted in them, mostly money: "1.3 million kroner"."""

GENERIC_HEADS = frozenset(
    "anything something nothing everything those anyone everyone anybody everybody people someone somebody nobody "
    "no-one one ones".split()
)
"""Words that mean nobody in particular without the clause behind them."""

SAYING = frozenset(
    "said says say saying told tells announced announces reported reports stated states added adds noted notes "
    "confirmed confirms showed shows found finds revealed reveals disclosed discloses wrote writes admitted admits "
    "acknowledged acknowledges declared declares stressed stresses emphasized emphasised texted texts tweeted tweets "
    "emailed emails informed informs".split()
)
"""Verbs of plain assertion: what their subject says may stand alone. Believing, denying, hoping and asking are none."""

FIXED_COMPOUNDS = frozenset(
    tuple(compound.split())
    for compound in (
        "insider trading, "
        "car park, car parks, side effect, side effects, heart attack, heart attacks, heart failure, air strike, air "
        "strikes, hunger strike, hunger strikes, power plant, power plants, power station, power line, power cut, "
        "power cuts, space station, police station, gas station, petrol station, fire station, railway station, train "
        "station, bus station, bus stop, ice cream, soap opera, human being, human beings, guinea pig, guinea pigs, "
        "credit card, credit cards, debit card, boarding pass, driving licence, peanut butter, cough syrup, water "
        "polo, table tennis, air force, task force, stock exchange, interest rate, interest rates, blood "
        "pressure, blood sugar, body weight, sea level, room temperature, death toll, death penalty, life sentence, "
        "court case, test case, ground floor, swimming pool, hedge fund, sea lion, bank holiday, "
        "birth rate, crime scene, drug dealer, fire fighter, fire drill, toy gun, paper clip, "
        "ghost town, hot dog, jet lag, science fiction, security guard, head start, child labour, child "
        "abuse, war crime, war crimes, peace treaty, peace talks, price war, trade war, fire alarm, smoke alarm, "
        "oil spill, blood test, chest pain, back pain, knee injury, speed limit, time limit, age limit, window "
        "sill, wind farm, solar farm, fish farm, money laundering, tax evasion, tax haven, identity theft"
    ).split(", ")
)
"""Compounds whose last noun alone means something else."""

EMPTY_NOUNS = frozenset(
    "use usage rate rates level levels time times size sizes count counts mode modes status side sides".split()
)
"""Nouns that say nothing without the noun before them: "memory use", "the unemployment rate"."""

REMINDERS = frozenset("reminder note notice announcement news".split())
"""Nouns whose clause is plainly asserted."""

WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
NUMBERED = frozenset("type phase stage grade category level class tier version model size block unit magnitude".split())
"""Nouns that a number may follow before another noun: "type 2 diabetes"."""

FIRST_PERSON = frozenset("i we me us my our mine ours myself ourselves".split())
SPEAKERS = frozenset("i we you i'm we're you're i've we've you've i'd we'd you'd i'll we'll you'll".split())
SPEAKERS_OWN = frozenset("my our your me".split())
THIRD_PERSON = frozenset("it he she they".split())
PLURAL_PRONOUNS = frozenset("they".split())
PRONOUNS = frozenset(
    "i you he she it we they me him her us them this that these those who whom which what someone somebody anyone "
    "anybody everyone everybody nobody something anything everything nothing one".split()
)

ARTICLES = frozenset("a an the".split())
DEMONSTRATIVES = frozenset("this that these those".split())
NEED_ARTICLE = frozenset("few little lot lots bit number couple half".split())
POSSESSIVES = frozenset("its his their her".split())
BE_PRESENT = frozenset("is are am 's 're 'm".split())
BE_PAST = frozenset("was were".split())
HAVE = frozenset("has have".split())
NORMATIVE = frozenset("may must shall should can cannot can't mustn't shouldn't".split())
"""Auxiliaries of rules and advice."""
SPANS = frozenset("second minute hour day night week month quarter year season".split())
NEED_INFINITIVE = frozenset(
    "plan plans bid bids effort efforts attempt attempts proposal proposals decision decisions right ability need "
    "refusal promise pledge call calls move permission chance threat offer order orders request deal".split()
)
"""Nouns that say little without the infinitive behind them: "a plan to raise the retirement age"."""
LASTING = frozenset("regarded known considered believed called seen used thought supposed meant".split())
"""Participles that without "was" tell what still is."""
SAME_PAST = frozenset(
    "won made said found left lost sold held led cut hit put set bought brought built kept met paid sent spent told "
    "taught thought caught fought sought got had heard meant shut split spread struck stood understood let bet shot "
    "slept swept wept felt fled laid lit read bent lent dealt hung stuck won".split()
)
"""Irregular participles that are the past tense too: "has won" may be "won", but "has become" not "become"."""

TITLES = frozenset(
    "president minister mr mr. mrs mrs. ms ms. dr dr. sir lord lady king queen prince princess pope chief chairman "
    "chairwoman ceo director general gen. colonel col. sergeant sen. rep. gov. secretary chancellor premier judge "
    "justice prosecutor spokesman spokeswoman coach professor prof. captain capt. senator mayor governor manager "
    "leader analyst economist founder striker defender midfielder goalkeeper executive officer cfo coo boss banker "
    "lawyer speaker commissioner candidate author actor actress singer representative ambassador envoy".split()
)
"""Words before a name without which the name is still the whole name."""

UNSURE_TITLES = frozenset(
    "general chief justice premier executive prince king queen coach speaker lord lady manager leader author director "
    "officer secretary".split()
)
"""Titles that before a single name may be a part of it: "General Motors"."""

DESIGNATORS = frozenset(
    "inc inc. corp corp. co co. ltd ltd. plc llc lp ag sa s.a. se nv n.v. ab asa oyj gmbh spa s.p.a. bhd pjsc oao "
    "incorporated limited".split()
)
"""What a company may be named without."""

TIMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december today yesterday tomorrow tonight morning afternoon evening night noon "
    "midnight week month year weekend quarter day weeks months years days decade spring summer autumn fall winter "
    "earlier later recently now currently ago".split()
)
"""Nouns and adverbs that say when."""

CONTROL = frozenset(
    "vote votes voted voting ask asks asked asking allow allows allowed allowing force forces forced forcing urge "
    "urges urged urging want wants wanted order orders ordered ordering tell tells told help helps helped helping "
    "persuade persuaded encourage encourages encouraged require requires required permit permits permitted enable "
    "enables enabled forbid forbids forbade forbidden cause causes caused get gets got let lets make makes made need "
    "needs needed expect expects expected teach teaches taught teaching invite invited advise advises advised warn "
    "warns warned remind reminded prompt prompts prompted use uses used find found take takes took taken spend spends "
    "spent".split()
)
"""Verbs whose object does what the infinitive says; without it they say something else."""

IDIOMS = frozenset(
    tuple(idiom.split())
    for idiom in (
        "at least, at most, at all, all but, no longer, no more, more than, less than, fewer than, up to, as many as, "
        "as much as, as long as, so long as, as few as, as little as, not yet, hardly any, hardly ever, nothing but, "
        "straight away, right away, no fewer than, no less than, a few, a little, as well as, such as, so that, as if, "
        "as though, even though, in front of, on top of, on behalf of, instead of, each other, one another, only if, "
        "even if, as soon as, any more, not only, far from"
    ).split(", ")
)
"""Words that say something else without each other."""

CONDITIONAL_IDIOMS = frozenset({("as", "long", "as"), ("so", "long", "as"), ("only", "if")})
CONCESSIVE_IDIOMS = frozenset({("even", "if"), ("even", "though")})
"""What holds "even if" holds in any case."""

ALTERNATIVES = frozenset("or nor and/or".split())
FRACTIONS = frozenset("half twice thrice".split())
SHARES = frozenset("none one any most some".split())
UNIVERSAL = frozenset("no all every any each only none neither never not".split())
FOCUS = frozenset("only solely exclusively except unless excluding barring apart save".split())
DEGREES = frozenset("less least as so too more most hardly barely nearly almost only twice half".split())
CONDITION_NOUNS = frozenset("case event condition conditions exception exceptions basis assumption absence".split())
RUMOURS = frozenset(
    "theory rumour rumor rumours rumors legend myth critics opponents claims allegations few some lawsuit".split()
)
INVERTED = frozenset("should had were".split())
"""Auxiliaries that make a condition where they stand before the subject."""

FALSELY = frozenset(
    "wrongly falsely mistakenly incorrectly erroneously jokingly reportedly allegedly never not".split()
)
NOBODY_IN_PARTICULAR = frozenset(
    "everyone everybody somebody someone nobody some many people critics opponents others few most rumours "
    "rumors".split()
)
THIRD_PERSON_OBJECTS = frozenset("it him her them".split())
MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sept sep oct nov dec".split()
)
FEMALE = frozenset(
    "mother woman girl daughter sister wife queen princess actress aunt grandmother lady nun niece widow chairwoman "
    "spokeswoman businesswoman policewoman mrs ms".split()
)
MALE = frozenset(
    "father man boy son brother husband king prince actor uncle grandfather gentleman monk nephew widower chairman "
    "spokesman businessman policeman mr".split()
)
GROUPS = frozenset(
    "company firm bank ministry government agency police team club group board committee court council union party "
    "army report study survey paper newspaper magazine statement university school hospital department office".split()
)
"""Who is an "it"."""

PROPORTIONS = UNIVERSAL | frozenset("most few half many".split())
"""What is said of a share of a kind holds of that kind only."""

DENYING = frozenset(
    "refuse refuses refused fail fails failed failing pretend pretends pretended reject rejects rejected oppose "
    "opposes opposed avoid avoids avoided abandon abandons abandoned cancel cancels cancelled canceled drop drops "
    "dropped block blocks blocked dismiss dismisses dismissed withdraw withdraws withdrew withdrawn lack lacks lacked "
    "consider considers considered propose proposes proposed threaten threatens threatened plan plans planned try "
    "tries tried seek seeks sought accuse accuses accused accusing charged".split()
)
"""Verbs whose object need not be: a rejected plan, a threatened strike."""

NARROWING = frozenset("with without between under over above below aged".split())
"""Prepositions that say which of a kind are meant: "people with a nut allergy"."""

PARTICLES = frozenset("back away off out up down over together apart aside forward".split())
"""Adverbs behind a verb that are a part of it: "push it back"."""

PLACES = frozenset("at in on off under".split())

MEASURED = frozenset("from above below before after north south east west off outside away".split())
"""Prepositions that a measure stands before: "41 miles from the coast"."""

LOOSE_LIMITS = frozenset("any some enough all every each even only just".split())
"""Of how many something is said: a phrase of which nothing is said does without."""

ASKING = frozenset("whether how why when where which".split())
"""First words of clauses that ask."""

NEED_PHRASE = frozenset(
    "go goes went gone going come comes came coming talk talks talked talking speak speaks spoke click clicks clicked "
    "lie lies lay lain belong belongs belonged rely relies relied stem stems stemmed refer refers referred lead leads "
    "led leading result results resulted amount amounts amounted contribute contributes contributed entitled accused "
    "charged convicted composed located linked based aimed tied due liable subject prone set get gets got getting "
    "thinking looking range ranges ranged seem seems seemed look looks looked sound sounds sounded feel feels felt "
    "remain remains remained stay stays stayed keep keeps kept become becomes became suitable able unable "
    "squeeze squeezes squeezed allergic marked resort resorts resorted resorting headed heading".split()
)
"""Verbs, participles and adjectives that say nothing without the phrase behind them: "is entitled to leave"."""

THINKING = frozenset(
    "think thinks thought believe believes believed claim claims claimed argue argues argued warn warns warned hope "
    "hopes hoped fear fears feared expect expects expected deny denies denied suggest suggests suggested ask asks "
    "asked wonder wonders wondered know knows knew suppose supposes supposed insist insists insisted allege alleges "
    "alleged predict predicts predicted estimate estimates estimated promise promises promised agree agrees agreed "
    "conclude concludes concluded complain complains complained joke jokes joked guess reckon reckons suspect "
    "suspects suspected mean means explain explains explained doubt doubts doubted swear swears swore feel feels "
    "felt".split()
)
"""Verbs whose clause is not plainly asserted: it stays in their scope."""
