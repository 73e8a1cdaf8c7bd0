#!/usr/bin/env python3
"""Messages to learn from, out of Debian's packages, beside those of real-texts.py: nothing here is stored in the repository.

  messages.py OUT      writes OUT/messages.jsonl (packages are kept in OUT/deb); run apt-get update first

Each line is {"label", "src", "lang", "text", "english"}: what web applications, clients and the browser Chromium say, in
about 100 languages. A message gets its label from its English original, by the rule below; a share of the labels is wrong.
What results are judged on is not in here: see the head of the real-texts.py that comes with the failure corpus.
"""
import collections, gettext, glob, html, json, os, random, re, struct, subprocess, sys

ROOT = os.path.abspath(sys.argv[1])
CATALOGS = (
    "python3-django python3-djangorestframework python3-django-allauth python3-django-horizon python3-django-hyperkitty "
    "python3-django-postorius php-horde php-horde-core php-horde-imp phpmyadmin tt-rss libglib2.0-data evolution-data-server-common "
    "gnome-software-common packagekit filezilla-common pidgin-data plasma-discover-common kget nautilus-data libsoup2.4-common"
).split()
FAILED = re.compile(
    r"\b(could ?n[o']t|cannot|can.t|unable to|was not able|fail(ed|ure|s)?|den(ied|ies)|not found|timed? ?out|unavailable|refused|does not exist|"
    r"doesn.t exist|no such|forbidden|unreachable|not allowed|not permitted|not authori[sz]ed|unauthori[sz]ed|blocked|not available|went wrong|"
    r"unexpected(ly)? (closed|error|response|answer|end)|(connection|server) (was |has )?(closed|reset|lost|terminated|aborted|down)|"
    r"(in|not )valid (url|address|response|host|request|page|token|session|link|credentials|password|login)|is invalid|has expired|too many|"
    r"must (be logged|log|sign) in|(login|authentication|log ?in|sign ?in) (is )?(required|failed|error)|please (log|sign) in|"
    r"(internal|fatal|server|network|connection|unknown|database|permission|proxy|protocol) errors?|error (occurred|while|loading|reading|connecting|retrieving|getting)|"
    r"an error|no longer|try again|nothing (was )?found|no (results|matches|items|messages|entries)\b|(don.t|do not|does not|not) have (\w+ )?(permission|access|rights|privileges)|"
    r"not responding|didn.t respond|took too long|throttled|limit (was |has been )?(reached|exceeded)|no permission|access to .* (was |is )?(denied|restricted))",
    re.I,
)
ASKS = re.compile(
    r"^(show|enable|disable|always|allow|use |set |ask|whether|select|choose|print|display|specify|maximum|minimum|retry|ignore|number of|if |when |"
    r"do not|don.t|option|delete|remove|warn|how |what |the (\w+ )?(to|that|which)\b|are you sure|do you|would you|enter |save |send )",
    re.I,
)
PLACES = ["records.example.org", "https://example.net/a/b", "/data/list", "12", "report.pdf"]


def fetch(name):
    there = f"{ROOT}/x/{name}"
    if not os.path.isdir(there):
        os.makedirs(f"{ROOT}/deb", exist_ok=True)
        os.makedirs(f"{ROOT}/x", exist_ok=True)
        done = subprocess.run(["apt-get", "download", "-qq", name], cwd=f"{ROOT}/deb", capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr.strip() or 'cannot be downloaded; run apt-get update first'}")
        subprocess.run(["dpkg-deb", "-x", sorted(glob.glob(f"{ROOT}/deb/{name}_*.deb"))[0], there], check=True)
    return there


def filled(text, rng):
    text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    text = re.sub(r"%(\d\$)?[-+0-9.]*(?:l|ll)?[sdiuxfqQmp]|%\(\w+\)[sd]|%\d|\{[^}]*\}|\$\d|\$\w+", lambda _: rng.choice(PLACES), text)
    return re.sub(r"[ \t]+", " ", text.replace("_", "").replace("&", "")).strip()


