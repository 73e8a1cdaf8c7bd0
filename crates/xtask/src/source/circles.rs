//! Dependency cycles between modules of one crate.
//!
//! A module depends on another if it names something defined there: in a `use`, a type, an expression. A
//! re-exported name (`pub use`) is a dependency on the defining module and on those that re-export it; a
//! re-export is a dependency too. Naming something from an enclosing module is not a dependency, because
//! modules are meant to do that. Macro arguments are not examined.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use syn::visit::Visit;
use syn::{Item, UseTree};

use super::{Module, Package};

/// A cycle of modules.
pub(super) struct Circle {
    pub(super) modules: Vec<Vec<String>>,
    /// Dependencies within the cycle, with the name used.
    pub(super) uses: Vec<(Vec<String>, Vec<String>, String)>,
}

/// Returns the cycles of a package's modules.
pub(super) fn circles(package: &Package) -> Vec<Circle> {
    let scopes: HashMap<&[String], Scope> = package
        .modules
        .iter()
        .map(|module| (module.path.as_slice(), Scope::of(module)))
        .collect();
    let mut needs: BTreeMap<(Vec<String>, Vec<String>), String> = BTreeMap::new();
    for module in &package.modules {
        let mut named = Named::default();
        for item in &module.items {
            named.visit_item(item);
        }
        for path in named.paths {
            let mut through = Vec::new();
            let Some(target) = resolve(&scopes, &module.path, &path, &mut through, 0) else {
                continue;
            };
            let defined = Some(target).filter(|target| !module.path.starts_with(target));
            for needed in through.into_iter().chain(defined) {
                if needed != module.path {
                    needs
                        .entry((module.path.clone(), needed))
                        .or_insert_with(|| path.join("::"));
                }
            }
        }
    }
    let mut graph = DiGraph::new();
    let mut nodes = BTreeMap::new();
    for module in &package.modules {
        nodes
            .entry(module.path.clone())
            .or_insert_with(|| graph.add_node(module.path.clone()));
    }
    for (from, to) in needs.keys() {
        if let (Some(from), Some(to)) = (nodes.get(from), nodes.get(to)) {
            graph.add_edge(*from, *to, ());
        }
    }
    let mut circles: Vec<Circle> = tarjan_scc(&graph)
        .into_iter()
        .filter(|together| together.len() > 1)
        .map(|together| {
            let mut modules: Vec<Vec<String>> = together
                .into_iter()
                .filter_map(|node| graph.node_weight(node).cloned())
                .collect();
            modules.sort();
            let uses = needs
                .iter()
                .filter(|((from, to), _)| modules.contains(from) && modules.contains(to))
                .map(|((from, to), by)| (from.clone(), to.clone(), by.clone()))
                .collect();
            Circle { modules, uses }
        })
        .collect();
    circles.sort_by(|a, b| a.modules.cmp(&b.modules));
    circles
}

/// Meaning of names in a module.
struct Scope {
    children: HashSet<String>,
    /// Names defined here.
    own: HashSet<String>,
    /// Names imported by `use`: the local name and the path.
    brought: HashMap<String, Vec<String>>,
    /// `use path::*`.
    globs: Vec<Vec<String>>,
}

impl Scope {
    fn of(module: &Module) -> Self {
        let mut scope = Self {
            children: HashSet::new(),
            own: HashSet::new(),
            brought: HashMap::new(),
            globs: Vec::new(),
        };
        for item in &module.items {
            match item {
                Item::Mod(child) => _ = scope.children.insert(child.ident.to_string()),
                Item::Use(brought) => leaves(&brought.tree, &mut Vec::new(), &mut |path, name| match name {
                    Some(name) => _ = scope.brought.insert(name, path),
                    None => scope.globs.push(path),
                }),
                other => scope.own.extend(name_of(other)),
            }
        }
        scope
    }
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Visits every path of a `use` with its local name; none for a glob.
fn leaves(tree: &UseTree, before: &mut Vec<String>, each: &mut impl FnMut(Vec<String>, Option<String>)) {
    let whole = |before: &[String], last: &syn::Ident| {
        let last = last.to_string();
        let mut path = before.to_vec();
        // `use a::{self}` imports `a`.
        if last != "self" || path.is_empty() {
            path.push(last);
        }
        path
    };
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, each);
            before.pop();
        }
        UseTree::Name(name) => {
            let path = whole(before, &name.ident);
            let here = path.last().cloned();
            each(path, here);
        }
        UseTree::Rename(name) => each(whole(before, &name.ident), Some(name.rename.to_string())),
        UseTree::Glob(_) => each(before.clone(), None),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, before, each)),
    }
}

