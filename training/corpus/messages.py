#!/usr/bin/env python3
"""Collects training messages from Debian's packages, in addition to those of real-texts.py. None of it is stored in the repository.

  messages.py OUT      writes OUT/messages.jsonl (packages are kept in OUT/deb); run apt-get update first

Needs polib and PyYAML. Each line is {"label", "src", "lang", "text", "english"}: messages of web applications, proxies, clients and
the browsers Chromium and Firefox, in about 100 languages. A message is labelled by its English original, with the rule below;
some of the labels are wrong.
The evaluation data is not included: see the header of real-texts.py, which is part of the failure corpus.
"""
import collections, csv, gettext, glob, html, itertools, json, os, random, re, struct, subprocess, sys, zipfile
import xml.etree.ElementTree as xml

import polib, yaml

ROOT = os.path.abspath(sys.argv[1])
CATALOGS = (
    "python3-django python3-djangorestframework python3-django-allauth python3-django-horizon python3-django-hyperkitty "
    "python3-django-postorius php-horde php-horde-core php-horde-imp phpmyadmin tt-rss libglib2.0-data evolution-data-server-common "
    "gnome-software-common packagekit filezilla-common pidgin-data plasma-discover-common kget nautilus-data libsoup2.4-common "
    "sympa zabbix-frontend-php kmail choqok deluge-common evolution-common lollypop gpodder elinks-data mutt claws-mail-i18n "
    "newsboat subversion git lftp apt aptitude-common falkon gnome-maps dino-im-common w3m"
).split()
PO = "simplesamlphp kodi-data icingaweb2".split()
XLIFF = "php-symfony-security-core php-symfony-validator".split()
FIREFOX = (
    "af an ar ast az be bg bn br bs ca cs cy da de el en-gb eo es-ar es-es et eu fa ff fi fr fy-nl ga-ie gl gu-in he hi-in hr hu hy-am "
    "ia id is it ja ka kab kk km kn ko lt lv mk mr ms nb-no ne-np nl nn-no oc pa-in pl pt-br pt-pt rm ro ru si sk sl sq sr sv-se ta te "
    "th tl tr uk ur uz vi xh zh-cn zh-tw"
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


def po():
    for name in PO:
        for path in sorted(glob.glob(fetch(name) + "/usr/**/*.po", recursive=True)):
            m = re.search(r"/locales?/([\w@-]+)/", path) or re.search(r"resource\.language\.([a-z]+)", path)
            lang = re.split("[_@-]", m[1])[0] if m else "en"
            try:
                entries = polib.pofile(path)
            except OSError:
                continue
            for entry in entries:
                # some catalogues use keys as message ids: the English text is elsewhere, so the label would be a guess
                if entry.msgstr and len(entry.msgid) >= 8 and " " in entry.msgid and len(entry.msgstr) >= 6:
                    yield name, lang, entry.msgid, entry.msgstr


def keyed(name, english, others):
    """Translations, matched by key to the messages of the English file."""
    for lang, said in others:
        for key, text in said.items():
            source = english.get(key)
            if isinstance(text, str) and isinstance(source, str) and len(source) >= 8 and len(text) >= 6:
                yield name, lang, source, text


def yml():
    def flat(node, at=""):
        for key, value in node.items():
            if isinstance(value, dict):
                yield from flat(value, f"{at}{key}.")
            else:
                yield f"{at}{key}", value

    read = lambda path: dict(flat(next(iter(yaml.safe_load(open(path, encoding="utf-8")).values()))))
    base = fetch("redmine") + "/usr/share/redmine/config/locales"
    others = ((os.path.basename(path)[:-4].split("-")[0], read(path)) for path in sorted(glob.glob(base + "/*.yml")))
    yield from keyed("redmine", read(base + "/en.yml"), others)


def xliff():
    for name in XLIFF:
        for path in sorted(glob.glob(fetch(name) + "/usr/**/*.xlf", recursive=True)):
            lang = path.split(".")[-2].split("_")[0]
            for unit in xml.parse(path).iter("{urn:oasis:names:tc:xliff:document:1.2}trans-unit"):
                source, target = (unit.findtext("{*}" + part) or "" for part in ("source", "target"))
                if len(source) >= 8 and len(target) >= 6:
                    yield name, lang, source, target


def e2guardian():
    """A filtering proxy: numbered messages, with each file in its language's charset."""
    base = fetch("e2guardian") + "/etc/e2guardian/languages"
    names = dict(bulgarian="bg", chinesebig5="zh", chinesegb2312="zh", czech="cs", danish="da", dutch="nl", french="fr", german="de",
                 hebrew="he", hungarian="hu", indonesian="id", italian="it", japanese="ja", lithuanian="lt", malay="ms", mxspanish="es",
                 polish="pl", portuguese="pt", ptbrazilian="pt", slovak="sk", spanish="es", swedish="sv", turkish="tr", ukenglish="en")

    def read(name):
        raw = open(f"{base}/{name}/messages", "rb").read()
        try:
            lines = raw.decode("utf-8").splitlines()
        except UnicodeDecodeError:
            return {}
        return {row[0]: row[1].strip() for row in csv.reader(lines, skipinitialspace=True) if len(row) > 1 and row[0].isdigit()}

    yield from keyed("e2guardian", read("ukenglish"), ((lang, read(name)) for name, lang in names.items()))


def tomcat():
    """A servlet container: the messages of its error pages for each status, in all its languages."""
    def read(path):
        said = {}
        for jar in path:
            with zipfile.ZipFile(jar) as archive:
                for entry in archive.namelist():
                    if m := re.fullmatch(r"org/apache/catalina/(valves|realm|servlets|core)/LocalStrings(_\w+)?\.properties", entry):
                        for line in archive.read(entry).decode("utf-8", "replace").splitlines():
                            key, sign, text = line.partition("=")
                            if sign and not line.startswith("#"):
                                text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), text)
                                said[m[1] + "." + key] = text.replace("''", "'").rstrip("\\")
        return said

    java = fetch("libtomcat10-java") + "/usr/share/java"
    jars = sorted(glob.glob(java + "/tomcat10-i18n-*-*.jar"))
    english = read(sorted(glob.glob(java + "/tomcat10-catalina-[0-9]*.jar")))
    others = [("en", english)] + [(re.search(r"i18n-([a-z]+)", jar)[1], read([jar])) for jar in jars]
    yield from keyed("tomcat", english, others)


