//! Packages, their modules and their items, without tests.

use std::path::Path;

use syn::{Attribute, Item};

use super::{Module, Package};

/// Reads the package in a folder.
pub(super) fn package(root: &Path, folder: String) -> Result<Package, String> {
    let manifest = read(&root.join(&folder).join("Cargo.toml"))?;
    let manifest: toml::Table = manifest.parse().map_err(|error| format!("{folder}: {error}"))?;
    let publish = manifest.get("package").and_then(|package| package.get("publish"));
    let mut modules = Vec::new();
    for name in ["src/lib.rs", "src/main.rs"] {
        let file = root.join(&folder).join(name);
        if file.is_file() {
            let items = items(&file)?;
            add(&mut modules, &[], &file, true, items)?;
        }
    }
    Ok(Package {
        published: publish.and_then(toml::Value::as_bool) != Some(false),
        folder,
        modules,
    })
}

/// Reads a text file.
pub(super) fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn items(file: &Path) -> Result<Vec<Item>, String> {
    let parsed = syn::parse_file(&read(file)?);
    let parsed = parsed.map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(parsed.items)
}

/// Adds a module and its children.
fn add(
    modules: &mut Vec<Module>,
    path: &[String],
    file: &Path,
    owns_file: bool,
    items: Vec<Item>,
) -> Result<(), String> {
    let items: Vec<Item> = items.into_iter().filter(|item| !is_test(item)).collect();
    let children: Vec<syn::ItemMod> = items
        .iter()
        .filter_map(|item| match item {
            Item::Mod(child) => Some(child.clone()),
            _ => None,
        })
        .collect();
    modules.push(Module {
        path: path.to_vec(),
        file: file.to_owned(),
        owns_file,
        items,
    });
    for child in children {
        let name = child.ident.to_string();
        let below = [path, std::slice::from_ref(&name)].concat();
        if let Some((_, inside)) = child.content {
            add(modules, &below, file, false, inside)?;
        } else {
            let own = file_of(file, &name)
                .ok_or_else(|| format!("{}: there is no file of the module {name}", file.display()))?;
            let inside = self::items(&own)?;
            add(modules, &below, &own, true, inside)?;
        }
    }
    Ok(())
}

/// Returns the file of a module declared in another file.
fn file_of(declared_in: &Path, name: &str) -> Option<std::path::PathBuf> {
    let folder = declared_in.parent()?;
    let stem = declared_in.file_stem()?.to_str()?;
    let folder = match stem {
        "lib" | "main" | "mod" => folder.to_owned(),
        stem => folder.join(stem),
    };
    [
        folder.join(format!("{name}.rs")),
        folder.join(name).join("mod.rs"),
    ]
    .into_iter()
    .find(|file| file.is_file())
}

/// Whether an item is compiled for tests only.
pub(super) fn is_test(item: &Item) -> bool {
    attributes(item).iter().any(|attribute| {
        let name = attribute
            .path()
            .segments
            .last()
            .map(|last| last.ident.to_string());
        match name.as_deref() {
            Some("test") => true,
            Some("cfg") => match &attribute.meta {
                syn::Meta::List(list) => {
                    let said = list.tokens.to_string();
                    let words: Vec<&str> = said.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                    words.contains(&"test") && !words.contains(&"not")
                }
                _ => false,
            },
            _ => false,
        }
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
