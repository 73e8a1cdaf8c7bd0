//! Releases that a file names by a directive of reStructuredText, as headings.

/// The role of the extension [releases](https://releases.readthedocs.io): `` * :release:`1.2.0 <2026-11-20>` ``.
const ROLE: &str = ":release:`";
/// The directive of the extension [changelog](https://pypi.org/project/changelog/), with a version and a day as options.
const DIRECTIVE: &str = ".. changelog::";
/// Lines of options below a directive.
const OPTIONS: usize = 8;

/// The file with headings in place of such directives, where it holds any.
pub(super) fn rewritten(source: &str) -> Option<String> {
    if !source.contains(ROLE) && !source.contains(DIRECTIVE) {
        return None;
    }
    let mut out = String::with_capacity(source.len() + source.len() / 8);
    let mut lines = source.lines().take(super::MAX_LINES + 1);
    while let Some(line) = lines.next() {
        let heading = if line.trim() == DIRECTIVE {
            described(lines.clone())
        } else {
            role(line)
        };
        match heading {
            Some(heading) => {
                out.push_str("\n## ");
                out.push_str(&heading);
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    Some(out)
}

/// The heading of an entry that is a release.
fn role(line: &str) -> Option<String> {
    let entry = line.strip_prefix(['*', '-'])?.trim_start();
    let (said, _) = entry.strip_prefix(ROLE)?.split_once('`')?;
    let (version, day) = said.split_once('<').unwrap_or((said, ""));
    let day = day.trim_end_matches('>').trim();
    let version = version.trim();
    // A day that is not known yet is written as dots.
    let is_known = day.contains(|c: char| c.is_alphanumeric());
    Some(if is_known {
        format!("{version} ({day})")
    } else {
        version.to_owned()
    })
}

/// The heading of a directive by its options, which stand below it.
fn described<'l>(lines: impl Iterator<Item = &'l str>) -> Option<String> {
    let (mut version, mut day) = (None, None);
    let options = lines.take(OPTIONS).skip_while(|line| line.trim().is_empty());
    for line in options.take_while(|line| line.trim_start().starts_with(':')) {
        let option = line
            .trim_start()
            .strip_prefix(':')
            .and_then(|line| line.split_once(':'));
        match option {
            Some(("version", value)) => version = Some(value.trim()),
            Some(("released", value)) => day = Some(value.trim()),
            _ => {}
        }
    }
    let version = version.filter(|version| !version.is_empty())?;
    Some(match day {
        None => version.to_owned(),
        // The extension prints "no release date" for it.
        Some("") => format!("{version} (unreleased)"),
        Some(day) => format!("{version} ({day})"),
    })
}