def firefox(rng):
    """Pages of failed connections in more languages than in real-texts.py, and pages that combine two of their messages."""
    def read(name):
        said, key = {}, ""
        package = fetch("firefox-esr-l10n-" + name)
        with zipfile.ZipFile(glob.glob(package + "/**/*.xpi", recursive=True)[0]) as archive:
            for entry in archive.namelist():
                if not entry.endswith(("neterror/netError.ftl", "neterror/certError.ftl", "neterror/nsserrors.ftl")):
                    continue
                for line in archive.read(entry).decode("utf-8", "replace").splitlines():
                    if m := re.match(r"([a-z][\w-]*) = ?(.*)", line):
                        key = m[1]
                        said[key] = m[2].strip()
                    elif line.startswith("    ") and key and "{" not in line[:6]:
                        said[key] = (said[key] + " " + line.strip()).strip()
                    else:
                        key = ""
        plain = lambda text: re.sub(r"\{ ?[$-][^}]*\}", "records.example.org", text)
        return {key: plain(text) for key, text in said.items()}

    english = read("en-gb")
    for name in FIREFOX:
        lang, said = name.split("-")[0], read(name)
        for _, _, source, text in keyed("firefox-more", english, [(lang, said)]):
            yield "failure" if failed(source) else "genuine", lang, source, text
        titles = [text for key, text in said.items() if key.endswith("-title") and failed(english.get(key, ""))]
        bodies = [text for key, text in said.items() if not key.endswith("-title") and failed(english.get(key, ""))]
        for title in titles:
            if bodies:
                body = rng.choice(bodies)
                yield "failure", lang, title + body[:9], f"{title}\n\n{body}"


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

        read = itertools.chain(catalogs(), po(), yml(), xliff(), e2guardian(), tomcat())
        for name, lang, english, text in read:
            bad = failed(english)
            # most messages are not failures, so a few of them suffice
            if bad or rng.random() < 0.25:
                say("failure" if bad else "genuine", name, lang, english, text)
                if bad and lang == "de":
                    say("failure", name, "en", english, english)
        for label, lang, english, text in chromium(rng):
            say(label, "chromium", lang, english, text)
        for label, lang, english, text in firefox(rng):
            if label == "failure" or rng.random() < 0.25:
                say(label, "firefox-more", lang, english, text)
    print(dict(count))


main()
