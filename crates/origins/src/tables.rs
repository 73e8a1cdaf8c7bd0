//! Words that headlines are read by.

/// What agencies put before a headline, in lower case.
#[rustfmt::skip]
pub(crate) const BEFORE: [&str; 75] = [
    "update", "refile", "corrected", "correction", "breaking", "breaking news", "exclusive", "watch", "video", "live",
    "just in", "us stocks", "us stocks snapshot", "global markets", "tech stocks", "market snapshot",
    "market analysis", "analysis", "wrapup", "advisory", "factbox", "insight", "focus", "forex", "fx",
    "money markets", "european stocks", "reuters", "ap", "ap news", "press release", "news", "report", "stocks",
    "developing", "bloomberg", "ecb focus", "rpt", "updated", "alert", "new", "watch live", "listen", "read",
    "photos", "gallery", "in pictures", "podcast", "explainer", "explained", "opinion", "editorial", "comment",
    "column", "show hn", "ask hn", "launch hn", "tell hn", "til", "psa", "must read", "afp", "upi", "bbc news", "cnn",
    "just announced", "live updates", "watch now", "video and photos", "first on cnn", "scoop", "trending", "viral",
    "viral video", "sources",
];

/// Parts after a headline that name a section, an agency or a publisher, in lower case.
#[rustfmt::skip]
pub(crate) const AFTER: [&str; 218] = [
    "ap", "ap news", "afp", "reuters", "bloomberg", "associated press", "the associated press", "upi", "cnn",
    "cnn.com", "cnn politics", "bbc news", "bbc", "npr", "the guardian", "the new york times", "new york times",
    "nyt", "the washington post", "washington post", "wsj", "the wall street journal", "wall street journal",
    "financial times", "the economist", "fox news", "fox business", "nbc news", "abc news", "cbs news", "al jazeera",
    "techcrunch", "the verge", "ars technica", "wired", "forbes", "business insider", "cnbc", "marketwatch", "msn",
    "yahoo", "yahoo news", "yahoo finance", "usa today", "politico", "axios", "the hill", "news", "world news",
    "world", "business", "business news", "market news", "sports", "sport", "politics", "technology", "tech",
    "science", "health", "entertainment", "lifestyle", "opinion", "video", "videos", "sources", "source", "traders",
    "report", "reports", "the globe and mail", "earth", "afp news", "ani", "pti", "ians", "xinhua", "dpa",
    "the canadian press", "press association", "pa media", "aap", "bernama", "anadolu agency", "yonhap",
    "yonhap news agency", "kyodo news", "the independent", "the telegraph", "daily mail", "mail online",
    "daily mail online", "the sun", "the mirror", "sky news", "itv news", "channel 4 news", "euronews", "france 24",
    "dw", "dw.com", "deutsche welle", "rte", "the irish times", "abc", "cbc", "cbc news", "ctv news", "global news",
    "national post", "toronto star", "the star", "the times of india", "times of india", "the hindu",
    "hindustan times", "ndtv", "india today", "indian express", "the indian express", "business standard",
    "the economic times", "economic times", "mint", "livemint", "the straits times", "straits times",
    "channel newsasia", "south china morning post", "the japan times", "japan times", "nikkei asia",
    "the sydney morning herald", "the age", "the australian", "nz herald", "rnz", "stuff", "stuff.co.nz",
    "los angeles times", "la times", "chicago tribune", "the boston globe", "boston globe", "san francisco chronicle",
    "the mercury news", "the seattle times", "seattle times", "miami herald", "new york post", "new york daily news",
    "nbc", "nbcnews.com", "cbsnews.com", "foxnews.com", "pbs newshour", "propublica", "vox", "slate", "salon",
    "the atlantic", "the new yorker", "vice", "buzzfeed news", "huffpost", "the huffington post", "newsweek", "time",
    "time.com", "fortune", "inc.com", "fast company", "venturebeat", "zdnet", "zdnet.com", "cnet", "engadget",
    "gizmodo", "the register", "techradar", "mashable", "the next web", "hacker news", "yahoo sports", "espn",
    "bleacher report", "us news", "uk news", "local news", "national", "international", "breaking news",
    "latest news", "top stories", "article", "blog", "press release", "press releases", "media releases",
    "prnewswire", "pr newswire", "business wire", "globenewswire", "live", "live updates", "as it happened",
    "in pictures", "photos", "podcast", "analysis", "updated", "[updated]", "exclusive", "study", "survey", "police",
    "officials", "official",
];

