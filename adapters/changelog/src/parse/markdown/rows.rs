//! Tables of versions in Markdown, as headings.

use freshcontext_parse::date;

use super::title::without_links;
use crate::parse::version;

/// Fewest rows of such a table.
const FEWEST: usize = 2;

/// A file with a heading in place of each row that begins with a version and its date: `| 1.2.0 | 2026-11-20 | Notes |`. `None`
/// where fewer than two rows do.
pub fn rewritten(source: &str) -> Option<String> {
    if source
        .lines()
        .filter(|line| heading(line).is_some())
        .take(FEWEST)
        .count()
        < FEWEST
    {
        return None;
    }
    let mut out = String::with_capacity(source.len() + source.len() / 8);
    for line in source.lines().take(super::MAX_LINES + 1) {
        match heading(line) {
            Some(heading) => out.push_str(&heading),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    Some(out)
}

fn heading(line: &str) -> Option<String> {
    let row = line.trim().strip_prefix('|')?;
    let mut cells = row.strip_suffix('|').unwrap_or(row).split('|').map(str::trim);
    let plain = |cell: &str| without_links(&cell.replace(['*', '`'], "")).trim().to_owned();
    let (name, day) = (plain(cells.next()?), plain(cells.next()?));
    let (start, span) = version::find_range(&name)?;
    date::find(&day)?;
    let notes: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    (start == 0 && span.end == name.len()).then(|| format!("\n## {name} ({day})\n\n{}\n", notes.join("\n")))
}
