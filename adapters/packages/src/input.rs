//! Which packages, in which registries.

use freshcontext_contract::{Argument, SourceError, quoted};
use freshcontext_parse::registry::Registry;
use schemars::JsonSchema;
use serde::Deserialize;

/// The argument, with a right value for errors.
pub const URL: Argument = Argument::new(
    "packages",
    r#"{"packages": "npm:react, pypi:flask, crates:serde"}"#,
);
/// Longest argument, in characters.
const MAX_CHARS: usize = 300;
/// Names in one call.
const MAX_NAMES: usize = 10;
/// Look-ups in one call: the rest of its requests is for download figures.
const MAX_LOOKUPS: usize = 21;

/// Arguments of `package_trends`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// Up to 10, e.g. npm:react,pypi:flask,crates:serde
    pub packages: String,
}

/// One name and where it is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The name, as given without its prefix.
    pub name: String,
    /// Where it is looked for.
    pub registries: Vec<Registry>,
    /// Whether the caller picked the registry.
    pub picked: bool,
}

/// Reads the argument.
pub fn recognise(given: &str) -> Result<Vec<Query>, SourceError> {
    if given.chars().count() > MAX_CHARS {
        return Err(URL.wrong(format!("is longer than {MAX_CHARS} characters")));
    }
    let mut asked: Vec<Query> = Vec::new();
    for part in given
        .split([',', '\n', ';'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let one = one(part)?;
        if !asked.contains(&one) {
            asked.push(one);
        }
    }
    if asked.is_empty() {
        return Err(URL.wrong("names no package"));
    }
    if asked.len() > MAX_NAMES {
        return Err(URL.wrong(format!("names more than {MAX_NAMES} packages")));
    }
    let lookups: usize = asked.iter().map(|asked| asked.registries.len()).sum();
    if lookups > MAX_LOOKUPS {
        return Err(
            URL.wrong("names too many packages without a prefix; each is looked up in three registries")
        );
    }
    Ok(asked)
}

fn one(part: &str) -> Result<Query, SourceError> {
    let shown: String = part.chars().take(60).collect();
    if let Some((prefix, name)) = part.split_once(':') {
        let name = name.trim();
        let registry = Registry::of_prefix(prefix).ok_or_else(|| {
            URL.wrong(format!(
                "has {}; the prefixes are npm:, pypi: and crates:",
                quoted(&shown)
            ))
        })?;
        if !registry.can_name(name) {
            return Err(URL.wrong(format!(
                "has {}, which is no name that {} can have",
                quoted(&shown),
                registry.name()
            )));
        }
        return Ok(Query {
            name: name.to_owned(),
            registries: vec![registry],
            picked: true,
        });
    }
    let registries: Vec<Registry> = Registry::ALL
        .into_iter()
        .filter(|registry| registry.can_name(part))
        .collect();
    if registries.is_empty() {
        return Err(URL.wrong(format!(
            "has {}, which is no name that a package can have",
            quoted(&shown)
        )));
    }
    Ok(Query {
        name: part.to_owned(),
        registries,
        picked: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(given: &str) -> Vec<(String, Vec<Registry>)> {
        recognise(given)
            .unwrap()
            .into_iter()
            .map(|asked| (asked.name, asked.registries))
            .collect()
    }

    #[test]
    fn prefixes_pick_and_bare_names_are_looked_for_everywhere() {
        use Registry::{Crates, Npm, Pypi};
        assert_eq!(
            places("npm:react, pypi:Flask,crates:serde , zod"),
            [
                ("react".to_owned(), vec![Npm]),
                ("Flask".to_owned(), vec![Pypi]),
                ("serde".to_owned(), vec![Crates]),
                ("zod".to_owned(), vec![Npm, Pypi, Crates]),
            ]
        );
        assert_eq!(places("@types/node"), [("@types/node".to_owned(), vec![Npm])]);
        assert_eq!(places("socket.io"), [("socket.io".to_owned(), vec![Npm, Pypi])]);
        assert_eq!(places("Django"), [("Django".to_owned(), vec![Pypi, Crates])]);
        assert_eq!(places("zod,zod").len(), 1);
    }

    #[test]
    fn what_is_no_package_is_refused() {
        let many = (0..11).map(|n| format!("npm:b{n}")).collect::<Vec<_>>().join(",");
        let wide = (0..8).map(|n| format!("b{n}")).collect::<Vec<_>>().join(",");
        for given in [
            "",
            " , ",
            "rust async runtime",
            "npm:",
            "npm:../x",
            "gem:rails",
            "pypi:a/b",
            "@scope",
            "@/x",
            "ü",
            &many,
            &wide,
            &"a".repeat(301),
        ] {
            let error = recognise(given).unwrap_err();
            assert_eq!(
                (error.code.as_str(), error.field.as_deref()),
                ("invalid_input", Some("packages")),
                "{given}"
            );
        }
    }
}
