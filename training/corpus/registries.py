#!/usr/bin/env python3
"""Collects training messages from packages of npm, PyPI and Debian, in addition to those of messages.py. None of it is stored in the repository.

  registries.py OUT      writes OUT/registries.jsonl (packages are kept in OUT/npm, OUT/pip and OUT/x); run apt-get update first

Needs node, npm, pip, polib. Each line is {"label", "src", "lang", "text", "english"}, as in messages.py: messages of wikis, web mail,
content managers, forges, logins, web libraries and mail programs, in about 100 languages, labelled by labels.py.
The evaluation data is not included: see the header of real-texts.py, which is part of the failure corpus.
"""
import collections, gettext, glob, json, os, random, re, subprocess, sys, zipfile

import polib

from labels import filled, label

ROOT = os.path.abspath(sys.argv[1])
os.makedirs(ROOT, exist_ok=True)
HERE = os.path.dirname(os.path.abspath(__file__))
PIP = (
    "plone.app.locales ckan Trac moin Weblate wagtail django-cms pretix indico apache-superset django-oscar WTForms Kallithea "
    "flask-security sphinx roundup Flask-AppBuilder django-two-factor-auth mailman mayan-edms kolibri calibreweb wiki misago django-helpdesk "
    "django-machina flaskbb privacyidea trytond invenio-accounts invenio-app-rdm octoprint kiwitcms"
).split()
# package: path of its message files, and name of the English one
NPM = {
    "ep_etherpad-lite": ("locales/*.json", "en"),
    "@uppy/locales": ("lib/*.js", "en_US"),
    "video.js": ("dist/lang/*.json", "en"),
    "tinymce-i18n": ("langs8/*.js", ""),
    "bootstrap-fileinput": ("js/locales/*.js", ""),
    "datatables.net-plugins": ("i18n/*.json", "en-GB"),
    "auth0-lock": ("lib/i18n/*.js", "en"),
    "@clerk/localizations": ("dist/??-??.mjs", "en-US"),
    "@okta/okta-signin-widget": ("dist/labels/json/login*.json", "login"),
    "keycloakify": ("src/login/i18n/messages_defaultSet/??*.ts", "en"),
    "matrix-react-sdk": ("src/i18n/strings/*.json", "en_EN"),
    "@payloadcms/translations": ("dist/languages/*.js", "en"),
    "@strapi/admin": ("dist/admin/admin/src/translations/*.json.mjs", "en.json"),
    "@excalidraw/excalidraw": ("dist/prod/locales/*.js", "en"),
    "@tldraw/assets": ("translations/*.json", "main"),
    "uptime-kuma": ("src/lang/*.json", "en"),
}
DEBIAN = (
    "libc-l10n libpam-runtime gnupg-l10n phpldapadmin cacti request-tracker5 gosa davical shaarli evolution-ews network-manager "
    "php-horde-turba php-horde-kronolith php-horde-ingo php-horde-nag php-horde-mnemo php-horde-trean php-horde-whups php-horde-wicked "
    "php-horde-gollem php-horde-passwd php-horde-ansel php-horde-content php-horde-sesha php-horde-auth php-horde-mail php-horde-vfs"
).split()
THUNDERBIRD = (
    "af ar ast be bg br ca cs cy da de el en-gb es-ar es-es et eu fi fr fy-nl ga-ie gd gl he hr hsb hu hy-am id is it ja ka kab ko lt ms "
    "nb-no nl nn-no pa-in pl pt-br pt-pt rm ro ru si sk sl sq sr sv-se th tr uk vi zh-cn zh-tw"
).split()
SOGO = dict(Arabic="ar", Basque="eu", BrazilianPortuguese="pt", Catalan="ca", ChineseChina="zh", ChineseTaiwan="zh", Croatian="hr", Czech="cs",
            DanishDenmark="da", Dutch="nl", Finnish="fi", French="fr", German="de", Hebrew="he", Hungarian="hu", Icelandic="is", IndonesianIndonesia="id",
            Italian="it", Japanese="ja", Kazakh="kk", Latvian="lv", Lithuanian="lt", Macedonian="mk", NorwegianBokmal="nb", NorwegianNynorsk="nn",
            Polish="pl", Portuguese="pt", Romanian="ro", RomanianRomania="ro", Russian="ru", Serbian="sr", SerbianLatin="sr", Slovak="sk", Slovenian="sl",
            SpanishSpain="es", SpanishArgentina="es", Swedish="sv", TurkishTurkey="tr", Ukrainian="uk", Welsh="cy", Bulgarian="bg", Montenegrin="sr")


def short(lang):
    return re.split("[_@.-]", lang)[0].lower()


def fetched(kind, name, commands):
    """The folder of a package, downloaded once; `None` if it is unavailable."""
    there = f"{ROOT}/{kind}/{name.replace('/', '_').replace('@', '_')}"
    if not os.path.isdir(there):
        os.makedirs(there + ".part", exist_ok=True)
        for command in commands:
            done = subprocess.run(command, shell=True, cwd=there + ".part", capture_output=True, text=True)
            if done.returncode:
                print(f"skipped {name}: {done.stderr.strip()[-200:]}", file=sys.stderr)
                return None
        os.rename(there + ".part", there)
    return there


def pip(name):
    return fetched("pip", name, [f"pip download -q --no-deps --only-binary=:all: {name} || pip download -q --no-deps --no-binary=:all: {name}",
                                 "for f in *.whl *.zip; do [ -f $f ] && unzip -qo $f; done; for f in *.tar.gz; do [ -f $f ] && tar -xzf $f; done; true"])


def npm(name):
    return fetched("npm", name, [f"npm pack --silent {name}", "tar -xzf *.tgz && rm *.tgz"])


