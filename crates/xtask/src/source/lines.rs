//! `cargo xtask lines`: lines of code, files, public items and module cycles, per package and in total.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::{ImplItem, Item, Visibility};

use super::circles::circles;
use super::read::{is_test, read};
use super::{Module, Package, packages};

/// Counts of a package. Lines are those with code: no blank lines, comments or tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counted {
    lines: usize,
    files: usize,
    public: usize,
    circles: usize,
}

impl Counted {
    fn all(self) -> [usize; 4] {
        [self.lines, self.files, self.public, self.circles]
    }

    fn plus(self, other: Self) -> Self {
        Self {
            lines: self.lines + other.lines,
            files: self.files + other.files,
            public: self.public + other.public,
            circles: self.circles + other.circles,
        }
    }
}

/// Returns the table of this checkout, optionally compared with an earlier revision, and the module cycles.
pub fn lines(root: &Path, beside: Option<&str>) -> Result<String, String> {
    let now = packages(root)?;
    let rows = counted(&now)?;
    let earlier = beside.map(|revision| of_revision(root, revision)).transpose()?;
    let mut out = String::new();
    if let Some(revision) = beside {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "What {revision} had, and what there is now.\n");
    }
    out.push_str(
        "| package | lines | files | public items | circles |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    let mut names: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    names.extend(earlier.iter().flatten().map(|row| row.name.as_str()));
    for name in names {
        let of = |rows: &[Row]| rows.iter().find(|row| row.name == name).map(|row| row.counted);
        line(
            &mut out,
            name,
            earlier.as_deref().map(|rows| of(rows).unwrap_or_default()),
            of(&rows).unwrap_or_default(),
        );
    }
    for (name, published) in [
        ("**given out**", Some(true)),
        ("**not given out**", Some(false)),
        ("**all**", None),
    ] {
        let sum = |rows: &[Row]| {
            let of = rows
                .iter()
                .filter(|row| published.is_none_or(|wanted| wanted == row.published));
            of.fold(Counted::default(), |sum, row| sum.plus(row.counted))
        };
        line(&mut out, name, earlier.as_deref().map(sum), sum(&rows));
    }
    let found: Vec<String> = now.iter().flat_map(told).collect();
    if !found.is_empty() {
        let _ = write!(out, "\nModules that need each other:\n{}", found.join(""));
    }
    Ok(out.trim_end().to_owned())
}

/// Returns the module cycles of this checkout, each with what makes it one.
pub fn module_cycles(root: &Path) -> Result<Vec<String>, String> {
    Ok(packages(root)?.iter().flat_map(told).collect())
}

struct Row {
    name: String,
    published: bool,
    counted: Counted,
}

fn line(out: &mut String, name: &str, earlier: Option<Counted>, now: Counted) {
    let cells = match earlier {
        None => now.all().map(|count| count.to_string()),
        Some(earlier) => {
            let before = earlier.all();
            let mut before = before.iter();
            now.all().map(|now| match before.next() {
                Some(before) if *before != now => format!("{before} → {now}"),
                _ => now.to_string(),
            })
        }
    };
    let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
}

fn told(package: &Package) -> Vec<String> {
    let name = |path: &Vec<String>| match path.as_slice() {
        [] => "(root)".to_owned(),
        path => path.join("::"),
    };
    circles(package)
        .iter()
        .map(|circle| {
            let modules: Vec<String> = circle.modules.iter().map(name).collect();
            let mut said = format!("- {}: {}\n", package.folder, modules.join(", "));
            for (from, to, by) in &circle.uses {
                let _ = writeln!(said, "  - {} uses {} ({by})", name(from), name(to));
            }
            said
        })
        .collect()
}

fn counted(packages: &[Package]) -> Result<Vec<Row>, String> {
    packages
        .iter()
        .map(|package| {
            let mut counted = Counted {
                circles: circles(package).len(),
                ..Counted::default()
            };
            for module in &package.modules {
                counted.public += module.items.iter().map(public_items).sum::<usize>();
                if module.owns_file {
                    counted.files += 1;
                    counted.lines += code_lines(module)?;
                }
            }
            Ok(Row {
                name: package.folder.clone(),
                published: package.published,
                counted,
            })
        })
        .collect()
}

