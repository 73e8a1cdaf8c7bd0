//! `cargo xtask dist`: builds one stripped binary and all packages from it.

mod archive;
pub mod manifests;
mod packages;

use std::path::{Path, PathBuf};
use std::process::Command;

use freshcontext::package;
use freshcontext_mcp::{NAME, VERSION};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::cargo;

/// A target platform, in the terms of each package format.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Rust target triple.
    triple: &'static str,
    /// Oldest supported glibc.
    glibc: &'static str,
    /// Wheel platform tag.
    wheel: &'static str,
    /// Operating system for Node and MCP bundles.
    os: &'static str,
    /// Processor for Node.
    cpu: &'static str,
    /// Debian architecture.
    debian: &'static str,
}

impl Target {
    fn runs_here(self) -> bool {
        self.triple.starts_with(std::env::consts::ARCH)
    }
}

/// Platforms of the packages.
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

/// Content of the packages.
#[derive(Debug)]
pub struct What {
    target: Target,
    binary: Vec<u8>,
    licence: Vec<u8>,
    readme: Vec<u8>,
    changelog: Vec<u8>,
    /// Manual pages by file name.
    manual: Vec<(String, Vec<u8>)>,
    /// Completion scripts by shell.
    completions: Vec<(String, Vec<u8>)>,
    /// Name and description of each tool.
    tools: Vec<Value>,
}

/// Options of the command line.
#[derive(Debug)]
pub struct Order<'o> {
    /// Build profile.
    pub profile: &'o str,
    /// An existing binary to pack.
    pub binary: Option<PathBuf>,
    /// Target platform.
    pub target: &'o str,
    /// Output folder.
    pub into: PathBuf,
}

/// Builds all packages and returns a summary.
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
    // Manual pages and lists come from the packed binary, or from one of the same source if that is for another processor.
    let described = if target.runs_here() {
        built.clone()
    } else {
        host(root)?
    };
    let what = What {
        target,
        binary: std::fs::read(&built).map_err(|error| format!("{}: {error}", built.display()))?,
        licence: read("LICENSE")?,
        readme: read("crates/freshcontext/README.md")?,
        changelog: read("CHANGELOG.md")?,
        manual: manual(&described, &root.join("target/man"))?,
        completions: ["bash", "zsh", "fish"]
            .into_iter()
            .map(|shell| Ok((shell.to_owned(), ask(&described, &["completions", shell])?)))
            .collect::<Result<_, String>>()?,
        tools: tools(&described)?,
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

/// Builds the binary against the old glibc, whose symbols zig provides.
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

/// Builds the binary for this machine.
fn host(root: &Path) -> Result<PathBuf, String> {
    let status = cargo::command(root)
        .args(["build", "--quiet", "--locked", "--package", NAME])
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err("the binary for this machine was not built".to_owned());
    }
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(built.join("debug").join(NAME))
}

/// Runs the binary and returns its output.
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
