//! `cargo xtask names`: the public vocabulary, and types with the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use syn::{ImplItem, Item, TraitItem, Visibility};

use super::{Package, packages};

/// Lists every word in the public names of published packages, with examples, and the names that several
/// types have, public or not.
pub fn names(root: &Path) -> Result<String, String> {
    let packages = packages(root)?;
    let mut words: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages.iter().filter(|package| package.published) {
        for name in public_names(package) {
            for word in words_of(&name) {
                words.entry(word).or_default().insert(name.clone());
            }
        }
        for (name, place) in all_types(package) {
            types.entry(name).or_default().insert(place);
        }
    }
    let mut out = String::from("| word | names | such as |\n| --- | ---: | --- |\n");
    for (word, names) in &words {
        let some: Vec<String> = names.iter().take(4).map(|name| format!("`{name}`")).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "| {word} | {} | {} |", names.len(), some.join(", "));
    }
    let _ = writeln!(out, "\nNames of more than one type:\n");
    for (name, places) in types.iter().filter(|(_, places)| places.len() > 1) {
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        let _ = writeln!(out, "- `{name}`: {}", places.join(", "));
    }
    let _ = write!(out, "\n{} words", words.len());
    Ok(out)
}

/// Returns the public names of a package: items, methods, fields and variants.
fn public_names(package: &Package) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |shown: bool, name: &syn::Ident| {
        if shown {
            names.insert(name.to_string());
        }
    };
    let public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    for item in package.modules.iter().flat_map(|module| &module.items) {
        match item {
            Item::Const(item) => add(public(&item.vis), &item.ident),
            Item::Enum(item) => {
                add(public(&item.vis), &item.ident);
                for variant in &item.variants {
                    add(public(&item.vis), &variant.ident);
                }
            }
            Item::Fn(item) => add(public(&item.vis), &item.sig.ident),
            Item::Mod(item) => add(public(&item.vis), &item.ident),
            Item::Static(item) => add(public(&item.vis), &item.ident),
            Item::Struct(item) => {
                add(public(&item.vis), &item.ident);
                for field in &item.fields {
                    if let Some(name) = &field.ident {
                        add(public(&item.vis) && public(&field.vis), name);
                    }
                }
            }
            Item::Trait(item) => {
                add(public(&item.vis), &item.ident);
                for part in &item.items {
                    if let TraitItem::Fn(method) = part {
                        add(public(&item.vis), &method.sig.ident);
                    }
                }
            }
            Item::Type(item) => add(public(&item.vis), &item.ident),
            Item::Impl(block) if block.trait_.is_none() => {
                for part in &block.items {
                    match part {
                        ImplItem::Const(item) => add(public(&item.vis), &item.ident),
                        ImplItem::Fn(item) => add(public(&item.vis), &item.sig.ident),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    names
}

/// Returns all types of a package with their modules.
fn all_types(package: &Package) -> Vec<(String, String)> {
    let mut types = Vec::new();
    for module in &package.modules {
        for item in &module.items {
            let name = match item {
                Item::Enum(item) => &item.ident,
                Item::Struct(item) => &item.ident,
                Item::Trait(item) => &item.ident,
                _ => continue,
            };
            let place = [std::slice::from_ref(&package.folder), module.path.as_slice()]
                .concat()
                .join("::");
            types.push((name.to_string(), place));
        }
    }
    types
}

/// Splits a name into lower-case words: `CommonArgs` and `common_args` have the same.
fn words_of(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in name.split('_') {
        let mut word = String::new();
        let mut was_lower = false;
        for c in part.chars() {
            if c.is_uppercase() && was_lower {
                words.push(std::mem::take(&mut word));
            }
            was_lower = c.is_lowercase() || c.is_ascii_digit();
            word.extend(c.to_lowercase());
        }
        words.push(word);
    }
    words.retain(|word| word.chars().any(char::is_alphabetic));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_lines_and_capitals() {
        assert_eq!(words_of("CommonArgs"), ["common", "args"]);
        assert_eq!(words_of("MAX_BODY_2"), ["max", "body"]);
        assert_eq!(words_of("HaPriV2"), ["ha", "pri", "v2"]);
    }
}
