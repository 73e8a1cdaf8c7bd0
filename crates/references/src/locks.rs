//! Packages and versions in lock files.

use std::collections::HashSet;

use freshcontext_parse::registry::Registry;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::forms::named;
use crate::reference::Ecosystem;

/// Deepest nesting of `dependencies` in old lock files of npm.
const DEEPEST: usize = 64;

/// What a lock file holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Locked {
    /// The references, once each, in the order of the file.
    pub references: Vec<String>,
    /// Packages from elsewhere than the public registry, and lines without one version.
    pub left_out: usize,
    /// Whether packages come from another index than the public one, and are left out therefore.
    pub is_of_other_index: bool,
    /// Whether packages may come from another index, too.
    pub has_other_index: bool,
    seen: HashSet<String>,
    /// References after which no more than one is kept.
    most: usize,
}

impl Locked {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            references: Vec::new(),
            left_out: 0,
            is_of_other_index: false,
            has_other_index: false,
            seen: HashSet::new(),
            most,
        }
    }

    pub(crate) fn add(&mut self, ecosystem: Ecosystem, name: &str, version: &str) {
        match named(ecosystem, name, Some(version)) {
            Some(_) if self.references.len() > self.most => {}
            Some(reference) => {
                let id = reference.id();
                if self.seen.insert(id.clone()) {
                    self.references.push(id);
                }
            }
            None => self.left_out += 1,
        }
    }
}

/// `package-lock.json`, in all of its three versions (<https://docs.npmjs.com/cli/configuring-npm/package-lock-json>).
pub(crate) fn npm(value: &Value, most: usize) -> Option<Locked> {
    value.get("lockfileVersion")?;
    let mut locked = Locked::new(most);
    if let Some(packages) = value.get("packages").and_then(Value::as_object) {
        for (path, about) in packages.iter().filter(|(path, _)| !path.is_empty()) {
            let Some((_, last)) = path.rsplit_once("node_modules/") else {
                continue;
            };
            let name = about.get("name").and_then(Value::as_str).unwrap_or(last);
            add_npm(&mut locked, name, about);
        }
    } else if let Some(tree) = value.get("dependencies").and_then(Value::as_object) {
        add_tree(&mut locked, tree, 0);
    }
    Some(locked)
}

fn add_tree(locked: &mut Locked, tree: &Map<String, Value>, depth: usize) {
    for (name, about) in tree {
        add_npm(locked, name, about);
        if let Some(below) = about.get("dependencies").and_then(Value::as_object)
            && depth < DEEPEST
        {
            add_tree(locked, below, depth + 1);
        }
    }
}

fn add_npm(locked: &mut Locked, name: &str, about: &Value) {
    if about.get("link") == Some(&Value::Bool(true)) {
        return;
    }
    let text = |field: &str| about.get(field).and_then(Value::as_str);
    let is_public = text("resolved").is_none_or(|from| {
        from.starts_with("https://registry.npmjs.org/") || from.starts_with("https://registry.yarnpkg.com/")
    });
    match text("version") {
        // `npm:other@1.0.0` stands under another name.
        Some(version) if is_public => match version
            .strip_prefix("npm:")
            .and_then(|alias| alias.rsplit_once('@'))
        {
            Some((name, version)) => locked.add(Ecosystem::Registry(Registry::Npm), name, version),
            None => locked.add(Ecosystem::Registry(Registry::Npm), name, version),
        },
        _ => locked.left_out += 1,
    }
}

