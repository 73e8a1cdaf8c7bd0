"""Labels program messages by their English original: with a reader's label if there is one, otherwise by a word rule. Shared by the
scripts in this folder.

A message is a failure if it says that something was refused, missing, late or broken. It is content if it contains no trouble word,
or if it asks, offers or explains. Messages between the two get no label, because a wrong label costs more than a lost message.

read.tsv contains the readers' labels of originals that the rule does not cover, or on which the rule and earlier weights disagreed:
the key of an original (a hash, because the messages are third-party text), and F for a failure, C for content, or U if the message
alone does not decide.
"""
import hashlib, html, os, re

FAILED = re.compile(
    r"\b(could ?n.?t|could not|cannot|can.?t|unable to|was not able|(is|was|are|were) not possible|fail(ed|ure|s)?|den(ied|ies)|not (be |been )?found|timed? ?out|timeout|unavailable|"
    r"refused|does not (seem to )?exist|doesn.?t (seem to )?exist|do not exist|no such|forbidden|unreachable|not (allowed|permitted|authori[sz]ed|available|responding|recogni[sz]ed|supported)|"
    r"unauthori[sz]ed|blocked|banned|went wrong|unexpected(ly)? (closed|error|response|answer|end|problem)|(connection|server|session) (was |has |is )?(been )?(closed|reset|lost|terminated|aborted|down|expired|invalid|busy)|"
    r"(invalid|bad|wrong|incorrect|unknown|malformed|illegal|unsupported|missing) (\w+ )?(url|address|response|host|request|page|token|session|link|credentials|password|login|user ?name|user|id|"
    r"action|command|certificate|parameters?|arguments?|key|file|format|form|data|protocol|type|title|server|domain|method|input|syntax|code|passphrase|option)|"
    r"(is|are) (invalid|not valid|incorrect|missing|unknown|malformed|corrupt(ed)?|damaged|not recogni[sz]ed|locked|disabled|closed|too (large|big|long|short))|not a valid|"
    r"has (been )?(expired|blocked|banned|locked|disabled|suspended|removed|deleted|closed)|(have|has) no (permission|access|right)|too many|"
    r"must (be logged|log|sign|first log|have)|(login|authentication|log ?in|sign ?in|authori[sz]ation) (is )?(required|failed|error|needed)|(please|need to|have to) (first )?(log|sign) in|requires? (authentication|login|permission|you to)|"
    r"(internal|fatal|server|network|connection|unknown|database|permission|proxy|protocol|system|authentication|i/?o|read|write|syntax|parse|dns|ssl|tls) errors?|"
    r"errors? (occurred|while|loading|reading|connecting|retrieving|getting|in|setting|opening|saving|sending|creating|during|when|processing|parsing|writing|code)|"
    r"an error|no longer|(please )?try again|nothing (was |were )?found|no (results?|match(es|ing)?|items|messages|entries|data|records|permission|pages?|documents?|files?) (\w+ )?(found|available|match|exist|to display)|no (results|matches|matching)\b|"
    r"(don.?t|do not|does not|doesn.?t|not|insufficient|lack) (have )?(\w+ )?(permissions?|access|rights|privileges|authori[sz]ation)|"
    r"didn.?t respond|did not respond|took too long|throttled|limit (was |has been )?(reached|exceeded)|exceeds? the|quota|"
    r"access to .* (was |is )?(denied|restricted)|restricted to|only (administrators|members|registered|authori[sz]ed|logged)|under maintenance|read.only mode|out of (memory|disk|space)|aborted|exception|crashed|rejected|conflict)\b",
    re.I,
)
TROUBLE = re.compile(
    r"\b(err(or)?s?|fail\w*|invalid|den(y|ied|ies)|unable|cannot|can.?t|not|no|n.t|\w+n.t|missing|unknown|un(supported|expected|reachable|available|authori\w+|safe|trusted|readable)|bad|wrong|incorrect|expire[ds]?|"
    r"time ?outs?|timed|refused|reject\w*|forbidden|block(s|ed)?|ban(ned)?|locked|disabled|lost|broken|corrupt\w*|damaged|problems?|warning|abort\w*|cancell?ed|terminated|too|exceed\w*|limit\w*|illegal|malformed|"
    r"must|only|required?|requires|sorry|again|empty|nothing|none|never|conflict\w*|duplicate|already|crash\w*|exception|fatal|violation|busy|overload\w*|maintenance|without|impossible|insufficient|stopped|closed|"
    r"restricted|suspended|interrupted|unfortunately|ambiguous|mismatch|undefined|bug|issue|oops|insecure|dangerous|danger|attack\w*|phishing|untrusted|removed|deleted|disconnected|offline)\b",
    re.I,
)
ASKS = re.compile(
    r"^\W*(show|enable|disable|always|allow|use |set |ask|whether|select|choose|print|display|specify|maximum|minimum|retry|ignore|number of|if |when |how |what |why |which |"
    r"do not|don.?t|option|delete|remove|warn|the (\w+ )?(to|that|which)\b|are you sure|do you|would you|enter |save |send |list of|a list|block(ed)? (\w+ )?(list|users|sites|by)|"
    r"report|fixed?|test|check|log |file not found (page|handler)|mark|notify|skip|try to|verify|wait|stop|prevent|this (option|setting|is the)|your |you can |time ?out( in| \(|s?$))",
    re.I,
)
REFUSED = re.compile(r"\b(denied|fail(ed|ure)|not found|unable to|could not|could ?n.?t|can ?not|can.?t|does not exist|blocked|banned|expired|locked|suspended|invalid|incorrect|forbidden)\b", re.I)
PLACES = ["records.example.org", "https://example.net/a/b", "/data/list", "12", "report.pdf", "Main page", "Ada", "192.0.2.7", "10:42"]
# all placeholder fillings, and everything that is not a letter
NO_LETTERS = re.compile("|".join(map(re.escape, PLACES)) + r"|[\W\d_]+")


def key_of(english):
    """The key of an original, independent of the fillings of its placeholders."""
    letters = " ".join(NO_LETTERS.sub(" ", english).split()).lower()
    return hashlib.sha256(letters.encode()).hexdigest()[:10]


def readings():
    """The readers' labels by key."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "read.tsv"), encoding="ascii") as lines:
        return dict(line.split() for line in lines)


def label(english, ending=""):
    """"failure", "genuine", or `None` if the rule does not decide; `ending` replaces lost punctuation."""
    end = (ending or english).rstrip()[-1:]
    if FAILED.search(english) and not english.endswith(("…", "...")):
        if end not in ":?" or (end == ":" and len(english) > 60):
            if not ASKS.search(english) or (english.lower().startswith(("your ", "if ", "you can")) and REFUSED.search(english[:90]) and not english.lower().startswith("if ")):
                return "failure"
    if not TROUBLE.search(english):
        return "genuine"
    return "genuine" if ASKS.search(english) and not english.lower().startswith("your ") or end in ":?" and len(english) < 60 else None


def filled(text, rng):
    """A message as users see it: without markup, with filled placeholders."""
    text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    text = re.sub(
        r"\$\{[^}]*\}|%\{[^}]*\}|\{\{[^}]*\}\}|\{[^}]*\}|%\(\w+\)[sd]|%\d?(\$|\d)?[-+0-9.]*(?:l|ll)?[sdiuxfqQmpB](?![a-z])|%\d|\$\d|\$\w+|@\w+@",
        lambda _: rng.choice(PLACES), text,
    )
    return re.sub(r"[ \t]+", " ", text.replace("_", "").replace("&", "").replace("\\n", "\n")).strip()
