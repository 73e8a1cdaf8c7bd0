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