/// `Pipfile.lock` (<https://pipenv.pypa.io/en/latest/pipfile.html>): groups of packages, each with `version: "==1.0"`.
pub(crate) fn pipfile(value: &Value, most: usize) -> Option<Locked> {
    let meta = value.get("_meta")?;
    meta.get("pipfile-spec")?;
    let sources = meta.get("sources").and_then(Value::as_array);
    let public: Vec<&str> = sources
        .into_iter()
        .flatten()
        .filter(|source| {
            let url = source.get("url").and_then(Value::as_str).unwrap_or_default();
            PUBLIC_INDEX.contains(&url.trim_end_matches('/'))
        })
        .filter_map(|source| source.get("name")?.as_str())
        .collect();
    let is_other = |source: &Value| {
        let name = source.get("name").and_then(Value::as_str);
        name.is_none_or(|name| !public.contains(&name))
    };
    let mut locked = Locked::new(most);
    // A package that names no index comes from any of them.
    locked.has_other_index = sources.is_some_and(|sources| sources.iter().any(is_other));
    let groups = value.as_object()?.iter().filter(|(name, _)| *name != "_meta");
    for (name, about) in groups.filter_map(|(_, group)| group.as_object()).flatten() {
        let text = |field: &str| about.get(field).and_then(Value::as_str);
        let is_public = text("index").is_none_or(|index| public.contains(&index));
        match text("version").and_then(|version| version.strip_prefix("==")) {
            Some(version) if is_public && text("git").is_none() => {
                locked.add(Ecosystem::Registry(Registry::Pypi), name, version);
            }
            _ => locked.left_out += 1,
        }
    }
    Some(locked)
}

#[derive(Deserialize)]
struct TomlLock {
    #[serde(default)]
    package: Vec<TomlPackage>,
}

#[derive(Deserialize)]
struct TomlPackage {
    name: String,
    version: Option<String>,
    source: Option<toml::Value>,
    // PDM writes where a package comes from beside its name.
    git: Option<toml::Value>,
    path: Option<toml::Value>,
    url: Option<toml::Value>,
}

/// Largest package that is parsed, in bytes: a tree is a hundred times as large as its text.
const PACKAGE_BYTES: usize = 256 << 10;

/// `Cargo.lock`, and the files of Poetry, PDM and uv, which have the same form. Parsed package by package, so that there is never a
/// tree of the whole.
pub(crate) fn toml(text: &str, most: usize) -> Option<Locked> {
    let head = text.get(..200).unwrap_or(text).to_ascii_lowercase();
    let is_of_python = head.contains("poetry") || head.contains("generated by pdm");
    let mut locked = Locked::new(most);
    let mut is_lock = false;
    // What stands before the first package is none.
    for package in packages(text).filter(|part| part.trim_start().starts_with("[[package]]")) {
        is_lock = true;
        if package.len() > PACKAGE_BYTES {
            locked.left_out += 1;
            continue;
        }
        add_toml(&mut locked, toml::from_str(package).ok()?, is_of_python);
    }
    is_lock.then_some(locked)
}

/// The parts of a lock file, each but the first with the heading of its package.
fn packages(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut at = 0;
        // Its own heading is in the first line.
        for line in text.split_inclusive('\n') {
            if at > 0 && line.trim_start().starts_with("[[package]]") {
                let (part, behind) = text.split_at_checked(at)?;
                rest = Some(behind);
                return Some(part);
            }
            at += line.len();
        }
        rest = None;
        Some(text)
    })
}

fn add_toml(locked: &mut Locked, lock: TomlLock, is_of_python: bool) {
    for package in lock.package {
        let is_elsewhere = package.git.is_some() || package.path.is_some() || package.url.is_some();
        let source = match &package.source {
            None if is_elsewhere => "elsewhere",
            Some(toml::Value::String(source)) => source.as_str(),
            Some(toml::Value::Table(table)) => table
                .get("registry")
                .and_then(toml::Value::as_str)
                .unwrap_or("elsewhere"),
            _ => "",
        };
        let registry = if source.starts_with("registry+https://github.com/rust-lang/crates.io-index")
            || source.starts_with("sparse+https://index.crates.io")
            || source == "registry+sparse+https://index.crates.io/"
        {
            Some(Registry::Crates)
        } else if source.contains("pypi.org/simple") || (is_of_python && source.is_empty()) {
            Some(Registry::Pypi)
        } else {
            None
        };
        match (registry, package.version) {
            (Some(registry), Some(version)) => {
                locked.add(Ecosystem::Registry(registry), &package.name, &version);
            }
            // A package of the workspace itself has no source, and is no reference.
            _ if source.is_empty() => {}
            _ => locked.left_out += 1,
        }
    }
}

