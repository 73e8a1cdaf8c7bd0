//! The facts about a source. Everything that lists sources (tools, docs, limits, allow-lists,
//! `server.json`) is derived from these.

use std::time::Duration;

use crate::arg_spec::ArgSpec;
use crate::as_of::{AsOf, FactTimes};
use crate::error::ErrorCode;
use crate::peek::{Listing, Peek};
use crate::standing::StandingState;

/// The facts about one source. Constant data: no network, no construction cost.
#[derive(Debug)]
pub struct Descriptor {
    /// Adapter id, for example `hackernews`.
    pub id: &'static str,
    /// MCP tool name, for example `extract_hackernews`.
    pub tool: &'static str,
    /// Tool title for people.
    pub title: &'static str,
    /// Words for the heading of an answer.
    pub heading: Heading,
    /// Tool description for the model: what it returns and what to pass. At most 400 characters.
    pub description: &'static str,
    /// The tool that may answer the same question where this source fails, if any.
    pub instead: Option<&'static str>,
    /// A right set of arguments, as a JSON object in text. Shown in errors and docs.
    pub example: &'static str,
    /// The `evaluate_context` profile that fits this source's items.
    pub profile: &'static str,
    /// How fast its items age.
    pub decay: Decay,
    /// After how long a reading of something that moves (a price) has been replaced by a newer one, whatever the source
    /// shows. None where items are events, which stay the newest until another one happens.
    pub replaced_after: Option<Duration>,
    /// How the tool is asked for one item again.
    pub refetch: Refetch,
    /// Hosts that this source may talk to.
    pub hosts: Hosts,
    /// Whether the routes are the publisher's own documented interfaces.
    pub official: bool,
    /// The cheap question whether an earlier answer is still so.
    pub peek: Peek,
    /// Credentials that the pipeline adds by host.
    pub credentials: &'static [Credential],
    /// Ways to the data, in the order in which they are tried.
    pub routes: &'static [Route],
    /// Published limits of the hosts.
    pub rates: &'static [HostRate],
    /// How this source's statuses differ from the common reading.
    pub status_rules: &'static [StatusRule],
    /// Texts by which this source's own failure pages are known.
    pub markers: &'static [Marker],
    /// Which common arguments the tool takes.
    pub args: ArgSpec,
    /// Which facts about its items are fixed at publication, and which move afterwards.
    pub facts: FactTimes,
    /// One sentence: how the date of an item is determined.
    pub dates: &'static str,
    /// One sentence: what the source's terms ask of us, with a link.
    pub terms: &'static str,
}

/// Words for the heading of an answer: `rust on Hacker News: 4 stories`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    /// Where the question was asked, such as `on Hacker News`; the title of the tool stands in for an empty one.
    pub place: &'static str,
    /// An item of a search, such as `story`.
    pub one: &'static str,
    /// Several, such as `stories`.
    pub many: &'static str,
}

impl Heading {
    /// These words.
    pub const fn new(place: &'static str, one: &'static str, many: &'static str) -> Self {
        Self { place, one, many }
    }
}

/// A decay class of the FreshContext Specification; its rate is in the core's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decay {
    /// Half-life of half a day.
    FastDiscussion,
    /// Half-life of a day and a half.
    NewsCycle,
    /// Half-life of three days: communities, launches.
    LaunchSignals,
    /// Half-life of six days: jobs, events that companies must report.
    MaterialEvents,
    /// Half-life of a month: procurement, markets.
    MarketContext,
    /// Half-life of two months: packages, changelogs.
    PackageCadence,
    /// Half-life of five months.
    RepositoryActivity,
    /// Half-life of a year and a half.
    AcademicWork,
    /// The rate of source types that no class names: half-life of a month.
    Unclassed,
}

/// How a tool is asked for one of its items again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refetch {
    /// By its address in this argument, at these hosts or below them (`*` for any); by its title elsewhere.
    Address(&'static str, &'static [&'static str]),
    /// By its title in this argument.
    Title(&'static str),
    /// By the address of its repository, in `url` of this tool.
    Repository(&'static str),
    /// By registry and name, in `packages`.
    Package,
    /// By the ticker that its title begins with, in `url`.
    Ticker,
}

/// Which hosts a source may be asked to reach. Subdomains are not implied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosts {
    /// Only these.
    Fixed(&'static [&'static str]),
    /// Any public web host, because the caller names the page; these are the usual ones.
    PublicWeb(&'static [&'static str]),
}