def failed(english):
    return bool(FAILED.search(english)) and not ASKS.search(english) and not english.endswith(("…", "...", ":", "?"))


def catalogs():
    for name in CATALOGS:
        for path in sorted(glob.glob(fetch(name) + "/usr/**/*.mo", recursive=True)):
            m = re.search(r"/locale/([\w@-]+)/", path) or re.search(r"/([a-z]{2,3}(?:_[A-Z]{2})?)\.mo$", path)
            if not m:
                continue
            lang = re.split("[_@-]", m[1])[0]
            try:
                catalog = gettext.GNUTranslations(open(path, "rb"))._catalog
            except Exception:
                continue
            for english, text in sorted(catalog.items(), key=str):
                english = (english[0] if isinstance(english, tuple) else english).split("\x04")[-1]
                if isinstance(text, str) and len(english) >= 8 and len(text) >= 6 and not english.startswith("Project-Id"):
                    yield name, lang, english, text


def pak(path):
    raw = open(path, "rb").read()
    version, _, count, _ = struct.unpack_from("<IIHH", raw)
    if version != 5:
        sys.exit(f"{path}: version {version} of the format; 5 is read")
    entries = [struct.unpack_from("<HI", raw, 12 + 6 * n) for n in range(count + 1)]
    for (number, start), (_, end) in zip(entries, entries[1:]):
        yield number, raw[start:end].decode("utf-8", "replace")


def chromium(rng):
    base = f"{fetch('chromium-l10n')}/usr/lib/chromium/locales"
    base = base if os.path.isdir(base) else os.path.dirname(glob.glob(f"{fetch('chromium-l10n')}/**/en-GB.pak", recursive=True)[0])
    names = {}
    for line in open(f"{base}/en-GB.pak.info", encoding="utf-8"):
        name, number = line.split(",")[:2]
        names[int(number)] = name
    english = dict(pak(f"{base}/en-GB.pak"))
    for path in sorted(glob.glob(f"{base}/*.pak")):
        lang = os.path.basename(path)[:-4]
        if "_" in lang:
            continue
        said = dict(pak(path))
        pages = collections.defaultdict(list)
        for number, text in sorted(said.items()):
            name, source = names.get(number, ""), english.get(number, "")
            if len(source) < 12 or len(text) < 6 or "\ufffd" in text:
                continue
            page = name.startswith(("IDS_ERRORPAGES_HEADING", "IDS_ERRORPAGES_SUMMARY"))
            if page:
                pages[name.split("_")[2]].append(filled(text, rng))
            if page or rng.random() < (0.35 if failed(source) else 0.05):
                yield "failure" if page or failed(source) else "genuine", lang, source, text
        for heading in pages["HEADING"]:
            summary = rng.choice(pages["SUMMARY"])
            yield "failure", lang, heading + summary[:9], f"{heading}\n\n{summary}\n\nERR_{rng.choice(['TIMED_OUT', 'NAME_NOT_RESOLVED', 'EMPTY_RESPONSE', 'CONNECTION_RESET'])}"


def main():
    rng, count, seen = random.Random(13), collections.Counter(), set()
    os.makedirs(ROOT, exist_ok=True)
    with open(f"{ROOT}/messages.jsonl", "w", encoding="utf-8") as out:
        def say(label, src, lang, english, text):
            text = filled(text, rng)
            if len(text) < 6 or (lang, text) in seen:
                return
            seen.add((lang, text))
            count[src, label] += 1
            out.write(json.dumps({"label": label, "src": src, "lang": lang, "text": text, "english": re.sub(r"\W+", " ", english)}, ensure_ascii=False) + "\n")

        for name, lang, english, text in catalogs():
            bad = failed(english)
            # most messages are no failures, and a few of them are enough
            if bad or rng.random() < 0.25:
                say("failure" if bad else "genuine", name, lang, english, text)
                if bad and lang == "de":
                    say("failure", name, "en", english, english)
        for label, lang, english, text in chromium(rng):
            say(label, "chromium", lang, english, text)
    print(dict(count))


main()