/// Index of pip where a file names none.
const PUBLIC_INDEX: [&str; 2] = ["https://pypi.org/simple", "https://pypi.python.org/simple"];

/// `requirements.txt` (<https://pip.pypa.io/en/stable/reference/requirements-file-format/>): lines that name one version. `None`
/// where no line does, or most lines are something else.
pub(crate) fn requirements(text: &str, most: usize) -> Option<Locked> {
    let mut locked = Locked::new(most);
    let mut pins = 0_usize;
    let mut others = 0_usize;
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or_default();
        let line = line
            .split(" --hash")
            .next()
            .unwrap_or_default()
            .trim()
            .trim_end_matches('\\')
            .trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('-') && !is_editable(line) {
            locked.read_option(line);
            continue;
        }
        // A marker of the environment says when the line holds.
        let (requirement, _) = line.split_once(';').unwrap_or((line, ""));
        let requirement = requirement.trim();
        if let Some((name, version)) = requirement.split_once("==")
            && is_name(name)
        {
            pins += 1;
            locked.add(
                Ecosystem::Registry(Registry::Pypi),
                name,
                version.trim_start_matches('='),
            );
        } else if is_requirement(requirement) {
            locked.left_out += 1;
        } else {
            others += 1;
        }
    }
    if pins == 0 || others > pins / 4 {
        return None;
    }
    if locked.is_of_other_index {
        locked.left_out += locked.references.len();
        locked.references.clear();
    }
    Some(locked)
}

impl Locked {
    /// Reads a line of options: which index the packages come from.
    fn read_option(&mut self, line: &str) {
        let (name, value) = line.split_once(['=', ' ', '\t']).unwrap_or((line, ""));
        let is_public = PUBLIC_INDEX.contains(&value.trim().trim_end_matches('/'));
        match name {
            "--index-url" | "-i" | "--pypi-url" => self.is_of_other_index = !is_public,
            "--no-index" => self.is_of_other_index = true,
            "--extra-index-url" | "--find-links" | "-f" => self.has_other_index |= !is_public,
            _ => {}
        }
    }
}

fn is_name(name: &str) -> bool {
    let name = name.split('[').next().unwrap_or_default().trim();
    Registry::Pypi.can_name(name)
}

fn is_editable(line: &str) -> bool {
    ["-e ", "-e\t", "--editable ", "--editable="]
        .iter()
        .any(|option| line.starts_with(option))
}

/// Whether a line is a requirement without one version in a registry: a name, a range of versions, an address, a path.
fn is_requirement(line: &str) -> bool {
    let end = line.find(['<', '>', '=', '~', '!', '@']).unwrap_or(line.len());
    let is_word = |line: &str| !line.contains(char::is_whitespace);
    let is_archive = [".whl", ".zip", ".tar.gz", ".tar.bz2"]
        .iter()
        .any(|end| line.ends_with(end));
    let is_place = [
        "git+", "hg+", "svn+", "bzr+", "http://", "https://", "file:", "./", "../", "/", ".",
    ]
    .iter()
    .any(|start| line.starts_with(start));
    line.get(..end).is_some_and(is_name) || is_editable(line) || (is_word(line) && (is_place || is_archive))
}

/// `go.sum` (<https://go.dev/ref/mod#go-sum-files>): modules whose content is used. Lines of a module's `go.mod` alone are of
/// versions that were only looked at.
pub(crate) fn go_sum(text: &str, most: usize) -> Option<Locked> {
    let mut locked = Locked::new(most);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut parts = line.split_whitespace();
        let (Some(module), Some(version), Some(hash), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return None;
        };
        if !hash.starts_with("h1:") || !version.starts_with('v') {
            return None;
        }
        if !version.ends_with("/go.mod") {
            locked.add(Ecosystem::Go, module, version);
        }
    }
    (!locked.references.is_empty()).then_some(locked)
}
