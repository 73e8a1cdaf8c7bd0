//! Packages and versions in the lock files of Yarn and pnpm.

use std::collections::BTreeMap;

use freshcontext_parse::registry::Registry;

use crate::locks::Locked;
use crate::reference::Ecosystem;
use crate::yaml::{Scalar, scalars};

/// Beginning of addresses of the public registry.
const PUBLIC: [&str; 2] = ["https://registry.npmjs.org/", "https://registry.yarnpkg.com/"];
const NPM: Ecosystem = Ecosystem::Registry(Registry::Npm);

fn is_public(address: &str) -> bool {
    PUBLIC.iter().any(|public| address.starts_with(public))
}

/// `yarn.lock` of Yarn 1, which looks like YAML and is none (<https://classic.yarnpkg.com/en/docs/yarn-lock>), and of later versions,
/// which is YAML.
pub(crate) fn yarn(text: &str, most: usize) -> Option<Locked> {
    let head = text.get(..text.floor_char_boundary(text.len().min(400)))?;
    if head.contains("# yarn lockfile v1") {
        return Some(classic(text, most));
    }
    head.contains("__metadata:").then(|| berry(text, most)).flatten()
}

/// Entries of one or more patterns, `name@range`, and below them the version and the address.
fn classic(text: &str, most: usize) -> Locked {
    let mut locked = Locked::new(most);
    let mut entry: Option<Entry> = None;
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        if !line.starts_with([' ', '\t']) {
            if let Some(name) = line.trim().strip_suffix(':')
                && let Some(done) = entry.replace(Entry::of_pattern(name))
            {
                done.add(&mut locked);
            }
            continue;
        }
        // What is deeper belongs to the dependencies.
        let Some(inner) = line
            .strip_prefix("  ")
            .filter(|inner| !inner.starts_with([' ', '\t']))
        else {
            continue;
        };
        let Some((field, value)) = inner.split_once(' ') else {
            continue;
        };
        let value = value.trim().trim_matches('"');
        if let Some(entry) = entry.as_mut() {
            match field {
                "version" => entry.version = Some(value.to_owned()),
                "resolved" => entry.is_elsewhere |= !is_public(value),
                _ => {}
            }
        }
    }
    if let Some(last) = entry {
        last.add(&mut locked);
    }
    locked
}

/// One entry of a lock file.
#[derive(Default)]
struct Entry {
    name: Option<String>,
    version: Option<String>,
    is_elsewhere: bool,
}

impl Entry {
    /// `"@scope/name@^1.0.0", "@scope/name@~1.0.2"`; `name@npm:other@^1.0.0` is the other package under a name of its own.
    fn of_pattern(patterns: &str) -> Self {
        let first = patterns
            .split(',')
            .next()
            .unwrap_or_default()
            .trim()
            .trim_matches('"');
        let (name, range) = match first.char_indices().skip(1).find(|(_, c)| *c == '@') {
            Some((at, _)) => (first.get(..at), first.get(at + 1..).unwrap_or_default()),
            None => (None, ""),
        };
        let alias = range.strip_prefix("npm:").and_then(|other| {
            let at = other.char_indices().skip(1).find(|(_, c)| *c == '@')?.0;
            other.get(..at)
        });
        let is_elsewhere = [
            "file:",
            "link:",
            "portal:",
            "workspace:",
            "git",
            "http:",
            "https:",
            "patch:",
        ]
        .iter()
        .any(|scheme| range.starts_with(scheme));
        Self {
            name: alias.or(name).map(str::to_owned),
            version: None,
            is_elsewhere,
        }
    }

    fn add(self, locked: &mut Locked) {
        match (self.name, self.version) {
            (Some(name), Some(version)) if !self.is_elsewhere => locked.add(NPM, &name, &version),
            _ => locked.left_out += 1,
        }
    }
}

/// `"lodash@npm:^4.17.0":` with `resolution: "lodash@npm:4.17.21"`.
fn berry(text: &str, most: usize) -> Option<Locked> {
    let mut locked = Locked::new(most);
    for scalar in scalars(text)? {
        let [entry, field] = scalar.keys.as_slice() else {
            continue;
        };
        if field != "resolution" || entry == "__metadata" {
            continue;
        }
        let resolution = scalar.value.as_str();
        let parts = resolution
            .char_indices()
            .skip(1)
            .find(|(_, c)| *c == '@')
            .and_then(|(at, _)| Some((resolution.get(..at)?, resolution.get(at + 1..)?)));
        match parts {
            Some((name, resolved)) => match resolved.strip_prefix("npm:") {
                // `npm:1.0.0::__archiveUrl=...` is of another registry.
                Some(version) if !version.contains("::") => locked.add(NPM, name, version),
                // The packages of the project itself are no references.
                _ if resolved.starts_with("workspace:") => {}
                // The package that is patched has an entry of its own.
                _ if resolved.starts_with("patch:") => {}
                _ => locked.left_out += 1,
            },
            None => locked.left_out += 1,
        }
    }
    Some(locked)
}

/// `pnpm-lock.yaml` (<https://github.com/pnpm/spec/tree/master/lockfile>): keys of `packages` are `/name/1.0.0` in version 5,
/// `/name@1.0.0` in 6 and `name@1.0.0` in 9, each with its peers behind it.
pub(crate) fn pnpm(text: &str, most: usize) -> Option<Locked> {
    let head = text.get(..text.floor_char_boundary(text.len().min(400)))?;
    if !head.contains("lockfileVersion:") {
        return None;
    }
    let scalars = scalars(text)?;
    let mut packages: BTreeMap<&str, bool> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for Scalar { keys, value } in &scalars {
        let [section, package, field, ..] = keys.as_slice() else {
            continue;
        };
        if section != "packages" {
            continue;
        }
        let is_elsewhere = match (field.as_str(), keys.get(3).map(String::as_str)) {
            // With flow style or not, a tarball or a repository stands in `resolution`.
            ("resolution", Some("tarball")) => !is_public(value),
            ("resolution", Some("repo" | "directory" | "commit")) => true,
            _ => false,
        };
        let known = packages.entry(package).or_insert_with(|| {
            order.push(package);
            false
        });
        *known |= is_elsewhere;
    }
    let mut locked = Locked::new(most);
    for package in order {
        match pnpm_package(package).filter(|_| packages.get(package) == Some(&false)) {
            Some((name, version)) => locked.add(NPM, name, version),
            None => locked.left_out += 1,
        }
    }
    Some(locked)
}

fn pnpm_package(key: &str) -> Option<(&str, &str)> {
    let is_old = key.starts_with('/');
    // Peers: `(react@18.0.0)`, and in version 5 `_react@18.0.0`.
    let bare = key.trim_start_matches('/').split('(').next()?;
    if bare.contains(':') {
        return None;
    }
    let after_scope = if bare.starts_with('@') {
        bare.find('/')? + 1
    } else {
        0
    };
    let rest = bare.get(after_scope..)?;
    let at = match rest.find('@') {
        Some(at) if !rest.get(..at)?.contains('/') => at,
        _ if is_old => rest.find('/')?,
        _ => return None,
    };
    let version = rest.get(at + 1..)?;
    let version = version.split('_').next()?;
    let name = bare.get(..after_scope + at)?;
    version
        .starts_with(|c: char| c.is_ascii_digit())
        .then_some((name, version))
}
