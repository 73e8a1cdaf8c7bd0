//! `cargo xtask dist`: one stripped binary, and from it everything that is given out.

mod archive;
mod packages;

use std::path::{Path, PathBuf};
use std::process::Command;

use freshcontext::package;
use freshcontext_mcp::{NAME, VERSION};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A kind of machine, in the words of each kind of package.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// For Rust.
    triple: &'static str,
    /// The oldest C library that its binary runs on.
    glibc: &'static str,
    /// For Python.
    wheel: &'static str,
    /// For Node and MCP bundles: the system.
    os: &'static str,
    /// For Node: the processor.
    cpu: &'static str,
    /// For Debian.
    debian: &'static str,
}

/// The kinds of machine that packages are made for.
const TARGETS: [Target; 2] = [
    Target {
        triple: "x86_64-unknown-linux-gnu",
        glibc: "2.17",
        wheel: "manylinux_2_17_x86_64",
        os: "linux",
        cpu: "x64",
        debian: "amd64",
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        glibc: "2.17",
        wheel: "manylinux_2_17_aarch64",
        os: "linux",
        cpu: "arm64",
        debian: "arm64",
    },
];

/// What goes into packages.
#[derive(Debug)]
pub struct What {
    target: Target,
    binary: Vec<u8>,
    licence: Vec<u8>,
    readme: Vec<u8>,
    changelog: Vec<u8>,
    /// Pages by their file names.
    manual: Vec<(String, Vec<u8>)>,
    /// Scripts by their shells.
    completions: Vec<(String, Vec<u8>)>,
    /// Name and description of each tool.
    tools: Vec<Value>,
}

/// What the command line asks for.
#[derive(Debug)]
pub struct Order<'o> {
    /// How the binary is built.
    pub profile: &'o str,
    /// A binary that is there already.
    pub binary: Option<PathBuf>,
    /// For which machine.
    pub target: &'o str,
    /// Where to put everything.
    pub into: PathBuf,
}

/// Makes everything; says what and where.
pub fn make(root: &Path, order: Order<'_>) -> Result<String, String> {
    let target = TARGETS
        .into_iter()
        .find(|target| target.triple == order.target)
        .ok_or_else(|| {
            format!(
                "packages are made for {}",
                TARGETS.map(|target| target.triple).join(" and ")
            )
        })?;
    let built = match order.binary {
        Some(binary) => binary,
        None => build(root, target, order.profile)?,
    };
    let read = |name: &str| std::fs::read(root.join(name)).map_err(|error| format!("{name}: {error}"));
    // Pages and lists come from the binary that is packed. One of another processor cannot be asked here.
    let what = What {
        target,
        binary: std::fs::read(&built).map_err(|error| format!("{}: {error}", built.display()))?,
        licence: read("LICENSE")?,
        readme: read("crates/freshcontext/README.md")?,
        changelog: read("CHANGELOG.md")?,
        manual: manual(&built, &root.join("target/man"))?,
        completions: ["bash", "zsh", "fish"]
            .into_iter()
            .map(|shell| Ok((shell.to_owned(), ask(&built, &["completions", shell])?)))
            .collect::<Result<_, String>>()?,
        tools: tools(&built)?,
    };
    let bundle = packages::mcpb(&what)?;
    let entry = package::server_json_with_bundle(&bundle.name, &hash(&bundle.bytes));
    let mut entry = serde_json::to_string_pretty(&entry).unwrap_or_default();
    entry.push('\n');
    let all = vec![
        packages::archive(&what)?,
        packages::npm(&what)?,
        packages::wheel(&what)?,
        bundle,
        packages::deb(&what)?,
        packages::Package {
            name: "server.json".to_owned(),
            bytes: entry.into_bytes(),
        },
    ];
    std::fs::create_dir_all(&order.into).map_err(|error| format!("{}: {error}", order.into.display()))?;
    let mut sums = String::new();
    let mut said = format!("{NAME} {VERSION} in {}:", order.into.display());
    for package in &all {
        let file = order.into.join(&package.name);
        std::fs::write(&file, &package.bytes).map_err(|error| format!("{}: {error}", file.display()))?;
        sums.push_str(&[hash(&package.bytes).as_str(), "  ", &package.name, "\n"].concat());
        said.push_str(
            &[
                "\n  ",
                &package.name,
                ", ",
                &package.bytes.len().to_string(),
                " bytes",
            ]
            .concat(),
        );
    }
    let sums_file = order.into.join("SHA256SUMS");
    std::fs::write(&sums_file, sums).map_err(|error| format!("{}: {error}", sums_file.display()))?;
    Ok(said)
}

/// Builds the binary against the old C library; zig has its symbols.
fn build(root: &Path, target: Target, profile: &str) -> Result<PathBuf, String> {
    let with_glibc = format!("{}.{}", target.triple, target.glibc);
    let status = Command::new("cargo-zigbuild")
        .current_dir(root)
        .args([
            "zigbuild",
            "--locked",
            "--package",
            NAME,
            "--profile",
            profile,
            "--target",
            &with_glibc,
        ])
        .status()
        .map_err(|error| {
            format!("cargo-zigbuild: {error}; `pip install cargo-zigbuild ziglang` brings it")
        })?;
    if !status.success() {
        return Err("the binary was not built".to_owned());
    }
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(built.join(target.triple).join(folder).join(NAME))
}

/// What the binary says.
fn ask(binary: &Path, words: &[&str]) -> Result<Vec<u8>, String> {
    let done = Command::new(binary)
        .args(words)
        .output()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    if !done.status.success() {
        return Err(format!("{words:?}: {}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(done.stdout)
}

fn manual(binary: &Path, folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    ask(binary, &["man", "--into", &folder.display().to_string()])?;
    let mut pages = Vec::new();
    for page in std::fs::read_dir(folder).map_err(failed)? {
        let page = page.map_err(failed)?;
        let bytes = std::fs::read(page.path()).map_err(failed)?;
        pages.push((page.file_name().to_string_lossy().into_owned(), bytes));
    }
    pages.sort();
    Ok(pages)
}

fn tools(binary: &Path) -> Result<Vec<Value>, String> {
    let listed: Vec<Value> = serde_json::from_slice(&ask(binary, &["tools", "--json"])?)
        .map_err(|error| format!("tools --json: {error}"))?;
    let short = |tool: &Value| json!({"name": tool.get("name"), "description": tool.get("description")});
    Ok(listed.iter().map(short).collect())
}

fn hash(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}
