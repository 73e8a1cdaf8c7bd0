//! Bodies for parser tests: this project's fixtures, and the recordings beside the checkout.
//!
//! A test that needs the recordings has `#[freshcontext_recorded::test]` and is listed only if they are
//! present. Checks on fixtures belong in a separate test.

use std::path::{Path, PathBuf};

use proptest::test_runner::{Config, TestRunner};

/// A body and its file, which a failed test names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The file's path below `fixtures` or the shared folder.
    pub name: String,
    /// The text; invalid UTF-8 is replaced.
    pub text: String,
}

/// Returns the root of the checkout.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Set by CI: absent recordings are then a failure.
const REQUIRED: &str = "FRESHCONTEXT_REQUIRE_RECORDINGS";

/// Returns the folder beside the checkout with the recordings and reference data, if present. It is
/// recognised by one of the recordings, so another folder of this name is not mistaken for it.
///
/// # Panics
///
/// With `FRESHCONTEXT_REQUIRE_RECORDINGS`, if the folder is absent: an unlisted test must not look like a
/// passed one.
pub fn shared() -> Option<PathBuf> {
    let folder = root().parent()?.join("shared");
    if folder.join("recordings/MANIFEST-a.tsv").is_file() {
        return Some(folder);
    }
    assert!(
        std::env::var_os(REQUIRED).is_none(),
        "{REQUIRED} is set, but the recordings are not beside the checkout"
    );
    None
}

/// Returns a text from the shared folder, by its path there.
///
/// # Panics
///
/// If it cannot be read: a test that uses it is listed only if the folder is present.
#[expect(
    clippy::panic,
    reason = "a test without its text must fail, whoever calls this"
)]
pub fn shared_text(path: &str) -> String {
    let folder = shared().unwrap_or_default();
    std::fs::read_to_string(folder.join(path)).unwrap_or_else(|error| panic!("../shared/{path}: {error}"))
}

/// Returns a recording, by its path below the recordings, for example `github/readme.json`.
///
/// # Panics
///
/// Like [`shared_text`].
pub fn recording(name: &str) -> String {
    shared_text(&format!("recordings/{name}"))
}

/// Returns the recordings of these names, as for [`recording`]; none if the folder is absent. For tests that
/// run on fixtures as well.
///
/// # Panics
///
/// Like [`shared`], and if the folder lacks one of them.
pub fn recorded(names: &[&str]) -> Vec<Body> {
    let names = if shared().is_some() { names } else { &[] };
    names
        .iter()
        .map(|name| Body {
            name: (*name).to_owned(),
            text: recording(name),
        })
        .collect()
}

/// Returns every body of every case in `fixtures/<source>`.
pub fn fixtures(source: &str) -> Vec<Body> {
    below(&root().join("fixtures"), source)
}

/// Returns every recording in the folder of that name; none if the recordings are absent. For tests that run
/// on fixtures as well.
///
/// # Panics
///
/// Like [`shared`].
pub fn recordings(folder: &str) -> Vec<Body> {
    shared().map_or_else(Vec::new, |shared| below(&shared.join("recordings"), folder))
}

/// Calls `read` with bodies truncated at any point, as after a lost connection. Trailing white space is not
/// counted, because the body is complete without it.
///
/// # Panics
///
/// If `read` panics, with the body's name and the shortest failing prefix found; and if there are no
/// bodies.
pub fn any_prefix(cases: u32, bodies: &[Body], read: impl Fn(&str)) {
    assert!(!bodies.is_empty(), "there is no body to cut off");
    for body in bodies {
        let text = body.text.trim_end();
        let config = Config {
            cases,
            failure_persistence: None,
            ..Config::default()
        };
        let tried = TestRunner::new(config).run(&(0..text.len().max(1)), |end| {
            read(text.get(..text.floor_char_boundary(end)).unwrap_or_default());
            Ok(())
        });
        let failed = tried.err().map(|error| error.to_string());
        assert_eq!(failed, None, "{} cut off", body.name);
    }
}

/// Returns the bodies below `folder/within`: all files except case descriptions.
fn below(folder: &Path, within: &str) -> Vec<Body> {
    let mut out = Vec::new();
    let mut folders = vec![folder.join(within)];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind != "toml")
                && let Ok(bytes) = std::fs::read(&path)
            {
                out.push(Body {
                    name: path.strip_prefix(folder).unwrap_or(&path).display().to_string(),
                    text: String::from_utf8_lossy(&bytes).into_owned(),
                });
            }
        }
    }
    // The order of a folder's entries depends on the file system.
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_has_bodies_and_no_case_files() {
        let bodies = fixtures("hackernews");
        assert!(!bodies.is_empty());
        assert!(bodies.iter().all(|body| body.name.starts_with("hackernews/")));
        assert!(bodies.iter().all(|body| !body.name.contains("case.toml")));
        assert_eq!(fixtures("no-such-source"), []);
    }

    #[test]
    fn every_cut_is_a_strict_beginning_and_a_failure_names_its_body() {
        let bodies = |text: &str| {
            vec![Body {
                name: "a.json".to_owned(),
                text: text.to_owned(),
            }]
        };
        any_prefix(64, &bodies("{\"é\":\"日本\"}\n"), |cut| {
            assert!("{\"é\":\"日本\"".starts_with(cut));
        });
        any_prefix(1, &bodies(""), |cut| assert_eq!(cut, ""));
        let failure = std::panic::catch_unwind(|| {
            any_prefix(64, &bodies("0123456789"), |cut| assert!(cut.len() < 4));
        });
        let said = failure.unwrap_err().downcast::<String>().unwrap();
        assert!(said.contains("a.json cut off"), "{said}");
        assert!(said.contains("minimal failing input: 4"), "{said}");
    }
}
