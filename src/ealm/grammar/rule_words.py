"""Words that single rules look for; what several of them share is in `rules`."""

TWOFOLD = frozenset("as after before since until till".split())
"""Prepositions that are conjunctions too."""

RANKS = frozenset("top leading first only second third main".split())
"""Words that rank, like a superlative."""

GREETINGS = frozenset("hi hello hey dear hiya morning".split())
"""First words of an address: "Hi all, …"."""

LEAVING = frozenset(
    "leave leaves left leaving keep keeps kept keeping see sees saw seen seeing hear hears heard hearing find finds "
    "found catch catches caught".split()
)
"""Verbs whose object does what the participle behind it says."""

OPEN_NOUNS = frozenset("sign fact claim indication evidence idea belief".split())
"""Nouns that a clause must follow."""

CONJUNCTIONS = frozenset("when while as if because although though since until before after that".split())
"""First words of clauses that something must follow."""

NOUN_PHRASES = {
    "interest": ("in",),
    "lack": ("of",),
    "need": ("for",),
    "responsibility": ("for",),
    "attitude": ("to", "towards"),
    "access": ("to",),
    "connection": ("with",),
    "right": ("to",),
    "time": ("for",),
    "rise": ("in",),
    "drop": ("in",),
    "fall": ("in",),
    "increase": ("in",),
    "decrease": ("in",),
    "decline": ("in",),
    "cusp": ("of",),
    "verge": ("of",),
    "brink": ("of",),
    "roster": ("of",),
    "fate": ("of",),
    "hopes": ("of", "for", "about"),
    "fears": ("of", "about", "over"),
    "concerns": ("about", "over"),
    "worries": ("about", "over"),
    "expectations": ("of", "for"),
    "optimism": ("about", "over"),
    "doubts": ("about", "over"),
}
"""Nouns that say little without a phrase that begins with one of these words."""

AIMS = frozenset("talks way push ability inability".split())
"""Nouns that say nothing without the infinitive behind them: "in talks to buy", "as a way to save"."""

WAYS = frozenset("way ways level levels".split())
"""Nouns that say nothing without the clause behind them: "rose to levels seen in May"."""

REGRETS = frozenset("sorry afraid regret apologise apologize unfortunately".split())
"""Words of somebody who is sorry for what follows."""

TAKING_TIME = frozenset("take takes took taken taking need needs needed needing".split())
"""Verbs of what takes time."""

SMALL_DEGREES = frozenset("slightly just well far much".split())
"""Words before "more than" that it is true without."""

CLAIMANTS = frozenset(
    "witness witnesses suspect defendant accused plaintiff claimant prosecution lawyer lawyers".split()
)
"""Those whose word is a claim and no fact."""

STARTERS = frozenset("ok okay so well anyway".split())
"""First words of a message that say nothing."""

FRAMING = frozenset(
    "spoke talked checked check gone went called wrote phoned emailed chatted asked rang texted messaged met".split()
)
"""Verbs of what somebody did before he learned what he tells."""

FINDING = frozenset("found discovered noticed realised realized learned learnt saw".split())
"""Verbs of what somebody then knows."""

PERSONS = frozenset(
    "investor tycoon banker billionaire economist analyst lawyer author writer novelist poet painter actor actress "
    "singer coach striker goalkeeper scientist historian surgeon nurse teacher farmer activist founder strategist "
    "trader candidate lawmaker campaigner journalist reporter footballer".split()
)
"""What a person may be called before the name, beside titles."""

STOPPING = frozenset(
    "stop stops stopped stopping avoid avoids avoided avoiding quit refuse refuses refused fail fails failed refrain "
    "prevent prevents prevented".split()
)
"""Verbs that say that something is not done."""

REASONS = frozenset("because according despite due given since".split())
COMPARING_ASIDE = frozenset("up down lower higher compared versus".split())
"""Prepositions of phrases that limit no denial."""

BOUNDS = frozenset("before after within until above below over under".split())
"""Prepositions that say how far a condition reaches."""

PLACE_NOUNS = frozenset("area areas place places country countries region regions city cities room rooms zone".split())
"""Nouns that "where" may belong to."""

FILLERS = frozenset("omg lol haha hahaha tbh ngl lmao btw imo imho".split())
"""What people write in messages that says nothing."""

