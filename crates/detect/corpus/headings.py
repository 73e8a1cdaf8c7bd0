#!/usr/bin/env python3
"""Short genuine text to learn from, out of Debian's packages: nothing here is stored in the repository.

  headings.py OUT DOCUMENTS MESSAGES      writes OUT/headings.jsonl (packages are kept in OUT/x); DOCUMENTS is the folder that
                                          documents.py wrote, MESSAGES the messages.jsonl that forms.py wrote

What is short is easily taken for a failure, for want of anything else that is in it: headings, names, one-line descriptions, phrases
and sentences of words out of dictionaries, with and without a full stop, and the words of manuals and of failures in any order, but
for those that say that something failed: what a failure is about does not make one. Descriptions of packages come from `Translation-*` lists:
APT_CONFIG names a file that asks for them, and OUT/lists holds what `apt-get update` brought. Needs lz4.
"""
import glob, gzip, json, os, random, re, subprocess, sys, unicodedata

from labels import FAILED, TROUBLE

ROOT, DOCUMENTS, MESSAGES = sys.argv[1:4]
# descriptions of a language, of which each is said as a line and as a paragraph
DESCRIPTIONS = 3000
# phrases of a language
PHRASES = 1500
# texts of words in any order, of manuals and of failures each
SHUFFLED = 40000


def translations(rng):
    for path in sorted(glob.glob(f"{ROOT}/lists/*_bookworm_main_i18n_Translation-*.lz4")):
        lang = path.split("Translation-")[1].split(".")[0].split("%")[0]
        said = subprocess.run(["lz4", "-dc", path], capture_output=True, check=True).stdout.decode("utf-8", "replace")
        entries = re.findall(r"Package: (\S+)\n.*?\nDescription-[\w%]+: (.+)\n((?: .*\n)*)", said)
        for package, line, text in rng.sample(entries, min(DESCRIPTIONS, len(entries))):
            base = {"src": "descriptions", "lang": lang, "group": package}
            yield {**base, "text": line + rng.choice(["", "", "."])}
            paragraphs = re.sub(r"\n ", "\n", text).split("\n.\n")
            yield {**base, "text": re.sub(r"\s+", " ", rng.choice(paragraphs)).strip()}


def words(path):
    raw = (gzip.open if path.endswith(".gz") else open)(path, "rb").read()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode(re.search(rb"(?i)^SET (\S+)", open(path[:-3] + "aff", "rb").read(4000), re.M)[1].decode() if path.endswith(".dic") else "latin-1")
    return [word for word in (re.split(r"[/\t ]", line)[0] for line in text.splitlines()) if 3 < len(word) < 16 and not re.search(r"[\d'.-]", word)]


def phrases(rng):
    """Two to four words that no one chose for their meaning."""
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
        for n in range(PHRASES * (8 if english else 1)):
            # a heading, or two to six sentences
            sizes = [rng.choice([1, 2, 2, 3, 4, 6])] if rng.random() < 0.6 else [rng.randrange(3, 12) for _ in range(rng.randrange(2, 7))]
            # a text has a subject: some of its words come again
            own = rng.sample(known, max(4, sum(sizes) * 2 // 3)) if len(sizes) > 1 and rng.random() < 0.6 else known
            lines = [" ".join(rng.choice(own) for _ in range(size)) for size in sizes]
            lines = [rng.choice([line, line[:1].upper() + line[1:], line.title()] if len(lines) == 1 else [line[:1].upper() + line[1:]]) for line in lines]
            yield {"src": "phrases", "lang": lang, "group": f"{name}{n}", "text": ". ".join(lines) + rng.choice(["", ".", ".", ".", ":", "!"][: 4 if n % 20 else 6])}


def shuffled(rng):
    """Sentences of the words of other texts in any order."""
    of_failures, of_content = [], {}
    for line in open(MESSAGES, encoding="utf-8"):
        message = json.loads(line)
        if message["lang"] == "en" and message["label"] == "failure":
            of_failures.append(message["text"])
    for name in ("documents", "short", "readmes"):
        for line in open(f"{DOCUMENTS}/{name}.jsonl", encoding="utf-8"):
            text = json.loads(line)
            of_content.setdefault(text["lang"], []).append(text["text"][:600])
    pools = [("en", rng.sample(of_failures, min(6000, len(of_failures))), SHUFFLED)]
    pools += [(lang, texts, SHUFFLED if lang == "en" else SHUFFLED // 150) for lang, texts in sorted(of_content.items()) if len(texts) > 200]
    for lang, texts, many in pools:
        said = [word for text in rng.sample(texts, min(3000, len(texts))) for word in re.findall(r"[^\W\d_]{3,}", text)]
        said = [word.lower() for word in said if not TROUBLE.search(word) and not FAILED.search(word)]
        # without the words of grammar, which are the commonest and short
        plain = [word for word in said if len(word) > 4]
        for n in range(many):
            known = rng.choice([said, plain, plain])
            some = rng.sample(known, min(len(known), rng.choice([2, 4, 8, 12, 20, 30])))
            if rng.random() < 0.5:
                some = [rng.choice(some) for _ in range(len(some) * 2)]
            sentences, at = [], 0
            while at < len(some):
                size = rng.randrange(3, 12)
                sentences.append(" ".join(some[at : at + size]).capitalize())
                at += size
            yield {"src": "shuffled", "lang": lang, "group": f"{lang}{n}", "text": ". ".join(sentences) + rng.choice(["", ".", "."])}


def headings(rng):
    """Headings and first lines of manuals and read-mes, and the lists of keywords and titles that documents.py has."""
    for name in ("documents", "readmes"):
        for line in open(f"{DOCUMENTS}/{name}.jsonl", encoding="utf-8"):
            text = json.loads(line)
            found = re.findall(r"(?i)<(?:h[1-4]|title)[^>]*>([^<]{4,80})</", text["text"]) + re.findall(r"(?m)^#+ (.{4,80})$", text["text"])
            found += re.findall(r"(?m)^([A-Z][^.\n]{3,60})\n[=~-]{4,}$", text["text"]) + re.findall(r"(?m)^NAME\n\s*(.{8,100})$", text["text"])
            for heading in rng.sample(found, min(2, len(found))):
                yield {**{key: text[key] for key in ("src", "lang", "group")}, "text": heading.strip(), "class": "heading"}


def main():
    rng, seen = random.Random(21), set()
    with open(f"{ROOT}/headings.jsonl", "w", encoding="utf-8") as out:
        for make in (translations, phrases, shuffled, headings):
            count = 0
            for line in make(rng):
                # Hangul and Hebrew of some dictionaries come in pieces
                line["text"] = unicodedata.normalize("NFC", line["text"])
                if 4 < len(line["text"]) < 1200 and (line["lang"], line["text"]) not in seen:
                    seen.add((line["lang"], line["text"]))
                    out.write(json.dumps({"label": "genuine", **line}, ensure_ascii=False) + "\n")
                    count += 1
            print(make.__name__, count)


main()
