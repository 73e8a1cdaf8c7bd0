//! Changelogs of Debian packages (<https://manpages.debian.org/deb-changelog>): `name (version) distribution; urgency=low`,
//! notes, and ` -- Maintainer <address>  date`.

use freshcontext_contract::DateEvidence;
use freshcontext_parse::{date, text};

use super::MAX_RELEASES;
use super::{Release, marks};

/// What ends an entry.
const TRAILER: &str = " -- ";

/// The releases of a file that begins with an entry of this form; `None` for another one.
pub fn read(lines: &[&str]) -> Option<Vec<Release>> {
    let first = lines.iter().find(|line| !line.trim().is_empty())?;
    entry(first)?;
    let mut releases: Vec<Release> = Vec::new();
    let mut notes: Vec<&str> = Vec::new();
    for line in lines {
        if let Some(release) = entry(line) {
            close(&mut releases, &mut notes);
            if releases.len() >= MAX_RELEASES {
                break;
            }
            releases.push(release);
        } else if let Some(trailer) = line.strip_prefix(TRAILER) {
            let written = trailer
                .rsplit_once('>')
                .and_then(|(_, written)| date::machine(without_weekday(written)));
            if let Some(release) = releases.last_mut().filter(|release| !release.unreleased) {
                let what = "date in the entry's last line";
                release.date = written.map_or(DateEvidence::None, |at| DateEvidence::signal(what, at));
            }
        } else {
            notes.push(line);
        }
    }
    close(&mut releases, &mut notes);
    Some(releases)
}

/// A date without the name of its weekday, which is often wrong where people wrote it, and names no other day.
fn without_weekday(written: &str) -> &str {
    written.split_once(',').map_or(written, |(_, date)| date)
}

fn close(releases: &mut [Release], notes: &mut Vec<&str>) {
    if let Some(release) = releases.last_mut().filter(|release| release.notes.is_empty()) {
        release.notes = text::paragraphs(&notes.join("\n"));
    }
    notes.clear();
}

/// The head of an entry.
fn entry(line: &str) -> Option<Release> {
    let (name, rest) = line.split_once(" (")?;
    let (version, rest) = rest.split_once(')')?;
    let (distributions, settings) = rest.split_once(';')?;
    let is_head = text::is_name(name, 100, "+-.")
        && text::is_name(version, 100, "+-.:~")
        && version.starts_with(|c: char| c.is_ascii_digit())
        && settings.contains("urgency=");
    let release = || Release {
        title: version.to_owned(),
        unreleased: distributions.trim() == "UNRELEASED",
        ..Release::default()
    };
    is_head.then(|| release().early(marks::early_tag("version", version)))
}
