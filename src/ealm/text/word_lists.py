"""All lists of English words, in lower case. Where two uses need different lists of one kind, both stand side by side.

Lists that are data with conditions have files of their own: `paraphrase_lexicon.json`, `irregular_forms.json.gz`.
"""


def _words(*lists: str) -> frozenset[str]:
    return frozenset(" ".join(lists).split())


# Pronouns -------------------------------------------------------------------------------------------------------------

_PERSONAL_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves
"""
_INDEFINITE_PRONOUNS = """
someone anyone everyone somebody anybody everybody nobody something anything everything nothing
"""

PRONOUNS_BEFORE_PASSIVES = _words(
    "i you he she it we they who whom whose which that what there here this these those someone somebody something "
    "anyone anything everyone everybody everything one ones"
)
"""Subjects after which a passive without its auxiliary reads as active: "who was shot" is not "who shot"."""

PRONOUNS_BEFORE_PROGRESSIVES = _words("i you he she it we they them us")
"""Subjects that are among the first words to be removed; "they watch" without its subject is a command."""

PERSON_PRONOUNS = _words("he him his himself she her hers herself")
"""Pronouns that stand for a person who has a name or a title before them."""

PERSONS = _words(
    "actor author boss brother buyer captain chief child colleague customer daughter director doctor driver engineer",
    "father farmer friend inspector judge king lawyer leader lecturer manager mayor member minister mother neighbor",
    "neighbour nurse officer owner patient player president prisoner professor queen reporter sailor seller singer",
    "sister soldier son speaker student suspect teacher tenant victim visitor winner witness worker writer",
)
"""Nouns for people, beside those that end in "-man", "-ian" or "-ist"."""

THING_PRONOUNS = _words("it its itself they them their theirs themselves")
"""Pronouns that stand for any noun before them."""

POINTING_WORDS = _words("this that these those such")
"""Words that point to the sentence before, at the start of a sentence."""

LINKING_WORDS = _words(
    "but and or so yet nor however also instead meanwhile therefore thus hence moreover furthermore nevertheless "
    "nonetheless otherwise consequently similarly likewise besides then still too both neither another others here "
    "additionally accordingly conversely yes"
)
"""Words at the start of a sentence that hang on the one before."""

CLASS_NOUNS = _words(
    "agency airline author bank boy bill case club company contract country couple court deal decision device",
    "employees family firm former girl group incident latter man men measure method move ones organization",
    "organisation others pair party patient plan president proposal report researchers result results scientist",
    "scientists spokesman spokeswoman statement study suspect team two victim victims woman women",
)
"""Nouns that with "the" stand for something that the sentence before has named."""

ONE_OF_SEVERAL = _words("other others latter former same remaining one ones")
"""What with "the", or "the cheaper", picks out of something that the sentence before has named."""

ORDINALS_ALONE = _words("first second third last")
"""What with "the" stands for something that the sentence before has named, if a verb follows."""

TRAILING_LINKS = _words("instead either too though")
"""Words at the end of a sentence that hang on the one before."""

CONCLUDING_WORDS = _words("therefore thus hence consequently accordingly")
"""Words anywhere in a sentence that draw a conclusion from the one before."""

HALF_VERBS = _words(
    "do does did have has had am is are was were will would can could should don't doesn't didn't haven't hasn't "
    "hadn't isn't aren't wasn't weren't won't wouldn't can't cannot couldn't shouldn't"
)
"""Verbs that stand for a whole clause: "I did, and it helped"."""

SPANS_AFTER_THIS = _words("year week month morning afternoon evening summer winter spring autumn fall season time")
"""What "this" before it does not point back with: "this year"."""

# Negation and doubt ---------------------------------------------------------------------------------------------------

NEGATIONS = _words(
    "no not nor never none nobody nothing nowhere neither without cannot can't don't doesn't didn't won't wouldn't "
    "isn't aren't wasn't weren't hasn't haven't hadn't shouldn't couldn't mustn't mightn't needn't ain't shan't n't "
    "no-one oughtn't daren't hardly scarcely barely"
)
"""Words whose removal reverses the meaning: they are protected."""

FREE_NEGATIONS = _words("not never")
"""Negations of a verb that are words of their own: without an auxiliary they still negate ("did not come")."""

VERB_NEGATIONS = FREE_NEGATIONS | {"n't"}
"""Negations between an auxiliary and its verb, the clitic included."""

SET_APART_LINKS = frozenset("however nevertheless nonetheless meanwhile moreover".split())
"""Words between commas that join a sentence to the one before."""

SCALES = frozenset("hundred thousand million billion trillion percent pct dozen".split())
"""Words behind a number without which it is another: "$4.85 billion"."""

HEDGES = _words("may might could")
"""Auxiliaries that make a fact a possibility. In lower case only: a May is a month, a Might a force."""

# Letters --------------------------------------------------------------------------------------------------------------

GREETINGS = _words("hi hello dear hey greetings good")
"""First words of the line that greets the reader of a letter."""

CLOSINGS = frozenset(
    "best regards|kind regards|warm regards|regards|best wishes|best|cheers|thanks|thank you|many thanks|sincerely|"
    "yours sincerely|yours faithfully|yours truly|yours|all the best|love|see you|talk soon|with kind regards|"
    "with best regards|with warm regards|with best wishes|with love|respectfully".split("|")
)
"""Lines that end a letter."""

COURTESIES = frozenset(
    "thanks for|thank you for|many thanks for|thanks to everyone|thanks everyone|thanks again|i hope you|"
    "i hope this|i hope all|i trust you|hope you|hope this|hope all|looking forward to|i look forward|"
    "we look forward|we apologise|we apologize|we regret any|please accept|welcomed the members|"
    "welcomed everyone|welcomed everybody|welcomed all|welcomed those|opened the meeting|closed the meeting|"
    "the meeting closed|the meeting ended|the meeting opened|the meeting began|the meeting started|"
    "apologies were|apologies for absence|minutes of the last".split("|")
)
"""Beginnings of sentences, or what "the chair" does in them, that say how a letter or a meeting went."""

ROLL_LABELS = _words("present apologies absent attending attendance attendees participants regrets distribution")
"""Words before a colon and a list of those who were there, or were not."""

ANNOUNCED_NOUNS = _words(
    "aspects cases catch caveat caveats changes choices conditions difference differences exception exceptions",
    "example examples issue issues kinds lesson lessons matter matters news options point points problem problems",
    "questions reason reasons steps thing things types ways",
)
"""What "there are a few" of only says that more follows."""

DECISIONS = _words("adopted agreed approved decided elected recommended rejected resolved voted ruled concluded")
"""Verbs of what a meeting, a court or a study came to."""

LIMITING_HEADINGS = _words(
    "avoid except exceptions excluded excluding false forbidden myth myths prohibited stop wrong when"
)
"""Words of a heading, beside negations and conditions, without which the list below it says something else."""

LETTER_FIELDS = _words("from to cc bcc date sent")
"""Lines at the head of a letter that say how it went, not what it is about."""

# Function words -------------------------------------------------------------------------------------------------------

ARTICLES = _words("a an the")
DETERMINERS = ARTICLES | _words("this these those my your his her its our their every each")
PREPOSITIONS = _words(
    "of in on at by for from with to into onto about against among between during through toward towards under upon "
    "via within without after before since until as than despite amid"
)
CONJUNCTIONS = _words("and or but nor if because although though while whereas whether unless that which who")
CLAUSE_OPENERS = CONJUNCTIONS - {"that"} | _words("so then when where how why until since once")
"""Words before which a sentence that never ends is cut."""
CONDITIONS = _words("if unless until once")
"""Those of them that say when the clause before them holds."""
JOINING = _words("and but so then")
"""Words before a clause that leave it a statement of its own."""
DEPENDING = CONDITIONS | _words(
    "till when whenever where wherever while whereas because since although though before after as",
    "that whether how why what who whom which whose than or otherwise only except provided",
)
"""Words that tie a clause to the one before it, or to the one behind it where they come first."""
TELLING = _words(
    "told tells tell showed shows show convinced convinces reminded reminds assured assures informed informs notified",
    "notifies persuaded persuades taught teaches bet bets guaranteed guarantees demanded demands ordered orders proved",
    "proves meant wish wishes wished",
)
"""Verbs behind whose object a clause may be what somebody is told."""
WHEN_AND_WHY = _words("day night morning week month year time moment minute hour way reason place")
"""Nouns that a clause explains without a gap in it: "the day he sold the shop"."""
FORMS_OF_BE = _words("am is are was were been")
"""Those that a headline omits before a participle or a complement; "be" and "being" stay."""
FORMS_OF_HAVE = _words("has have had")
FORMS_OF_DO = _words("do does did")
_MODALS = "can could may might must shall should will would"
AUXILIARIES = FORMS_OF_BE | FORMS_OF_HAVE | FORMS_OF_DO | _words("be being", _MODALS)
FUNCTION_WORDS = DETERMINERS | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES
"""Words that dangle without the word after them."""

ENGLISH_MARKS = _words("the of and that with for from which were been this their would have has by are they said")
"""Frequent words that hardly another language has: by them a text is known to be English."""

FOREIGN_MARKS = _words(
    "der die das und ist nicht den dem von zu mit sich auf für eine im wird sind le la les des et est une dans que qui",
    "du pas sont pour el los las una por con se il lo gli che di non della sono um uma não och att det som på een het",
    "van niet zijn og er jeg nie się jest w z na",
)
"""Frequent words of other languages: a sentence with several of them may be in one."""

BEFORE_INFINITIVES = _words("to 'll 'd", _MODALS)
"""A form of be, have or do after these is an infinitive: "to have gone", "will be closed"."""

HEADLINE_POSSESSIVES = _words("its his their")
"""Possessives that a headline omits."""

CLITICS = _words("'s n't 're 've 'll 'd 'm")
"""What a tokenizer may cut off the word before."""

# Stop words -----------------------------------------------------------------------------------------------------------

_PUNCTUATION = ". , ; : ! ? ' \" ` `` '' -- - … ( ) [ ] { } / -lrb- -rrb- -lsb- -rsb-"
_BE_HAVE_DO = "be am is are was were been being have has had having do does did doing"

LIGHT_WORDS = _words(
    "a an the this that these those each every either neither some any all both few many much more most other another "
    "such own same several no not nor only",
    _PERSONAL_PRONOUNS,
    "one who whom whose which what whoever whatever",
    _INDEFINITE_PRONOUNS,
    _BE_HAVE_DO,
    "done ought",
    _MODALS,
    "about above across after against along among around as at before behind below beneath beside besides between "
    "beyond but by despite down during except for from in inside into near of off on onto out outside over past since "
    "than through throughout till to toward towards under until up upon via with within without",
    "and or so yet if because although though while whereas whether unless once",
    "here there where when why how then now again also too very just ever never always still even quite rather almost "
    "already",
    "'s 't 're 've 'll 'd 'm n't s t",
    _PUNCTUATION,
    "& *",
)
"""Words that say little by themselves; a negation reaches over them to what it negates ("not in the house")."""

OMISSIBLE_WORDS = LIGHT_WORDS - _words("if unless until except only")
"""Light words that readers can fill in. Negations are protected otherwise; alone they would say the contrary."""

_DAYS = "monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow tonight"
_CARDINALS = """
two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen
"""

DELETED_WORDS = _words(
    "a an the this that these those some any each every either neither both all such",
    _PERSONAL_PRONOUNS,
    "there who whom whose which what whoever whomever whatever whichever",
    _INDEFINITE_PRONOUNS,
    _BE_HAVE_DO,
    _MODALS,
    "ought 're 've 'll 'd 'm",
    _DAYS,
    "zero one",
    _CARDINALS,
    "hundreds thousands millions billions dozens first second third fourth fifth sixth seventh eighth ninth tenth",
    _PUNCTUATION,
    "_ -lcb- -rcb-",
)
"""Stop words of the baseline that removes them: neither prepositions, conjunctions, adverbs nor negations."""

_SPANS_OF_TIME = "day days week weeks month months year years decade decades century hour hours minute minutes"
SPANS_OF_TIME = _words(_SPANS_OF_TIME, "centuries season seasons summers winters weekend weekends")
"""Nouns that say for how long."""
DATES = _words(_DAYS, "january february march april may june july august september october november december")
"""Names of days and months."""
_HIDDEN_NUMBERS = "# ## ### #### #.# ##.# ##.## #,### ##,### ###,###"

STOP_WORDS = (DELETED_WORDS | _words(_SPANS_OF_TIME, _HIDDEN_NUMBERS, "& *")) - NEGATIONS
"""Words that do not count in the reconstruction rate (W, appendix A.4), after the composition of the published list:
articles, pronouns, auxiliaries, weekdays, spans of time, number words and hidden digits, punctuation. Prepositions,
conjunctions and negations count: a sentence without them cannot be told."""

# Numbers --------------------------------------------------------------------------------------------------------------

COUNTS = _words(_CARDINALS)
"""Number words, without "one", which is often none: "more than one reason"."""

NUMBER_UNITS = _words("percent pct hundred thousand million billion trillion")
"""What says nothing without the number before it."""

# Nouns and adjectives -------------------------------------------------------------------------------------------------

QUANTITY_NOUNS = _words("few little lot lots bit number couple")
"""Words that mean something else with an article: "a few" is not "few"."""

ACTIVITY_NOUNS = _words(
    "there aim approach business challenge choice concern difficulty focus function goal idea intention issue job key "
    "mission next objective one option part plan point policy practice priority problem purpose reason role solution "
    "step strategy task thing trick way what work"
)
"""Subjects that may be an activity: in "the plan is building", building is the plan, not what the plan does."""

FUTURE_ADJECTIVES = _words("going scheduled set slated due")
"""Between "is" and "to" they announce the future."""

SPOKEN_ACRONYMS = _words("nato nasa fema sars")
"""Acronyms that are read as words, which decides between "a" and "an"."""

ABBREVIATIONS = tuple(
    (
        "adm approx apr assn aug ave blvd brig bros capt cmdr co col corp cos dec dept dist dr est feb fig gen gov hon "
        "inc jan jr jul jun lt ltd maj mar messrs mfg mr mrs ms mt nov oct op ph.d phd plc prof pvt rep reps rev sen "
        "sens sep sept sgt sr st supt univ vs vol"
    ).split()
)
"""Words that keep the full stop after them; in the order in which the tokenizer tries them."""

# Verbs ----------------------------------------------------------------------------------------------------------------

IRREGULAR_PARTICIPLES = _words(
    "beaten become been begun bought broken brought built caught chosen come cost cut dealt done drawn driven "
    "fallen felt flown fought found given gone got gotten grown heard held hit hurt kept known laid lain led left "
    "lent lit lost made meant met overtaken overthrown paid put quit read risen run said seen sent set shot shown "
    "shut sold sought spent split spoken spread stolen stood struck swept sworn taken taught thought thrown told "
    "torn undergone understood withdrawn woken won worn written"
)
"""The most frequent ones in news; the regular ones end in -ed."""

DURATIVE_VERBS = tuple(
    (
        "aim ask campaign carry compete control cooperate enjoy expect experience face hold hope insist intend live "
        "offer operate plan push rely request seek serve struggle suffer support try urge use vie wait wear work"
    ).split()
)
"""Verbs of lasting activity: the simple past says the same as the past progressive."""

PRESENT_PROGRESSIVE_VERBS = tuple(
    (
        "accuse add address advise analyze apply argue assess attend attract battle begin blame block boost borrow "
        "bring build buy bypass call celebrate charge check claim clash collect conduct confront consider continue "
        "cover create criticize cut deal debate defend deliver deny depend deploy develop discuss distribute drive "
        "employ enter evaluate examine expand explore export feel fight file finalize flee fly focus force form gather "
        "get give guard handle head help host hunt implement import improve increase inspect install introduce invest "
        "investigate join keep launch lay lobby make manage march meet monitor near negotiate open oppose order "
        "organize paint pay plot pose prepare pressure probe produce promote propose protect protest prove provide "
        "pull purchase pursue put raise rally reassess rebuild recall receive recruit reduce reexamine refuse relocate "
        "remove renew replace report rescue restructure rethink retire return review rise run save say scrutinize "
        "search sell send shift show spend sponsor spread stage stand start step stockpile strive study sue take talk "
        "target teach tell test tour track transform travel treat turn undergo undertake upgrade visit vote warn watch "
        "weigh withdraw"
    ).split()
)
"""Verbs whose present progressive is the simple present in headlines; their past progressive is not the simple past."""

INFINITIVES = frozenset([*DURATIVE_VERBS, *PRESENT_PROGRESSIVE_VERBS]) | _words(
    "accept act agree allow announce appeal appear approve arrive assume be become benefit challenge close combat "
    "come complete coordinate decide decline demand drop enable encourage end expire fall fill finish go "
    "grow have hear hire inaugurate include issue last lead leave lift look lose move pave play present "
    "promise publish qualify reach regain release remain reopen resign resolve respond resume sign speak stay "
    "stop strengthen succeed testify threaten unveil welcome win worry write"
)
"""Verbs that may follow "is going to", where "is going to Paris" has none."""

CONTRACTED_ENDINGS = {
    "am": ("'m", frozenset({"i"})),
    "are": ("'re", frozenset("you we they".split())),
    "is": ("'s", frozenset("he she it there".split())),
    "will": ("'ll", frozenset("i you we they he she it".split())),
}
"""What a verb becomes, and the pronouns behind which it does."""
