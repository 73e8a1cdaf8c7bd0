#!/usr/bin/env python3
"""Collects genuine training text from Debian's documentation packages. None of it is stored in the repository.

  documents.py OUT      writes OUT/documents.jsonl, sentences.jsonl, short.jsonl, readmes.jsonl and keywords.jsonl (packages are kept in
                        OUT/deb); run apt-get update first

Each line is {"label": "genuine", "src", "lang", "group", "text"}. Each manual file gives its beginning as text (and, for HTML,
as the page itself), and a few of its paragraphs and single lines, because retrieved text comes in all lengths.
The evaluation data is not included: see the header of real-texts.py, which is part of the failure corpus.
"""
import glob, gzip, html, json, os, random, re, subprocess, sys

ROOT = os.path.abspath(sys.argv[1])
LANGS = "de fr es pl pt-br it ru ja zh ko".split()
PACKAGES = (
    ["installation-guide-amd64", "python3.11-doc", "sqlite3-doc", "vim-doc", "postgresql-doc-15", "debian-faq", "debian-policy",
     "developers-reference", "gnome-user-docs", "git-doc", "gimp-help-de", "gimp-help-ko", "gimp-help-sv"]
    # web servers and libraries, whose documentation mentions failures most often
    + ["bind9-doc", "exim4-doc-html", "libcurl4-doc", "lighttpd-doc", "mailman3-doc", "nodejs-doc", "postfix-doc", "python-aiohttp-doc",
       "python-django-doc", "python-flask-doc", "python-requests-doc", "python-werkzeug-doc", "tomcat10-docs", "varnish-doc"]
    + ["manpages-" + l for l in LANGS[:-1]]
    + ["aptitude-doc-" + l for l in "en fr ja cs es ru fi it nl".split()]
    + ["debian-faq-" + l for l in "de fr ja ru zh-cn".split()]
)
NPM = "fastify undici axios mongoose mocha eslint socket.io knex".split()
FILES_A_PACKAGE = 700
SUFFIX = re.compile(r"\.(html?|txt|rst|page|md|[1-8])(\.gz)?$")


def fetch(name):
    there = f"{ROOT}/x/{name}"
    if not os.path.isdir(there):
        os.makedirs(f"{ROOT}/deb", exist_ok=True); os.makedirs(f"{ROOT}/x", exist_ok=True)
        done = subprocess.run(["apt-get", "download", "-qq", name], cwd=f"{ROOT}/deb", capture_output=True, text=True)
        if done.returncode:
            print(f"skipped {name}: {done.stderr.strip()}", file=sys.stderr)
            return None
        subprocess.run(["dpkg-deb", "-x", sorted(glob.glob(f"{ROOT}/deb/{name}_*.deb"))[0], there], check=True)
    return there


def as_text(page):
    page = re.sub(r"(?is)<(script|style|head)\b.*?</\1>", "", page)
    page = re.sub(r"(?s)<!--.*?-->", "", page)
    page = re.sub(r"(?i)<(br|p|div|h\d|li|tr|hr|dt|dd)[^>]*>", "\n", page)
    page = html.unescape(re.sub(r"<[^>]+>", "", page))
    return re.sub(r"\n\s*\n+", "\n\n", re.sub(r"[ \t]+", " ", page)).strip()


def roff(page):
    out = []
    for line in page.splitlines():
        if line.startswith((".\\\"", "'\\\"", ".de", ".ie", ".el", ".if", ".nr", ".ds")):
            continue
        line = re.sub(r"^\.(SH|SS|B|I|BR|IR|RB|IB|BI|Nm|Nd|Sh|Ar|Op|TH)\s*", "\n" if line.startswith((".SH", ".SS", ".Sh")) else "", line)
        if re.match(r"\.\w", line):
            line = "" if len(line) < 6 else re.sub(r"^\.\w+\s*", "", line)
        out.append(re.sub(r"\\f[BIRP]|\\&|\\\||\\,|\\/", "", line).replace("\\-", "-").replace("\\(aq", "'"))
    return re.sub(r"\n\s*\n+", "\n\n", "\n".join(out)).strip()


def language(path, package):
    for pattern in (r"/help/([a-zA-Z_@]+)/", r"/man/([a-z]{2}(?:_[A-Z]{2})?)/", r"/html/([a-z]{2})/", r"\.([a-z]{2})(?:-[a-z]+)?\.(?:html|txt)"):
        if m := re.search(pattern, path):
            if m[1] != "C":
                return m[1].split("_")[0].split("@")[0]
    return m[1] if (m := re.search(r"-(de|fr|es|pl|pt|it|ru|ja|zh|ko|cs|fi|nl|sv)\b", package)) else "en"


