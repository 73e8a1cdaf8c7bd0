#!/usr/bin/env python3
"""Collects short genuine training text from Debian's packages. None of it is stored in the repository.

  headings.py OUT DOCUMENTS      writes OUT/headings.jsonl (packages are kept in OUT/x); DOCUMENTS is the folder that documents.py wrote

Short texts are easily mistaken for failures, because they contain little else: headings, names, one-line descriptions, phrases of
two to four dictionary words, with and without a full stop, and list items (a name with a description). Package descriptions come
from `Translation-*` lists, which a separate `apt-get update` downloads to OUT/lists. Needs lz4.
"""
import glob, gzip, json, os, random, re, subprocess, sys, unicodedata

ROOT, DOCUMENTS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
# descriptions per language, each used as a line and as a paragraph
DESCRIPTIONS = 3000
# phrases per language
PHRASES = 1500
LANGUAGES = "ca cs da de el en eo es eu fi fr hr hu id it ja km ko ml nb nl pl pt pt_BR ro ru sk sv tr uk vi zh_CN zh_TW".split()
WORDLISTS = (
    "wamerican wbritish wbulgarian wbrazilian wcatalan wdanish wdutch wesperanto wfrench witalian wngerman wpolish wportuguese wukrainian wirish "
    "hunspell-ar hunspell-be hunspell-el hunspell-es hunspell-eu hunspell-gl hunspell-he hunspell-hi hunspell-hr hunspell-hu hunspell-id "
    "hunspell-is hunspell-ko hunspell-lt hunspell-lv hunspell-ne hunspell-no hunspell-ro hunspell-ru hunspell-sk hunspell-sl hunspell-sr "
    "hunspell-sv hunspell-te hunspell-th hunspell-tr hunspell-vi"
).split()


def fetch():
    os.makedirs(f"{ROOT}/lists/partial", exist_ok=True)
    if not glob.glob(f"{ROOT}/lists/*Translation-*"):
        languages = "".join(f' "{language}";' for language in LANGUAGES)
        with open(f"{ROOT}/apt.conf", "w", encoding="utf-8") as conf:
            conf.write(f'#clear Acquire::Languages;\nDir::State::lists "{ROOT}/lists"; Acquire::Languages {{{languages} }}; Acquire::GzipIndexes "true";\n')
        subprocess.run(["apt-get", "-c", f"{ROOT}/apt.conf", "update", "-qq"], check=True)
    for package in WORDLISTS:
        folder = f"{ROOT}/x/{package}"
        if not os.path.isdir(folder):
            os.makedirs(folder)
            subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, check=True)
            for deb in glob.glob(f"{folder}/*.deb"):
                subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
                os.remove(deb)


def translations(rng):
    for path in sorted(glob.glob(f"{ROOT}/lists/*_bookworm_main_i18n_Translation-*.lz4")):
        lang = path.split("Translation-")[1].split(".")[0].split("%")[0]
        said = subprocess.run(["lz4", "-dc", path], capture_output=True, check=True).stdout.decode("utf-8", "replace")
        entries = re.findall(r"Package: (\S+)\n.*?\nDescription-[\w%]+: (.+)\n((?: .*\n)*)", said)
        few = []
        for package, line, text in rng.sample(entries, min(DESCRIPTIONS * (4 if lang == "en" else 1), len(entries))):
            base = {"src": "descriptions", "lang": lang, "group": package}
            yield {**base, "text": line + rng.choice(["", "", "."])}
            paragraphs = re.sub(r"\n ", "\n", text).split("\n.\n")
            paragraph = re.sub(r"\s+", " ", rng.choice(paragraphs)).strip()
            yield {**base, "text": paragraph}
            # as a list item, alone or among others: the name, and the description below it
            few.append(f"{rng.choice([package, package.replace('-', ' ').title()])}\n{rng.choice([line, line, paragraph[:300]])}")
            if rng.random() < 0.6:
                yield {**base, "text": "\n".join(few), "class": "items"}
                few = []


def words(path):
    raw = (gzip.open if path.endswith(".gz") else open)(path, "rb").read()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode(re.search(rb"(?i)^SET (\S+)", open(path[:-3] + "aff", "rb").read(4000), re.M)[1].decode() if path.endswith(".dic") else "latin-1")
    return [word for word in (re.split(r"[/\t ]", line)[0] for line in text.splitlines()) if 3 < len(word) < 16 and not re.search(r"[\d'.-]", word)]


def phrases(rng):
    """Two to four random words."""
    lists = sorted(p for p in glob.glob(f"{ROOT}/x/*/usr/share/dict/*") if os.path.isfile(p) and not os.path.islink(p))
    lists += sorted(p for p in glob.glob(f"{ROOT}/x/*/usr/share/hunspell/*.dic") if os.path.isfile(p) and not os.path.islink(p))
    for path in lists:
        try:
            known = words(path)
        except (LookupError, OSError, TypeError, UnicodeDecodeError):
            continue
        if len(known) < 1000:
            continue
        name = os.path.basename(path).split(".")[0]
        lang = name.split("_")[0] if "hunspell" in path else name
        english = "english" in name
        for n in range(PHRASES * (4 if english else 1)):
            some = [word.lower() if lang != "ngerman" else word for word in rng.sample(known, rng.choice([1, 2, 2, 2, 3, 3, 4, 6]))]
            line = " ".join(some)
            line = rng.choice([line, line[:1].upper() + line[1:], line.title()])
            yield {"src": "phrases", "lang": lang, "group": f"{name}{n}", "text": line + rng.choice(["", ".", ".", ":", "!"][: 3 if n % 20 else 5])}


def headings(rng):
    """Headings and first lines of manuals and READMEs, and the keyword and title lists of documents.py."""
    for name in ("documents", "readmes"):
        for line in open(f"{DOCUMENTS}/{name}.jsonl", encoding="utf-8"):
            text = json.loads(line)
            found = re.findall(r"(?i)<(?:h[1-4]|title)[^>]*>([^<]{4,80})</", text["text"]) + re.findall(r"(?m)^#+ (.{4,80})$", text["text"])
            found += re.findall(r"(?m)^([A-Z][^.\n]{3,60})\n[=~-]{4,}$", text["text"]) + re.findall(r"(?m)^NAME\n\s*(.{8,100})$", text["text"])
            for heading in rng.sample(found, min(2, len(found))):
                yield {**{key: text[key] for key in ("src", "lang", "group")}, "text": heading.strip(), "class": "heading"}


def main():
    fetch()
    rng, seen = random.Random(21), set()
    with open(f"{ROOT}/headings.jsonl", "w", encoding="utf-8") as out:
        for make in (translations, phrases, headings):
            count = 0
            for line in make(rng):
                # some dictionaries store Hangul and Hebrew in decomposed form
                line["text"] = unicodedata.normalize("NFC", line["text"])
                if 4 < len(line["text"]) < 1200 and (line["lang"], line["text"]) not in seen:
                    seen.add((line["lang"], line["text"]))
                    out.write(json.dumps({"label": "genuine", **line}, ensure_ascii=False) + "\n")
                    count += 1
            print(make.__name__, count)


main()