/// Returns the module that defines a path, as seen from a module; none for other crates. `through` receives
/// the modules that re-export the name.
fn resolve(
    scopes: &HashMap<&[String], Scope>,
    from: &[String],
    path: &[String],
    through: &mut Vec<Vec<String>>,
    depth: usize,
) -> Option<Vec<String>> {
    // Cyclic re-exports do not compile; this only ends the search of globs.
    if depth > 8 {
        return None;
    }
    let mut at = from.to_vec();
    let mut rest = path.iter().peekable();
    let mut inside = false;
    while let Some(first) = rest.peek() {
        match first.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => _ = at.pop(),
            _ => break,
        }
        inside = true;
        rest.next();
    }
    while let Some(name) = rest.next() {
        let scope = scopes.get(at.as_slice())?;
        if scope.children.contains(name) {
            at.push(name.clone());
        } else if scope.own.contains(name) {
            return Some(at);
        } else if let Some(brought) = scope.brought.get(name) {
            let further: Vec<String> = brought.iter().cloned().chain(rest.cloned()).collect();
            if further.as_slice() == path {
                return None;
            }
            if at != from || depth > 0 {
                through.push(at.clone());
            }
            return resolve(scopes, &at, &further, through, depth + 1);
        } else if let Some(found) = scope.globs.iter().find_map(|glob| {
            let module = resolve(scopes, &at, glob, &mut Vec::new(), depth + 1)?;
            scopes
                .get(module.as_slice())?
                .own
                .contains(name)
                .then_some(module)
        }) {
            return Some(found);
        } else {
            return inside.then_some(at);
        }
        inside = true;
    }
    inside.then_some(at)
}

/// Paths that a module names, and those that it re-exports. Its own declarations are excluded.
#[derive(Default)]
struct Named {
    paths: BTreeSet<Vec<String>>,
}

impl Visit<'_> for Named {
    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        leaves(&item.tree, &mut Vec::new(), &mut |path, _| {
            self.paths.insert(path);
        });
    }

    fn visit_item_mod(&mut self, _: &syn::ItemMod) {
        // A separate module.
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        self.paths.insert(names.collect());
        syn::visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(modules: &[(&str, &str)]) -> Package {
        Package {
            folder: "crates/crafted".to_owned(),
            published: true,
            modules: modules
                .iter()
                .map(|(path, text)| Module {
                    path: path
                        .split("::")
                        .filter(|part| !part.is_empty())
                        .map(str::to_owned)
                        .collect(),
                    file: std::path::PathBuf::new(),
                    owns_file: true,
                    items: syn::parse_file(text).unwrap().items,
                })
                .collect(),
        }
    }

    fn found(modules: &[(&str, &str)]) -> Vec<String> {
        circles(&package(modules))
            .iter()
            .map(|circle| {
                let names: Vec<String> = circle.modules.iter().map(|path| path.join("::")).collect();
                names.join(" ")
            })
            .collect()
    }

    #[test]
    fn two_that_use_each_other_are_a_circle_however_they_are_named() {
        let root = ("", "mod a; mod b; pub use b::B;");
        assert_eq!(
            found(&[
                root,
                ("a", "use crate::B; pub struct A;"),
                ("b", "pub struct B(super::a::A);")
            ]),
            [" a b"]
        );
        assert_eq!(
            found(&[root, ("a", "use crate::B;"), ("b", "pub struct B;")]),
            [""; 0]
        );
        assert_eq!(
            found(&[
                root,
                ("a", "pub fn a() { crate::b::b() }"),
                ("b", "use crate::a; pub fn b() { a::a() }")
            ]),
            ["a b"]
        );
    }

    /// Importing a re-exported name is a dependency on the re-exporting module and its re-exports.
    #[test]
    fn what_hands_a_name_on_is_needed() {
        let root = ("", "mod m;");
        let hands_on = ("m", "mod x; mod y; pub use x::X; pub use y::Y;");
        let y = ("m::y", "pub struct Y;");
        assert_eq!(
            found(&[root, hands_on, ("m::x", "pub struct X(super::Y);"), y]),
            ["m m::x"]
        );
        assert_eq!(
            found(&[root, hands_on, ("m::x", "pub struct X(super::y::Y);"), y]),
            [""; 0]
        );
    }

    #[test]
    fn what_stands_above_and_what_others_define_is_no_need() {
        let root = ("", "mod a; pub use a::A; pub struct Root;");
        assert_eq!(
            found(&[root, ("a", "use std::fmt; pub struct A(crate::A2, fmt::Error);")]),
            [""; 0]
        );
        assert_eq!(found(&[root, ("a", "pub struct A(crate::Root);")]), [""; 0]);
        let needs = ("", "mod a; use a::A; pub struct Root(A);");
        assert_eq!(found(&[needs, ("a", "pub struct A(crate::Root);")]), [""; 0]);
    }
}