impl Hosts {
    /// The hosts named.
    pub const fn named(&self) -> &'static [&'static str] {
        match self {
            Self::Fixed(hosts) | Self::PublicWeb(hosts) => hosts,
        }
    }

    /// Whether a host (lower case, as `url` normalises it) is one this source may ask for.
    pub fn allows(&self, host: &str) -> bool {
        match self {
            Self::Fixed(hosts) => hosts.contains(&host),
            Self::PublicWeb(_) => true,
        }
    }
}

/// A secret that the operator may set. Adapters never see it; the pipeline adds it to requests for
/// its host only, after the request has been logged.
#[derive(Debug, Clone, Copy)]
pub struct Credential {
    /// The host it is for.
    pub host: &'static str,
    /// Environment names by custom; the first that is set counts.
    pub env: &'static [&'static str],
    /// How it is put on a request.
    pub apply: Apply,
    /// Whether the host answers nobody without it. Then a refused one is the answer; at any other host
    /// the same is asked once more without.
    pub required: bool,
    /// Where to get one.
    pub obtain: &'static str,
}

impl Credential {
    /// A credential for `host` without which it answers, too. Say where to get one with [`obtain`](Self::obtain).
    pub const fn new(host: &'static str, env: &'static [&'static str], apply: Apply) -> Self {
        Self {
            host,
            env,
            apply,
            required: false,
            obtain: "",
        }
    }

    /// The host answers nobody without it.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Where to get one.
    #[must_use]
    pub const fn obtain(mut self, place: &'static str) -> Self {
        self.obtain = place;
        self
    }
}

/// How a credential is put on a request.
#[derive(Debug, Clone, Copy)]
pub enum Apply {
    /// `Authorization: Bearer <secret>`.
    Bearer,
    /// A header of this (lower-case) name.
    Header(&'static str),
    /// A query parameter of this name, added last and never logged or shown.
    Query(&'static str),
    /// OAuth 2.0 client credentials: the secret is the client id, the other half comes from
    /// `secret_env`; the token is fetched from `token_url` with HTTP Basic, kept until it expires,
    /// renewed once on 401, and sent as a bearer token.
    ClientCredentials {
        /// Environment name of the client secret.
        secret_env: &'static str,
        /// Where tokens are issued.
        token_url: &'static str,
    },
}

/// One way to a source's data.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Short id, shown in answers (`route`), for example `algolia`.
    pub id: &'static str,
    /// One phrase: what it is.
    pub about: &'static str,
    /// Environment name that must be set for it, if any.
    pub needs: Option<&'static str>,
    /// What our reading of its answers is founded on.
    pub founding: Founding,
    /// States of what it shows that its answers tell, by our reading.
    pub states: &'static [StandingState],
    /// Further requests that this takes, for an answer.
    pub states_cost: u8,
    /// Where it tells none: a remark that says so, shown with each answer that has items.
    pub untold: Option<&'static str>,
    /// How it answers for an earlier moment.
    pub as_of: AsOf,
}

impl Route {
    /// A way that needs no key, and whose reading is founded on recorded answers; what is otherwise is said
    /// with the methods below.
    pub const fn new(id: &'static str, about: &'static str) -> Self {
        Self {
            id,
            about,
            needs: None,
            founding: Founding::Recorded,
            states: &[],
            states_cost: 0,
            untold: None,
            as_of: AsOf::Filtered,
        }
    }

    /// Its answers tell these states.
    #[must_use]
    pub const fn telling(mut self, states: &'static [StandingState]) -> Self {
        self.states = states;
        self
    }

    /// To tell some of the states takes so many further requests for an answer.
    #[must_use]
    pub const fn at_the_cost_of(mut self, requests: u8) -> Self {
        self.states_cost = requests;
        self
    }

    /// Its answers tell no state: the remark that says so.
    #[must_use]
    pub const fn untold(mut self, remark: &'static str) -> Self {
        self.untold = Some(remark);
        self
    }

    /// How it answers for an earlier moment, where that is not by leaving out what is later.
    #[must_use]
    pub const fn as_of(mut self, how: AsOf) -> Self {
        self.as_of = how;
        self
    }

    /// Open only where this environment name is set.
    #[must_use]
    pub const fn needing(mut self, env: &'static str) -> Self {
        self.needs = Some(env);
        self
    }