/// Returns the counts of a git revision.
fn of_revision(root: &Path, revision: &str) -> Result<Vec<Row>, String> {
    let archive = Command::new("git")
        .current_dir(root)
        .args(["archive", "--format=tar", revision])
        .output()
        .map_err(|error| format!("git: {error}"))?;
    if !archive.status.success() {
        return Err(format!(
            "git: {}",
            String::from_utf8_lossy(&archive.stderr).trim()
        ));
    }
    let folder = root.join("target/lines").join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let counted = tar::Archive::new(archive.stdout.as_slice())
        .unpack(&folder)
        .map_err(|error| format!("the archive of {revision}: {error}"))
        .and_then(|()| packages(&folder))
        .and_then(|packages| counted(&packages));
    let _ = std::fs::remove_dir_all(&folder);
    counted
}

/// Returns the number of lines with code in a module's file.
fn code_lines(module: &Module) -> Result<usize, String> {
    let text = read(&module.file)?;
    let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", module.file.display()))?;
    let tokens: TokenStream = text
        .parse()
        .map_err(|error| format!("{}: {error}", module.file.display()))?;
    let mut lines = BTreeSet::new();
    with_code(tokens, &mut lines);
    let mut tests = Vec::new();
    spans_of_tests(&parsed.items, &mut tests);
    lines.retain(|line| !tests.iter().any(|(from, to)| (from..=to).contains(&line)));
    Ok(lines.len())
}

/// Collects the lines with tokens; documentation counts as comments.
fn with_code(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#') {
            let mut ahead = tokens.clone();
            let mut next = ahead.next();
            if matches!(&next, Some(TokenTree::Punct(mark)) if mark.as_char() == '!') {
                next = ahead.next();
            }
            if matches!(&next, Some(TokenTree::Group(group)) if is_documentation(group)) {
                tokens = ahead;
                continue;
            }
        }
        match token {
            TokenTree::Group(group) => {
                lines.extend([group.span_open().start().line, group.span_close().end().line]);
                with_code(group.stream(), lines);
            }
            other => lines.extend(other.span().start().line..=other.span().end().line),
        }
    }
}

fn is_documentation(group: &proc_macro2::Group) -> bool {
    group.delimiter() == Delimiter::Bracket
        && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc")
}

fn spans_of_tests(items: &[Item], out: &mut Vec<(usize, usize)>) {
    for item in items {
        if is_test(item) {
            let span = item.span();
            out.push((span.start().line, span.end().line));
        } else if let Item::Mod(inside) = item
            && let Some((_, items)) = &inside.content
        {
            spans_of_tests(items, out);
        }
    }
}

/// Counts unrestricted `pub` items, including methods; inline modules count theirs separately.
fn public_items(item: &Item) -> usize {
    let visible = |visibility: &Visibility| usize::from(matches!(visibility, Visibility::Public(_)));
    match item {
        Item::Const(item) => visible(&item.vis),
        Item::Enum(item) => visible(&item.vis),
        Item::Fn(item) => visible(&item.vis),
        Item::Mod(item) => visible(&item.vis),
        Item::Static(item) => visible(&item.vis),
        Item::Struct(item) => visible(&item.vis),
        Item::Trait(item) => visible(&item.vis),
        Item::Type(item) => visible(&item.vis),
        Item::Union(item) => visible(&item.vis),
        Item::Impl(block) if block.trait_.is_none() => block
            .items
            .iter()
            .map(|item| match item {
                ImplItem::Const(item) => visible(&item.vis),
                ImplItem::Fn(item) => visible(&item.vis),
                _ => 0,
            })
            .sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_documentation_blanks_and_tests_are_no_lines() {
        let text = "//! Of it.\n\n/// Says.\n/// More.\npub fn one(\n    a: u8, // so\n) -> u8 {\n    a\n}\n\n/* no */\nconst TEXT: &str = \"a\n\nb\";\n\
            #[cfg(test)]\nmod tests {\n    fn two() {}\n}\n#[cfg(not(test))]\nfn three() {}\n";
        let folder = std::env::temp_dir().join(format!("freshcontext-lines-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("lib.rs");
        std::fs::write(&file, text).unwrap();
        let module = Module {
            path: Vec::new(),
            items: Vec::new(),
            file,
            owns_file: true,
        };
        let counted = code_lines(&module);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(counted, Ok(5 + 3 + 2));
    }

    #[test]
    fn methods_count_as_public_items_and_those_of_traits_do_not() {
        let file = syn::parse_file(
            "pub struct A; struct B; pub(crate) fn c() {} impl A { pub fn d() {} fn e() {} } impl Clone for A { fn clone(&self) -> A { A } }",
        )
        .unwrap();
        assert_eq!(file.items.iter().map(public_items).sum::<usize>(), 2);
    }
}