/// Words that say nothing about the subject.
#[rustfmt::skip]
pub(crate) const LIGHT: [&str; 58] = [
    "a", "an", "the", "of", "to", "in", "on", "for", "and", "or", "is", "are", "as", "at", "by", "with", "from",
    "its", "it", "be", "been", "was", "were", "that", "this", "these", "those", "his", "her", "their", "he", "she",
    "they", "we", "you", "i", "my", "our", "your", "will", "would", "can", "could", "has", "have", "had", "do",
    "does", "did", "so", "than", "then", "there", "into", "over", "about", "what", "who",
];

/// Words that turn the sense of a headline.
#[rustfmt::skip]
pub(crate) const TURNS: [&str; 24] = [
    "no", "not", "never", "without", "denies", "deny", "denied", "fails", "fail", "unlikely", "against", "ends",
    "cancels", "cancelled", "rejects", "after", "before", "first", "second", "third", "former", "anti", "non", "ex",
];

/// Pairs that are each other's contrary.
#[rustfmt::skip]
pub(crate) const CONTRARY: [(&str, &str); 30] = [
    ("rise", "fall"), ("up", "down"), ("gain", "loss"), ("gain", "drop"), ("win", "lose"), ("best", "worst"),
    ("high", "low"), ("higher", "lower"), ("open", "close"), ("before", "after"), ("buy", "sell"), ("beat", "miss"),
    ("more", "less"), ("more", "fewer"), ("increase", "decrease"), ("raise", "cut"), ("jump", "drop"),
    ("top", "miss"), ("north", "south"), ("east", "west"), ("approve", "reject"), ("accept", "reject"),
    ("start", "end"), ("begin", "end"), ("morning", "evening"), ("man", "woman"), ("strong", "weak"),
    ("grow", "shrink"), ("hire", "fire"), ("arrive", "leave"),
];

/// Names of times. Two headlines that name other ones are about other times.
#[rustfmt::skip]
pub(crate) const TIMES: [&str; 48] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "monday",
    "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "spring", "summer", "autumn", "fall",
    "winter", "first-quarter", "second-quarter", "third-quarter", "fourth-quarter", "q1", "q2", "q3", "q4", "mon",
    "tue", "thu", "fri",
];

/// Numbers in words.
#[rustfmt::skip]
pub(crate) const NUMBERS: [(&str, &str); 22] = [
    ("one", "1"), ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"),
    ("eight", "8"), ("nine", "9"), ("ten", "10"), ("zero", "0"), ("eleven", "11"), ("twelve", "12"),
    ("fifteen", "15"), ("twenty", "20"), ("thirty", "30"), ("forty", "40"), ("fifty", "50"), ("sixty", "60"),
    ("seventy", "70"), ("eighty", "80"), ("ninety", "90"),
];

/// Other spellings of one word.
#[rustfmt::skip]
pub(crate) const SPELLINGS: [(&str, &str); 27] = [
    ("jan", "january"), ("feb", "february"), ("mar", "march"), ("apr", "april"), ("jun", "june"), ("jul", "july"),
    ("aug", "august"), ("sep", "september"), ("sept", "september"), ("oct", "october"), ("nov", "november"),
    ("pct", "%"), ("percent", "%"), ("pc", "%"), ("mth", "month"), ("yr", "year"), ("govt", "government"),
    ("bln", "billion"), ("bn", "billion"), ("mln", "million"), ("intl", "international"), ("dept", "department"),
    ("vs", "versus"), ("v", "versus"), ("gov", "governor"), ("sen", "senator"), ("nr", "near"),
];

/// Ends of one word's forms.
#[rustfmt::skip]
pub(crate) const ENDS: [&str; 17] = [
    "", "s", "es", "e", "a", "d", "ed", "ing", "r", "er", "ers", "ese", "ly", "n", "al", "ion", "ions",
];
