//! A report in words: the lines that the command line and the operator's page show.

use chrono::{DateTime, SecondsFormat, Utc};

use super::{Host, Live, MissingKey, Report, Sharing, Source, State, Suspension, Why};

/// How good a line is for the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing to do.
    Good,
    /// A fact.
    Plain,
    /// Worth a look.
    Middling,
    /// A failure.
    Bad,
}

/// One line about a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What the line is about.
    pub name: &'static str,
    /// The line.
    pub text: String,
    /// How good it is.
    pub tone: Tone,
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Says when the report was made, and since when its process counts.
pub fn since_words(report: &Report) -> String {
    format!(
        "as of {}; this process counts since {}",
        moment(report.at),
        moment(report.since)
    )
}

/// Says what replicas share.
pub fn sharing_words(sharing: &Sharing) -> (String, Tone) {
    match sharing {
        Sharing::Off => (
            "Limits are not shared: `redis_url` is not set, and this process counts for itself".to_owned(),
            Tone::Plain,
        ),
        Sharing::Shared { replicas, for_s } => (
            format!("Limits are shared through Redis by {replicas} replicas, for {for_s} s"),
            Tone::Good,
        ),
        Sharing::OwnShare { replicas, for_s, why } => (
            format!(
                "Redis is out of reach for {for_s} s ({why}): this process keeps to its own share, 1/{replicas} of each limit"
            ),
            Tone::Bad,
        ),
    }
}

impl State {
    /// The state in words.
    pub const fn words(self) -> (&'static str, Tone) {
        match self {
            Self::Answering => ("answering", Tone::Good),
            Self::Untried => ("not asked since the start", Tone::Plain),
            Self::Failing => ("failed last time", Tone::Bad),
            Self::Suspended => ("left alone for a while", Tone::Bad),
            Self::Unusable => ("unusable without a key", Tone::Middling),
        }
    }
}

impl Source {
    /// The lines about this source, the most important first.
    pub fn rows(&self) -> Vec<Row> {
        let row = |name, text, tone| Row { name, text, tone };
        let live = &self.live;
        let (state, tone) = live.state.words();
        let mut rows = vec![row("state", state.to_owned(), tone)];
        if let Some(at) = live.last_success {
            let route = live.route.as_deref();
            let by = route.map(|route| format!(", route {route}")).unwrap_or_default();
            rows.push(row("success", format!("{}{by}", moment(at)), Tone::Good));
        }
        if let Some(failed) = &live.last_failure {
            let status = failed.http_status;
            let status = status
                .map(|status| format!(" (status {status})"))
                .unwrap_or_default();
            let text = format!("{}: {}{status}", moment(failed.at), failed.code);
            rows.push(row("failure", text, self.tone_of_failures(failed.at)));
        }
        if let Some(at) = live.block_page {
            let text = format!("{}: a block page or captcha came in place of content", moment(at));
            rows.push(row("blocked", text, self.tone_of_failures(at)));
        }
        rows.extend(live.missing_keys.iter().map(|key| {
            let tone = if key.required { Tone::Middling } else { Tone::Plain };
            row("key", key.words(), tone)
        }));
        rows.extend(live.hosts.iter().map(|host| {
            let tone = if host.suspended.is_some() {
                Tone::Bad
            } else if host.waiting > 0 {
                Tone::Middling
            } else {
                Tone::Plain
            };
            row("host", host.words(), tone)
        }));
        rows
    }

    /// A failure before the last success is history.
    fn tone_of_failures(&self, at: DateTime<Utc>) -> Tone {
        let Live { last_success, .. } = self.live;
        if last_success.is_some_and(|success| success >= at) {
            Tone::Plain
        } else {
            Tone::Bad
        }
    }
}

impl MissingKey {
    fn words(&self) -> String {
        let need = if self.required { "required" } else { "optional" };
        let obtain = match self.obtain.as_str() {
            "" => String::new(),
            place => format!("; get one at {place}"),
        };
        format!("{} is not set ({need}){obtain}", self.env)
    }
}

impl Host {
    fn words(&self) -> String {
        let mut parts = vec![match self.pace {
            Some(pace) => format!("{} per {} s", pace.requests, pace.per_s),
            None => "no published pace".to_owned(),
        }];
        if self.in_flight > 0 {
            parts.push(format!("{} in flight", self.in_flight));
        }
        if self.waiting > 0 {
            parts.push(format!("{} waiting", self.waiting));
        }
        if self.next_in_s > 0 {
            parts.push(format!("next slot in {} s", self.next_in_s));
        }
        if let Some(suspended) = &self.suspended {
            parts.push(suspended.words());
        }
        format!("{}{}: {}", self.host, self.path, parts.join(", "))
    }
}

impl Suspension {
    fn words(&self) -> String {
        let why = match self.why {
            Why::Asked => "the host asked for it".to_owned(),
            Why::Refused => "the host refused and stated no time".to_owned(),
            Why::FailedRepeatedly => match &self.last {
                Some(code) => format!("the host failed repeatedly, last with {code}"),
                None => "the host failed repeatedly".to_owned(),
            },
        };
        format!("left alone until {}: {why}", moment(self.until))
    }
}
