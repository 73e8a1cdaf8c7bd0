//! Which company a name and a ticker are of, settled once for all who are then asked about it.

/// A company as its register has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// The legal name, as the register writes it.
    pub name: String,
    /// The register's number of it: a CIK.
    pub number: u64,
    /// Its ticker, without a sign before it.
    pub ticker: Option<String>,
}

/// What a name and a ticker turned out to be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// The company that both can only be.
    pub company: Option<Company>,
    /// Others that the name may be of; of those that are meant by nobody else, the register's order.
    pub candidates: Vec<Company>,
    /// The company of the ticker, where the name is that of another one.
    pub other: Option<Company>,
    /// Whether the register knows the ticker.
    pub knows_ticker: bool,
}

/// Returns a company's name without its legal form, a trailing comma and `Holdings`: what people call it.
pub fn common_name(legal: &str) -> String {
    let mut words: Vec<&str> = legal.split_whitespace().collect();
    let is_form = |word: &str| {
        let bare: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
        let bare = bare.to_lowercase();
        LEGAL_FORMS.contains(&bare.as_str()) || bare == "holdings"
    };
    while words.len() > 1 && words.last().is_some_and(|word| is_form(word)) {
        words.pop();
    }
    words.join(" ").trim_end_matches([',', '.']).to_owned()
}

/// Legal forms of companies, in lower case and without stops: words of a name that do not say which company it is.
pub const LEGAL_FORMS: [&str; 19] = [
    "inc",
    "incorporated",
    "corp",
    "corporation",
    "co",
    "company",
    "companies",
    "ltd",
    "limited",
    "plc",
    "llc",
    "lp",
    "llp",
    "sa",
    "ag",
    "nv",
    "se",
    "spa",
    "gmbh",
];
