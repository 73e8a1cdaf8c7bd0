#!/usr/bin/env python3
"""Collects evaluation data for the detector, which must never train on it, from Debian's packages. None of it is stored in the repository.

  measured.py OUT      writes OUT/measured.jsonl (packages are kept in OUT/x); run apt-get update first

Each line is {"id", "label", "src", "lang", "text"}, the format of `freshcontext inspect --jsonl`: failures from Apache httpd, MediaWiki,
DokuWiki, Roundcube, Privoxy and HAProxy, and content from the manuals of Apache httpd, Debian's handbook, manual pages and quotation
collections. A message of MediaWiki, DokuWiki and Roundcube is a failure if a reader labelled its English original as one.
measured-read.tsv contains the labels that the readers, language models, gave to the 1,395 originals with a trouble word (key and F, C
or U, as in read.tsv). Of 300 originals with two readers, both gave the same label to all that both could decide. Messages with such a
word that are not failures ("Table tag that should be deleted") have the source `labels`: no retrieval returns them, but they are the
hardest content. Messages that also occur in training programs are omitted.
"""
import glob, gzip, html, json, os, random, re, subprocess, sys

from labels import PLACES, filled, key_of, readings

ROOT = os.path.abspath(sys.argv[1])
# maximum messages per program and language, and maximum pieces of content per package
MOST_MESSAGES, MOST_PIECES = 60, 4000
# Privoxy's templates that replace a page
PRIVOXY = "blocked cgi-error-* connect-failed connection-timeout forwarding-failed no-server-data no-such-domain untrusted default".split()


def fetched(name):
    there = f"{ROOT}/x/{name}"
    if not os.path.isdir(there):
        os.makedirs(there + ".part", exist_ok=True)
        for command in [f"apt-get download -qq {name}", "dpkg-deb -x *.deb .", "rm *.deb"]:
            subprocess.run(command, shell=True, cwd=there + ".part", check=True)
        os.rename(there + ".part", there)
    return there


def files(package, pattern):
    return sorted(path for path in glob.glob(f"{fetched(package)}/{pattern}", recursive=True) if os.path.isfile(path))


def read(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def as_text(page):
    page = re.sub(r"(?is)<(script|style|head)\b.*?</\1>|<!--.*?-->", " ", page)
    page = re.sub(r"(?i)<(br|p|div|h\d|li|tr|hr|dt|dd|pre)\b[^>]*>", "\n", page)
    page = html.unescape(re.sub(r"<[^>]+>", " ", page))
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"[ \t\xa0]+", " ", page)).strip()


def apache(rng):
    for path in files("apache2-data", "usr/share/apache2/error/HTTP_*.var"):
        for lang, body in re.findall(r"Body:-+([\w-]+)--\n(.*?)\n-+\1--", read(path), re.S):
            title = re.search(r'var="TITLE" value="([^"]*)"', body)
            body = re.sub(r"(?s)<!--#else.*?<!--#endif[^>]*-->", " ", body)
            body = re.sub(r"(?s)<!--#echo.*?-->", lambda _: rng.choice(PLACES[1:3]), body)
            yield lang, f"{html.unescape(title[1]) if title else ''}\n\n{as_text(body)}".strip()


def privoxy(rng):
    for pattern in PRIVOXY:
        for path in files("privoxy", f"etc/privoxy/templates/{pattern}"):
            page = re.sub(r"(?m)^#.*\n", "", read(path))
            page = re.sub(r"@[\w-]+@", lambda _: rng.choice(PLACES), page)
            yield "en", page
            yield "en", as_text(page)


def haproxy(_):
    for path in files("haproxy", "etc/haproxy/errors/*.http"):
        response = read(path)
        yield "en", response
        yield "en", response.split("\n\n" if "\r\n\r\n" not in response else "\r\n\r\n", 1)[-1]


def verdicts_of_readers():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "measured-read.tsv"), encoding="ascii") as lines:
        said, learned = dict(line.split() for line in lines), readings()
        return {key: verdict for key, verdict in said.items() if key not in learned}


READ = verdicts_of_readers()


class Number:
    """Fills every placeholder with a number, because some other fillings would leave letters in the key."""
    choice = staticmethod(lambda places: "12")


def messages(english, others, rng, verdict):
    """Messages with this verdict and their translations, matched by key to the English file."""
    verdicts = {key: READ.get(key_of(filled(plain(text), Number))) for key, text in english.items() if isinstance(text, str)}
    chosen = {key for key, said in verdicts.items() if said == verdict}
    for lang, said in [("en", english), *others]:
        own = sorted(key for key in chosen if isinstance(said.get(key), str) and (lang == "en" or said[key] != english[key]))
        if 3 * len(own) < 2 * len(chosen):
            continue  # a translation that has barely begun consists of text from other languages
        rng.shuffle(own)
        for key in own if lang == "en" else own[:MOST_MESSAGES]:
            yield lang, filled(plain(said[key]), rng)