TIED = frozenset(
    tuple(pair.split())
    for pair in (
        "regardless of, irrespective of, apart from, away from, ahead of, way from, free of, prior to, due to, "
        "thanks to, owing to, contrary to, contrast to, contrast with, together with, along with, compared with, "
        "compared to, event of, purpose of, course of, extent of, favour of, favor of, charge of, terms of, spite of, "
        "view of, aside from, light of, top of, because of, out of, closer to, nearer to, next to, "
        "similar to, up from, down from, call for, calls for, called for, calling for"
    ).split(", ")
)
"""Words that say nothing without the preposition behind them and its object."""

GIVING = {
    "with": frozenset(
        "supply supplies supplied supplying provide provides provided providing equip equips equipped furnish "
        "furnishes furnished fill fills filled help helps helped charge charges charged charging".split()
    ),
    "to": frozenset(
        "offer offers offered offering entitle entitles entitled entitling expose exposes exposed exposing".split()
    ),
    "as": frozenset(
        "name names named naming appoint appoints appointed appointing pick picks picked picking choose chooses "
        "chose chosen choosing elect elects elected see sees saw seen view views viewed regard regards regarded "
        "describe describes described treat treats treated serve serves served serving act acts acted acting "
        "designate designates designated classify classifies classified single singled label labels labeled "
        "labelled brand brands branded recognize recognizes recognized recognise recognised count counts counted "
        "define defines defined".split()
    ),
}
"""Verbs whose phrase with this preposition says what somebody gets, or is said or made to be."""

RIGHTS = frozenset("entitled allowed permitted able eligible liable obliged required available authorised".split())
"""States that somebody is in or not, whatever the reason."""

CLOCK = frozenset("a.m. p.m. am pm noon midnight o'clock".split())
"""Last words of a time of the day."""

STATES = frozenset("condition shape mood".split())
"""Nouns that say nothing without their adjective: "in good condition"."""

FORMERLY = frozenset("once long originally initially previously formerly".split())
"""Words of a belief that is over."""

CONTRADICTING = frozenset(
    "otherwise opposite contrary wrong false untrue mistaken incorrect myth disagrees disagree disagreed disproved "
    "refuted contradicts contradicted".split()
)
"""Words of a clause that takes back what was said."""

TELLING = frozenset("inform tell let say announce confirm remind report advise notify share".split())
"""What somebody writes in order to do."""

WISHING = frozenset("like want wanted wish writing regret i'm we're am are is".split())
"""Main verbs of what leads there: "we would like to tell you", "this is to confirm", "I'm writing to say"."""

FEELING = frozenset("grateful pleased happy delighted glad sorry proud excited thrilled saddened sad".split())
"""How somebody says that he tells something."""

MINDFUL = frozenset("aware advised informed reminded mindful".split())
"""What somebody is asked to be: "please be aware that"."""

APOLOGIES = frozenset("sorry apologies".split())
"""First words of "sorry for the delay, but …"."""

UNSURE_OF_HELP = (("idk", "if", "this"), ("idk", "if", "it"), ("not", "sure", "if", "this"), ("dunno", "if", "this"))
"""How somebody leads to "… helps, but"."""

DOUBTFUL_LABELS = frozenset(
    "myth rumour rumor claim false fiction wrong hypothesis plan proposal option example opinion allegation question "
    "answer quote prediction theory lie joke".split()
)
"""Labels before a colon without which the sentence would be more than it is."""

RULING = frozenset("may must shall can cannot can't will won't should do does don't doesn't".split())
"""Auxiliaries of rules, promises and what is always so."""

LIMITS_IN_BRACKETS = frozenset("not no never only if unless except excepted excluding excluded without".split())
"""Words for which what is in brackets stays."""

IN_NAME = ("in all but name", "in name only", "to the best of")
"""Phrases that take back what is said before them, or half of it."""

AGAINST = frozenset("before against deny denies denied reject rejects rejected oppose opposes opposed when".split())
"""Words below which nothing is left out at last: what is denied or opposed, and when."""

MOVING = frozenset("bring brings brought bringing take takes took taking taken".split())
"""Verbs that say nothing without where."""

EASE = frozenset("easy easier hard harder possible impossible difficult".split())
"""Adjectives of what somebody does: "easy to clean"."""

SOURCES = frozenset("source sources insider insiders".split())
MEDIA = frozenset(
    "newspaper newspapers magazine journal times post daily weekly paper papers agency television tv radio media "
    "broadcaster website blog cnbc cnn bbc bloomberg nikkei spiegel report reports".split()
)
"""Those who tell what they heard of others."""

SPEAKING_FOR = frozenset(
    "spokesman spokeswoman spokesperson company firm automaker carmaker airline group lender".split()
)
"""Those who tell what holds of themselves."""