def short():
    """Changelogs of installed packages, which mention errors frequently; names and descriptions of programs in many languages."""
    rng = random.Random(5)
    for path in sorted(glob.glob("/usr/share/doc/*/changelog*.gz"))[:1200]:
        text, package = gzip.open(path).read(60000).decode("utf-8", "replace"), path.split("/")[4]
        entries = re.findall(r"\n\s+[*-] (.+?)(?=\n\s*[*\-\[]|\n\n)", text, re.S)
        entries = [re.sub(r"\s+", " ", entry) for entry in entries if "@" not in entry]
        chosen = rng.sample(entries, min(8, len(entries))) + ([text[:rng.choice([300, 900])]] if "@" not in text[:900] else [])
        yield from ({"src": "debian-changelogs", "lang": "en", "group": package, "text": entry} for entry in chosen)
    seen = {}
    for path in sorted(glob.glob("/var/lib/apt/lists/*_main_dep11_Components-*.yml.gz"))[:1]:
        for entry in gzip.open(path, "rt", encoding="utf-8").read().split("\n---\n"):
            named = re.search(r"(?:^|\n)Package: (\S+)", entry)
            for field in ("Name", "Summary", "Description"):
                said = re.search(r"(?:^|\n)" + field + r":\n((?:  .*\n?)+)", entry)
                for lang, text in re.findall(r"(?:^|\n)  ([a-zA-Z_@]+): (?:>-\n)?((?:.*)(?:\n    .*)*)", said[1]) if said else []:
                    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).strip(" '\"")
                    lang = lang.split("_")[0].split("@")[0]
                    seen[lang] = seen.get(lang, 0) + 1
                    if 8 < len(text) < 1200 and seen[lang] <= 1500:
                        yield {"src": "app-descriptions", "lang": "en" if lang == "C" else lang, "group": named[1] if named else "", "text": text}


def readmes(rng):
    """READMEs, changelogs and manuals of Node.js packages, as beginnings and as pieces; also those of installed packages."""
    os.makedirs(f"{ROOT}/npm", exist_ok=True)
    for name in NPM:
        there = f"{ROOT}/npm/{name}"
        if not os.path.isdir(there):
            packed = subprocess.run(["npm", "pack", "--silent", name], cwd=f"{ROOT}/npm", capture_output=True, text=True)
            if packed.returncode:
                print(f"skipped {name}: {packed.stderr.strip()}", file=sys.stderr)
                continue
            os.makedirs(there)
            subprocess.run(["tar", "-xzf", f"{ROOT}/npm/{packed.stdout.split()[-1]}", "-C", there], check=True)
    paths = sorted(glob.glob(f"{ROOT}/npm/*/package/**/*.md", recursive=True))
    paths += sorted(p for p in glob.glob("/usr/share/doc/*/*") if os.path.isfile(p) and re.search(r"/(README|NEWS|changelog|TODO|FAQ|BUGS)[^/]*$", p))
    for path in paths:
        raw = (gzip.open if path.endswith(".gz") else open)(path, "rb").read(200_000)
        text = re.sub(r"\S+@\S+", "", raw.decode("utf-8", "replace"))
        base = {"src": "readmes", "lang": "en", "group": path.split("/package/")[0].split("/")[-1] if "/npm/" in path else path.split("/")[4]}
        if len(text) < 200 or "\ufffd" in text:
            continue
        yield {**base, "text": text[: rng.choice([1500, 2000, 4000, 6000])]}
        for _ in range(4 if len(text) > 4000 else 1):
            start = rng.randrange(max(1, len(text) - 2500))
            yield {**base, "text": text[start : start + rng.choice([400, 1200, 2000, 3000])].split(" ", 1)[-1].strip()}


def keywords(rng):
    """Lists of words that are not sentences: keywords of npm packages and crates, singly and in small groups."""
    lists = set()
    for path in glob.glob(f"{ROOT}/npm/**/package.json", recursive=True) + glob.glob(os.path.expanduser("~/.cargo/registry/src/*/*/Cargo.toml")):
        text = open(path, encoding="utf-8", errors="replace").read()
        found = re.search(r'"?keywords"?\s*[:=]\s*\[([^\]]*)\]', text)
        words = tuple(re.findall(r'"([^"]+)"', found[1])) if found else ()
        if len(words) > 1:
            lists.add(words)
    lists = sorted(lists)
    for words in lists:
        base = {"src": "keywords", "lang": "en", "group": words[0]}
        several = list(words) + [w for l in rng.sample(lists, min(len(lists), rng.choice([0, 2, 4, 8]))) for w in l]
        rng.shuffle(several)
        yield {**base, "text": rng.choice([", ", " ", "\n"]).join(words)}
        for _ in range(24):
            some = [w.replace("-", " ") for w in rng.sample(several, rng.randrange(2, min(28, len(several)) + 1))]
            line = " ".join(some)
            yield {**base, "text": (line[:1].upper() + line[1:] + ".") if rng.random() < 0.6 else line}