def deb(name):
    return fetched("x", name, [f"apt-get download -qq {name}", "dpkg-deb -x *.deb . && rm *.deb"])


def keyed(name, english, others):
    """Translations, matched by key to the messages of the English file."""
    for lang, said in others:
        for key, text in said.items():
            source = english.get(key)
            if isinstance(source, str) and isinstance(text, str):
                yield name, lang, source, text


def catalogs(name, there):
    """gettext catalogues. A few use keys as message ids, and have the English text in a comment."""
    compiled = sorted(glob.glob(there + "/**/*.mo", recursive=True))
    sources = sorted(glob.glob(there + "/**/*.po", recursive=True))
    commented = name.startswith("plone")
    done = set() if commented else {path[:-3] for path in compiled}
    for path in ([] if commented else compiled) + [path for path in sources if path[:-3] not in done]:
        m = re.search(r"/(?:locales?|translations|i18n|po)/([a-z]{2,3}(?:[_@-]\w+)?)/", path) or re.search(r"[/.-]([a-z]{2,3}(?:[_@-][A-Z]\w+)?)\.[pm]o$", path)
        if not m:
            continue
        try:
            if path.endswith(".mo"):
                pairs = gettext.GNUTranslations(open(path, "rb"))._catalog.items()
                pairs = [((key[0] if isinstance(key, tuple) else key).split("\x04")[-1], text) for key, text in pairs]
            else:
                default = lambda entry: re.search(r'Default: "(.*)"', entry.comment or "", re.S)
                pairs = [((default(entry) or [0, entry.msgid])[1], entry.msgstr) for entry in polib.pofile(path)]
        except (OSError, ValueError, IndexError):
            continue
        for english, text in pairs:
            if isinstance(text, str) and text and text != english and " " in english:
                yield name, short(m[1]), english, text


def modules(name, where, original):
    files = sorted(glob.glob(f"{npm(name)}/package/{where}"))
    done = subprocess.run(["node", f"{HERE}/load.mjs", *files], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.split("\n") if line]
    stem = lambda path: re.sub(r"\.\w+$", "", os.path.basename(path))
    said = {stem(line["file"]): line["said"] for line in lines}
    english = next((texts for key, texts in said.items() if original and (key == original or key.startswith(original + "-"))), None)
    if english is None:
        # the keys are the English text, or no file is English, and the keys are split into words
        keys = {key for texts in said.values() for key in texts}
        english = {key: re.sub(r"([a-z])([A-Z])", r"\1 \2", key).replace("msg ", "") for key in keys}
    yield from keyed(name, english, ((short(key.removeprefix("login_").removeprefix("messages_")), texts) for key, texts in said.items()))


def sogo():
    read = lambda path: dict(re.findall(r'^"((?:[^"\\]|\\.)+)"\s*=\s*"((?:[^"\\]|\\.)*)";', open(path, encoding="utf-8", errors="replace").read(), re.M))
    for path in sorted(glob.glob(deb("sogo-common") + "/**/*.lproj/Localizable.strings", recursive=True)):
        lang = SOGO.get(path.split("/")[-2].removesuffix(".lproj"))
        original = re.sub(r"/\w+\.lproj/", "/English.lproj/", path)
        if lang and os.path.isfile(original):
            yield from keyed("sogo", read(original), [(lang, read(path))])


def lemonldap():
    base = glob.glob(f"{ROOT}/x/*lemonldap*/usr/share/lemonldap-ng/portal/htdocs/static/languages")
    read = lambda path: json.load(open(path, encoding="utf-8"))
    for folder in base[:1]:
        others = ((short(os.path.basename(path)), read(path)) for path in sorted(glob.glob(folder + "/*.json")))
        yield from keyed("lemonldap", read(folder + "/en.json"), others)


def thunderbird():
    """Messages of a mail program about servers, folders and mails."""
    def read(name):
        said = {}
        for path in glob.glob((deb("thunderbird-l10n-" + name) or "/nowhere") + "/**/*.xpi", recursive=True):
            with zipfile.ZipFile(path) as archive:
                for entry in archive.namelist():
                    if re.search(r"/messenger/.*\.properties$", entry):
                        for line in archive.read(entry).decode("utf-8", "replace").splitlines():
                            key, sign, text = line.partition("=")
                            if sign and not line.startswith("#"):
                                said[os.path.basename(entry) + key.strip()] = text.strip()
        return said

    english = read("en-gb")
    for name in THUNDERBIRD:
        yield from keyed("thunderbird", english, [(short(name), read(name))])


def everything():
    for name in PIP:
        there = pip(name)
        if there:
            yield from catalogs(name, there)
    for name in DEBIAN:
        there = deb(name)
        if there:
            yield from catalogs(name, there)
    for name, (where, original) in NPM.items():
        yield from modules(name, where, original)
    yield from sogo()
    yield from lemonldap()
    yield from thunderbird()


def main():
    rng, count, seen = random.Random(17), collections.Counter(), set()
    with open(f"{ROOT}/registries.jsonl", "w", encoding="utf-8") as out:
        def say(said, name, lang, english, text):
            text = filled(text, rng)
            if len(text) < 5 or (lang, text) in seen:
                return
            seen.add((lang, text))
            count[name, said] += 1
            line = {"label": said, "src": name, "lang": lang, "text": text, "english": re.sub(r"\W+", " ", english)}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")

        for name, lang, english, text in everything():
            if len(english) < 6 or len(text) > 1500:
                continue
            # a reader may decide where the rule does not; most messages are not failures, so a part of them suffices
            said = label(english)
            if said != "genuine" or rng.random() < 0.3:
                say(said, name, lang, english, text)
                say(said, name, "en", english, english)
    for name in sorted({key[0] for key in count}):
        print(name, count[name, "failure"], count[name, "genuine"])


main()