STRIVING = frozenset(
    "called calling working works worked work struggling struggles struggled struggle scrambling scrambled racing "
    "raced fighting fought vying battling battled bidding trying tried seeking sought".split()
)
"""Verbs that say little without the infinitive behind them."""

CIRCUMSTANCES = frozenset("amid after before during despite following since because as while".split())
"""What says under which circumstances something is, and never completes a verb."""

FEELINGS = frozenset(
    "hopes hope fears fear concerns concern worries expectations expectation speculation doubts optimism signs sign "
    "evidence news reports".split()
)
"""Nouns that say little without what is hoped or feared."""

INTENDING = frozenset(
    "plan plans aim aims seek seeks prepare prepares consider considers mull mulls face faces".split()
)
"""Verbs that tell of today what somebody is about to do."""

NAME_TAILS = frozenset("group holdings holding".split())
OF_A_NATION = ("ian", "ean", "ish", "ese", "ch", "can")
"""The end of a company's name that it may be named without, unless an adjective is left: "Swedish Group"."""

PLAIN_NAMES = frozenset(
    "news general national first standard american united international universal time times best global western "
    "public central target".split()
)
"""Names of firms that alone mean something else: "News Corp"."""

FIRST_NAMES = frozenset(
    "aaron abdul abdullah adam adrian ahmed alan albert alex alexander alexei alfred alice alicia allen amanda amy ana "
    "andrea andreas andrei andrew andy angela anna anne annie anthony antonio arthur barack barbara barry ben benjamin "
    "bernard beth bill bob brad brenda brian bruce carl carla carlos carol caroline catherine charles charlie chris "
    "christian christina christine christopher claire claudia craig cynthia daniel dave david deborah dennis diana "
    "diane dick dmitry dominique donald donna dorothy doug douglas ed eduardo edward elena eli elizabeth ellen emily "
    "emma eric erik ernest eva evan felipe fernando fiona francis francisco francois frank fred frederick gary gavin "
    "geoff geoffrey george gerald gerard giovanni glenn gordon graham greg gregory guido gustavo hannah hans harold "
    "harry heather hector helen henry herbert hillary howard hugh hugo ian igor irene isabel ivan jack jacob jacques "
    "james jamie jan jane janet jason javier jay jean jeff jeffrey jennifer jeremy jerome jerry jessica jesus jill jim "
    "jimmy joan joe joel john jon jonathan jorge jose joseph joshua juan judith julia julian julie karen karl kate "
    "katherine kathleen keith kelly kenneth kevin kim klaus kurt larry laura lauren laurence leo leon leonard leslie "
    "linda lisa lloyd louis louise lucas luis luke manuel marco margaret maria marie mario mark martha martin mary "
    "matt matthew maurice max megan melissa michael michel michelle miguel mike mohammed nancy natalie nathan neil "
    "nicholas nick nicolas nicole nigel nina oliver olivia oscar pablo pamela pat patricia patrick paul paula pedro "
    "peter phil philip philippe pierre rachel ralph ray raymond rebecca ricardo richard rick robert roberto robin "
    "rodrigo roger roland ronald rosa ross rupert russell ruth ryan sam samantha samuel sandra sara sarah scott sean "
    "sebastian sergei sergio sharon shaun silvio simon sofia sophie stefan stephanie stephen steve steven stuart susan "
    "suzanne ted teresa theodore theresa thomas tim timothy todd tom tommy tony tracy trevor ulrich ursula valerie "
    "vera victor victoria vikram vincent vladimir walter warren wayne wendy werner wilhelm william winston wolfgang "
    "yvonne yves".split()
)
"""Whoever has one of them is a person, whose surname is enough in a headline."""

LIMITS = frozenset(
    "only except but although though however provided subject allegedly reportedly supposedly likely otherwise "
    "maximum minimum least most including excluding unlike".split()
)
"""Words by which what stands between commas may limit the rest of a sentence, beside conditions and negations."""

LEADING_ON = tuple(
    tuple(own.split())
    for own in (
        "finally|meanwhile|moreover|furthermore|additionally|also|besides|indeed|unfortunately|fortunately|"
        "surprisingly|naturally|anyway|of course|in fact|in addition|as a result|as a consequence|as usual|as you know|"
        "as always|by the way|at the same time|to be honest|in short|last but not least|on top of that|"
        "more importantly"
    ).split("|")
)
"""What leads from one sentence to the next, before a comma; "however" and the like contradict it, and stay."""

PARTS_OF_SPANS = frozenset("late early later earlier".split())
"""What says in which part of a day, a month or a year, before its preposition."""