def plain(text):
    """A message without wiki markup."""
    text = re.sub(r"\{\{(?:PLURAL|GENDER|GRAMMAR|formatnum)[:|][^|{}]*\|?([^|{}]*)[^{}]*\}\}", r"\1", text)
    text = re.sub(r"\[\[(?:[^|\[\]]*\|)?([^\[\]]*)\]\]|\[\S+ ([^\[\]]*)\]", lambda found: found[1] or found[2], text)
    return re.sub(r"'{2,}|\{\{[^{}]*\}\}", "", text)


def mediawiki(rng, verdict="F"):
    paths = files("mediawiki", "usr/share/mediawiki/languages/i18n/*.json")
    said = {os.path.basename(path)[:-5]: json.loads(read(path)) for path in paths}
    return messages(said.pop("en"), [(lang, texts) for lang, texts in sorted(said.items()) if lang != "qqq"], rng, verdict)


def php(package, pattern, assigned, original):
    """Messages from assignments in PHP files, with one folder per language."""
    said = {}
    for path in files(package, pattern):
        found = re.findall(assigned + r"\['(\w+)'\]\s*=\s*(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\");", read(path))
        said[path.split("/")[-2]] = {key: re.sub(r"\\(['\"\\])", r"\1", one or two) for key, one, two in found}
    return lambda rng, verdict="F": messages(said[original], sorted((lang, texts) for lang, texts in said.items() if lang != original), rng, verdict)


dokuwiki = php("dokuwiki", "usr/share/dokuwiki/inc/lang/*/lang.php", r"\$lang", "en")
roundcube = php("roundcube-core", "usr/share/roundcube/program/localization/*/messages.inc", r"\$messages", "en_US")


def labels_of_trouble(rng):
    for program in (mediawiki, dokuwiki, roundcube):
        yield from program(rng, "C")


def pieces(texts):
    """Beginnings, with and without markup, and paragraphs, because retrieved text comes in all lengths."""
    for lang, text in texts:
        shown = as_text(text) if "<" in text[:200] else text
        yield lang, text[:6000]
        yield lang, shown[:2000]
        for paragraph in [part for part in re.split(r"\n\s*\n", shown) if 30 < len(part) < 1200][1:8:3]:
            yield lang, paragraph


def manual(package, pattern):
    # The name of the file or of its folder determines the language of a translated page.
    lang = lambda path: (re.search(r"[/.]([a-z]{2}(?:-[A-Za-z]{2,4})?)(?:/|(?:\.gz)?$)", path.split("/doc/")[-1]) or ["", "en"])[1]
    return lambda _: pieces((lang(path), read(path)) for path in files(package, pattern))


def manual_pages(package):
    unroff = lambda text: re.sub(r"\\f.|\\[&^|]|\\", "", re.sub(r"(?m)^[.'](?!SH|TP|B |I |BR ).*\n|^\.\w+ ?", "", text))
    return lambda _: pieces(("en", unroff(read(path)).strip()) for path in files(package, "usr/share/man/man*/*.gz"))


def quotations(_):
    for path in files("fortunes", "usr/share/games/fortunes/*"):
        if not path.endswith((".dat", ".u8")):
            yield from (("en", text.strip()) for text in read(path).split("\n%\n"))


FAILURES = {
    "apache": apache,
    "mediawiki": mediawiki,
    "dokuwiki": dokuwiki,
    "roundcube": roundcube,
    "privoxy": privoxy,
    "haproxy": haproxy,
}
CONTENT = {
    "apache2-doc": manual("apache2-doc", "usr/share/doc/apache2-doc/manual/**/*.html*"),
    "debian-handbook": manual("debian-handbook", "usr/share/doc/debian-handbook/html/**/*.html"),
    "manpages": manual_pages("manpages"),
    "manpages-dev": manual_pages("manpages-dev"),
    "fortunes": quotations,
    "labels": labels_of_trouble,
}


def main():
    with open(f"{ROOT}/measured.jsonl", "w", encoding="utf-8") as out:
        for kind, sources in (("failure", FAILURES), ("genuine", CONTENT)):
            for src, texts in sources.items():
                rng = random.Random(src)
                seen = {(lang, text.strip()) for lang, text in texts(rng) if len(text.strip()) > 1 and text.count("\ufffd") < 3}
                chosen = sorted(seen)
                if kind == "genuine" and src != "labels":
                    chosen = sorted(rng.sample(chosen, min(MOST_PIECES, len(chosen))))
                print(f"{kind} {src}: {len(chosen)}", file=sys.stderr)
                for number, (lang, text) in enumerate(chosen):
                    line = {"id": f"{src}-{number}", "label": kind, "src": src, "lang": lang, "text": text}
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")


os.makedirs(ROOT, exist_ok=True)
main()