# Failure words. A manual sentence that contains one becomes a separate sample.
SPEAKS_OF_FAILURE = re.compile(
    r"\b(errors?|fail(?:s|ed|ure|ures|ing)?|denied|not (?:found|allowed|available|permitted|supported|exist)|no such|missing|invalid|unable|"
    r"cannot|can't|could(?: not|n't)|refuse[sd]?|time[sd]? ?out|unavailable|expire[sd]?|forbidden|block(?:ed|s)?|exceed(?:s|ed)?|"
    r"permission|access|log ?in|sign in|session|password|server|page|request(?:s|ed)?|limit(?:s|ed)?|retry|try again|please|sorry|required|must|"
    r"empty|nothing|disabled|closed|offline)\b",
    re.I,
)


def sentences(documents):
    """Single sentences of the English documents that mention something that fails, is missing or is not allowed."""
    seen = set()
    for line in documents:
        said = json.loads(line)
        if said["lang"] != "en":
            continue
        for text in re.split(r"(?<=[.!?])\s+", re.sub(r"\s+", " ", said["text"])):
            whole = 25 <= len(text) <= 150 and re.match(r"[A-Z][a-z]*[ ,]", text) and text.endswith(".") and text.count(" ") > 2
            if whole and "<" not in text and SPEAKS_OF_FAILURE.search(text) and text.lower() not in seen:
                seen.add(text.lower())
                yield {**said, "text": text}


def main():
    rng, count = random.Random(12), 0
    os.makedirs(ROOT, exist_ok=True)
    with open(f"{ROOT}/documents.jsonl", "w", encoding="utf-8") as out:
        def say(**line):
            nonlocal count
            count += 1
            out.write(json.dumps({"label": "genuine", **line}, ensure_ascii=False) + "\n")

        for package in PACKAGES:
            there = fetch(package)
            if not there:
                continue
            files = sorted(os.path.join(d, f) for d, _, names in os.walk(there) for f in names if SUFFIX.search(f))
            files = [f for f in files if not os.path.islink(f) and "copyright" not in f]
            rng.shuffle(files)
            for path in files[:FILES_A_PACKAGE]:
                read = gzip.open if path.endswith(".gz") else open
                raw = read(path, "rb").read(400_000).decode("utf-8", "replace")
                if raw.count("\ufffd") > 3 or len(raw) < 200:
                    continue
                lang = language(path, package)
                group = f"{package}:{os.path.basename(path)}"
                marked = re.search(r"\.(html?|page)(\.gz)?$", path)
                text = as_text(raw) if marked else roff(raw) if re.search(r"\.[1-8](\.gz)?$", path) else raw
                if len(text) < 120:
                    continue
                base = {"src": package, "lang": lang, "group": group}
                say(**base, text=text[:rng.choice([1000, 2000, 2000, 6000])])
                if marked and re.search(r"\.html?(\.gz)?$", path):
                    say(**base, text=raw[:rng.choice([2000, 6000, 20000])])
                start = rng.randrange(max(1, len(text) - 1500))
                say(**base, text=text[start:start + rng.choice([300, 800, 1500])].split(" ", 1)[-1].strip())
                paragraphs = [p.strip() for p in text.split("\n\n") if 60 < len(p) < 1200]
                for paragraph in rng.sample(paragraphs, min(2, len(paragraphs))):
                    say(**base, text=paragraph)
                lines = [l.strip() for l in text.splitlines() if 12 < len(l.strip()) < 120]
                for line in rng.sample(lines, min(2, len(lines))):
                    say(**base, text=line)
    with open(f"{ROOT}/documents.jsonl", encoding="utf-8") as documents, open(f"{ROOT}/sentences.jsonl", "w", encoding="utf-8") as out:
        for line in sentences(documents):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    with open(f"{ROOT}/short.jsonl", "w", encoding="utf-8") as out:
        for line in short():
            if 8 < len(line["text"]) < 1500:
                out.write(json.dumps({"label": "genuine", **line}, ensure_ascii=False) + "\n")
    with open(f"{ROOT}/readmes.jsonl", "w", encoding="utf-8") as out:
        for line in readmes(random.Random(14)):
            out.write(json.dumps({"label": "genuine", **line}, ensure_ascii=False) + "\n")
    with open(f"{ROOT}/keywords.jsonl", "w", encoding="utf-8") as out:
        for line in keywords(random.Random(15)):
            out.write(json.dumps({"label": "genuine", **line}, ensure_ascii=False) + "\n")
    print(count)


main()