    /// What our reading of its answers is founded on.
    #[must_use]
    pub const fn founded(mut self, founding: Founding) -> Self {
        self.founding = founding;
        self
    }
}

/// What the reading of a route's answers is founded on, best first. A claim: the suite has a case of
/// this origin (or a better one) for every route that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Founding {
    /// Real answers of the source, kept as recordings.
    Recorded,
    /// Bodies that the publisher, or a public client of the source, wrote down.
    Documented,
    /// What is generally known of the source; no body of it was at hand.
    GeneralKnowledge,
}

impl Founding {
    /// In words, as lists show it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Documented => "documented",
            Self::GeneralKnowledge => "general knowledge",
        }
    }
}

/// What a key is needed for, derived from credentials and routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Works without any key, and there is none.
    None,
    /// Works without; a key opens more.
    Optional,
    /// Does not work without.
    Required,
}

/// A host's published limit. Hosts are shared by tools, so are limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostRate {
    /// The host.
    pub host: &'static str,
    /// Path prefix that this limit is for, in which a `*` stands for one segment; empty for the whole host.
    /// The longest match counts.
    pub path: &'static str,
    /// Pace without a credential.
    pub pace: Pace,
    /// Pace with one, where it differs.
    pub keyed: Option<Pace>,
    /// Requests in flight at once.
    pub in_flight: u32,
    /// Where the limit is published.
    pub link: &'static str,
}

impl HostRate {
    /// The limit of a whole host, one request at a time. Say where it is published with [`link`](Self::link).
    pub const fn new(host: &'static str, pace: Pace) -> Self {
        Self {
            host,
            path: "",
            pace,
            keyed: None,
            in_flight: 1,
            link: "",
        }
    }

    /// Only of addresses whose path begins so; a `*` stands for one segment.
    #[must_use]
    pub const fn path(mut self, prefix: &'static str) -> Self {
        self.path = prefix;
        self
    }

    /// The pace with a credential.
    #[must_use]
    pub const fn keyed(mut self, pace: Pace) -> Self {
        self.keyed = Some(pace);
        self
    }

    /// Requests in flight at once.
    #[must_use]
    pub const fn in_flight(mut self, most: u32) -> Self {
        self.in_flight = most;
        self
    }

    /// Where the limit is published.
    #[must_use]
    pub const fn link(mut self, address: &'static str) -> Self {
        self.link = address;
        self
    }
}

/// At most `requests` in any window of `per`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Requests in the window.
    pub requests: u32,
    /// The window.
    pub per: Duration,
}

impl Pace {
    /// At most `requests` in any window of `seconds`.
    pub const fn new(requests: u32, seconds: u64) -> Self {
        Self {
            requests,
            per: Duration::from_secs(seconds),
        }
    }
}

/// A source's own reading of a status. The first rule that applies wins over the common table.
#[derive(Debug, Clone, Copy)]
pub struct StatusRule {
    /// The status.
    pub status: u16,
    /// What else must hold.
    pub when: When,
    /// What it means here.
    pub code: ErrorCode,
    /// One line for the reader.
    pub message: &'static str,
    /// A short machine-readable refinement of the code.
    pub detail: Option<&'static str>,
    /// Where the body says how long to wait. Headers count where the body says nothing.
    pub wait: Option<Wait>,
}

