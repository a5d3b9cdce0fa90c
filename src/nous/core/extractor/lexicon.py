"""Which English words can be verbs and of what sort they are: enough to find the verb of a plain sentence."""

from __future__ import annotations

_VERBS = """
    abort accept access accumulate acquire act activate adapt add address adhere adjust advance affect aggregate agree
    aim alert align allocate allow alternate amend amount animate announce annotate answer appear append apply approve
    archive arrange arrive assemble assert assign assume attach attempt audit authenticate authorise authorize avoid
    await back bail balance ban batch behave belong benchmark bill bind blink block boot bootstrap bounce branch bridge
    broadcast browse buffer bump bundle burn bypass cache calculate call cancel cap capitalize capture care carry cast
    cause change charge chart check choke chunk circulate claim clamp clash classify clean clear click clip clone close
    club cluster coerce collapse collect collide color combine comment commit compare compensate compete compile
    complain complete compose compress compute concatenate configure confirm conflict conform connect consist consume
    contain continue contribute control convert cool coordinate copy correlate correspond count couple cover crash
    crawl crop cross cycle debounce debug decide declare decode decompress decorate decouple decrease dedupe
    deduplicate default defer define delay delegate delete deliver demand denote deny depend deploy deprecate derive
    describe deserialize design destroy detect determine develop die differ digest disable disagree disappear discard
    disconnect dispatch display distinguish distribute document double download draft drain drift drop dump duplicate
    earn echo edit eject elect email embed emit emulate enable encode encrypt end enforce enqueue ensure enter
    enumerate equal erase escape establish estimate evaluate evict exceed exchange exclude execute exercise exist exit
    expand expect expire explain explode export expose express extend extract face fail fall-back fan fetch file fill
    filter finish fire fix flag flash flatten flicker flip float flood flow flush fold follow force forbid fork format
    forward freeze fsync fulfil function gate gather generate govern grade group guarantee guard guess halt hand handle
    happen hash help hide hire hit hook host hover identify ignore illustrate implement import improve include increase
    increment index indicate infer inherit initialise initialize inject inline insert inspect install instantiate
    integrate intend interact intercept interpolate interpret introduce invalidate invoice invoke involve isolate issue
    iterate join journal judge jump kick kill label lack land last launch layer leak leave lean level license lie lift
    like limit link lint list listen live load lock log look loop lower mail maintain manage mangle map mark mask match
    materialize matter mean measure mention merge migrate mirror mix mock model modify monitor mount move multiply
    mutate name narrow navigate need negotiate nest normalise normalize notice notify number obey observe occupy occur
    offer offset omit open operate opt optimise optimize order organise organize originate output overflow overlap
    overlay override own pack package pad page paginate paint parse partition pass paste patch pause peak perform
    permit persist pick pile pin ping pipe place plan play plot point poll pop populate port post power precede predict
    prefer prefix preload prepare prepend present preserve press pretend prevent price print prioritize probe process
    produce profile program prohibit project promise promote prompt propagate protect provide provision proxy prune
    publish pull pulse purge push qualify query queue quote race raise range rank rate reach react reap rebase reboot
    rebuild receive recognise recognize recompile reconcile reconnect record recover recur recycle redirect redraw
    reduce refer reference reflect refresh refuse regenerate register regress reject relate relay release rely reload
    remain remove rename render reopen reorder repaint repeat replace replicate report represent reproduce request
    require reserve reset resize resolve respect respond restart restore restrict result resume retain retire retrieve
    retry return reuse revalidate reverse revert review revoke rewrite roll rotate round route sample sanitise sanitize
    satisfy save scale scan schedule scope score scrape screen scroll seal search seed seem select separate sequence
    serialise serialize serve settle share shift ship show shrink shuffle sign signal simplify simulate skip slice slow
    smooth snap sniff solve sort sound span spawn specify spike split squash stack stage stale stamp start starve state
    stay step stick stop store stream strip structure subscribe subtract succeed suffix suggest suit sum summarise
    summarize supply support suppose suppress surface suspend swallow swap switch sync synchronise synchronize tag tail
    talk target taste tax terminate test text throttle tick tie time timeout toggle tolerate touch trace track trade
    trail train transfer transform translate transmit trap travel treat trick trigger trim truncate trust try tune turn
    type unblock unlock unmount unpack update upgrade upload use validate value vary vendor verify version view violate
    visit wait wake walk want warm warn wash watch weigh whitelist wipe wire wonder work wrap yield zero zip zoom ask
    believe discuss enjoy fear hate hope know learn love miss realize remember suspect think understand wish feel hear
    smell tidy tweak polish rework refactor rerun retest restructure rephrase reword sketch propose investigate bisect
    stash cherry-pick revisit double-check recheck reconsider note ditch scrap scratch forget remind consider bring
    come become begin bend bet bite bleed blow break breed build buy catch choose cling cost creep cut deal dig do draw
    drive eat fall feed fight find fit flee fly get give go grow hang have hold keep lay lead lend let light lose make
    meet pay put quit read ride ring rise run say see seek sell send set shake shed shine shoot shut sing sink sit
    sleep slide speak spend spin spread stand steal sting strike swear sweep swim swing take teach tear tell throw wear
    win wind withdraw write bake git redo rsync scp curl ssh deadlock
"""
_PAST = """
    was were had did began broke brought built bought caught chose came cost cut dealt drew drove ate fell fed fought
    found fled flew forgot froze got gave went grew hung heard hid held kept knew laid led left lent let lost made
    meant met paid put read rode rose ran said saw sought sold sent set shook shot showed shut sang sank sat slept slid
    spoke spent spun spread stood stole stuck struck swore swept swam took taught tore told threw thought understood
    woke wore won withdrew wrote became
"""
BASE = frozenset(_VERBS.split())


def _third(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


THIRD = {_third(verb): verb for verb in BASE} | {"has": "have", "quits": "quit"}
PAST = frozenset(_PAST.split()) - BASE
BE = frozenset("is are isn't aren't isnt arent ain't 's 're am".split())  # noqa: SIM905
MODAL = frozenset("can cannot can't cant could will won't would must mustn't may might should shouldn't shall".split())  # noqa: SIM905
AUXILIARY = frozenset("does doesn't doesnt do don't dont has hasn't have haven't".split())  # noqa: SIM905

# What a mind does: said of oneself, it is no habit but a thought of the moment.
MENTAL = frozenset(
    """think guess hope wonder suppose believe feel suspect like love hate see know mean assume remember understand
    agree wish want need notice try get worry plan mind care forget consider find hear bet doubt realize""".split()  # noqa: SIM905
)
# How something strikes somebody, and what somebody says: no state of the thing.
SEEMING = frozenset("look seem sound appear feel smell say tell ask complain swear claim think hope agree".split())  # noqa: SIM905
# What goes wrong or shows: said of one definite thing it is a report of the moment.
MISHAP = frozenset(
    """fail crash hang break leak flicker overlap freeze explode die disappear throw work show print clip
    stick vanish miss lose stop""".split()  # noqa: SIM905
)