/// Where the body of a refusal says how long to wait, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// A number at this JSON Pointer (RFC 6901).
    At(&'static str),
    /// The number that follows this text (ASCII case ignored).
    After(&'static str),
}

impl StatusRule {
    /// What a status means here, whatever else the answer holds; [`when`](Self::when) narrows it, and
    /// [`saying`](Self::saying) tells the reader.
    pub const fn new(status: u16, code: ErrorCode) -> Self {
        Self {
            status,
            when: When::Always,
            code,
            message: "",
            detail: None,
            wait: None,
        }
    }

    /// What a status means where the body contains a text (ASCII case ignored), and what to tell the reader.
    pub const fn body(status: u16, text: &'static str, code: ErrorCode, message: &'static str) -> Self {
        Self::new(status, code)
            .when(When::BodyContains(text))
            .saying(message)
    }

    /// Reads from the body how long to wait: believed up to a day.
    #[must_use]
    pub const fn waiting(mut self, wait: Wait) -> Self {
        self.wait = Some(wait);
        self
    }

    /// Only where this holds, too.
    #[must_use]
    pub const fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    /// One line for the reader.
    #[must_use]
    pub const fn saying(mut self, message: &'static str) -> Self {
        self.message = message;
        self
    }

    /// Refines the code, for whoever reads the error.
    #[must_use]
    pub const fn detail(mut self, detail: &'static str) -> Self {
        self.detail = Some(detail);
        self
    }
}

/// A condition of a [`StatusRule`].
#[derive(Debug, Clone, Copy)]
pub enum When {
    /// Nothing else.
    Always,
    /// The body contains this text (ASCII case ignored).
    BodyContains(&'static str),
    /// The body is not what an interface that answers in JSON says of an error: an object that names it (`error`, `errors`,
    /// `message`, `detail`) or is empty, or a text alone. A proxy or a filter before the host answered, or nothing did.
    NoErrorInJson,
    /// The header (lower-case name) is present.
    HeaderPresent(&'static str),
    /// The header (lower-case name) has this value.
    HeaderIs(&'static str, &'static str),
}

/// A text that betrays a failure page of this source, whatever its status.
#[derive(Debug, Clone, Copy)]
pub struct Marker {
    /// Text the body contains (ASCII case ignored); long and specific enough not to occur in content.
    pub contains: &'static str,
    /// What it means.
    pub code: ErrorCode,
    /// One line for the reader.
    pub message: &'static str,
}

impl Marker {
    /// What this text, in whatever answer, means here; [`saying`](Self::saying) tells the reader.
    pub const fn new(contains: &'static str, code: ErrorCode) -> Self {
        Self {
            contains,
            code,
            message: "",
        }
    }

    /// One line for the reader.
    #[must_use]
    pub const fn saying(mut self, message: &'static str) -> Self {
        self.message = message;
        self
    }
}

impl Descriptor {
    /// What a small source need not say: no key, no rules of its own, conditional requests, no class. To be completed
    /// with `..Descriptor::PLAIN`; a test refuses what lacks its name, hosts, dates or terms.
    pub const PLAIN: Self = Self {
        id: "",
        tool: "",
        title: "",
        heading: Heading {
            place: "",
            one: "item",
            many: "items",
        },
        description: "",
        instead: None,
        example: "{}",
        profile: "local_custom",
        decay: Decay::Unclassed,
        replaced_after: None,
        refetch: Refetch::Title("url"),
        hosts: Hosts::Fixed(&[]),
        official: false,
        peek: Peek::validators(Listing::Window),
        credentials: &[],
        routes: &[],
        rates: &[],
        status_rules: &[],
        markers: &[],
        args: ArgSpec::length(6_000),
        facts: FactTimes::NONE,
        dates: "",
        terms: "",
    };

    /// Whether the tool needs, can use, or has no key.
    pub fn key(&self) -> Key {
        let keyless = self.routes.iter().any(|route| route.needs.is_none());
        if self.credentials.is_empty() {
            Key::None
        } else if keyless || self.routes.is_empty() {
            Key::Optional
        } else {
            Key::Required
        }
    }

    /// Its credentials as an operator sets them: one that several of its hosts take is there once.
    pub fn distinct_credentials(&self) -> Vec<&'static Credential> {
        let mut distinct: Vec<&Credential> = Vec::new();
        for credential in self.credentials {
            if !distinct.iter().any(|known| known.env == credential.env) {
                distinct.push(credential);
            }
        }
        distinct
    }

    /// What a route is, in the first words of its description: a name for readers, who know no ids.
    pub fn route_name(&self, id: &str) -> &'static str {
        let about = self.route(id).map_or("another route", |route| route.about);
        about.split([':', ';', ',']).next().unwrap_or(about)
    }

    /// Why no route can say what the source showed at an earlier moment: a clause that follows "because".
    pub fn no_as_of(&self) -> Option<&'static str> {
        let mut reasons = self.routes.iter().map(|route| match route.as_of {
            AsOf::NotSupported(reason) => Some(reason),
            AsOf::Asked(_) | AsOf::Filtered => None,
        });
        let first = reasons.next()??;
        reasons.all(|reason| reason.is_some()).then_some(first)
    }

    /// The route of this id.
    pub fn route(&self, id: &str) -> Option<&'static Route> {
        self.routes.iter().find(|route| route.id == id)
    }
}
