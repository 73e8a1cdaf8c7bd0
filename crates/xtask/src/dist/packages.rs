//! Packages from one binary and one set of metadata (`freshcontext::package`).

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use freshcontext::package::{REGISTRY_NAME, REPOSITORY, environment_variables};
use freshcontext_mcp::{DESCRIPTION, NAME, VERSION};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::archive::{self, Entry};
use super::{Target, What};

/// Maintainer of the Debian package, and author of the others.
const MAINTAINER: (&str, &str) = (
    "FreshContext contributors",
    "freshcontext@users.noreply.github.com",
);

/// A finished package.
#[derive(Debug, Clone)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Archive of the binary with its manual, completions, licence and README.
pub fn archive(what: &What) -> Result<Package, String> {
    let folder = format!("{NAME}-{VERSION}-{}", what.target.triple);
    let mut entries = vec![
        Entry::program(format!("{folder}/{NAME}"), what.binary.clone()),
        Entry::file(format!("{folder}/LICENSE"), what.licence.clone()),
        Entry::file(format!("{folder}/README.md"), what.readme.clone()),
    ];
    for (name, bytes) in &what.manual {
        entries.push(Entry::file(format!("{folder}/man/{name}"), bytes.clone()));
    }
    for (shell, script) in &what.completions {
        entries.push(Entry::file(
            format!("{folder}/completions/{NAME}.{shell}"),
            script.clone(),
        ));
    }
    Ok(Package {
        name: format!("{folder}.tar.gz"),
        bytes: archive::tar_gz(&entries, false)?,
    })
}

/// npm package whose command is the binary itself, without a wrapper between client and server.
pub fn npm(what: &What) -> Result<Package, String> {
    let Target { os, cpu, .. } = what.target;
    let manifest = json!({
        "name": NAME,
        "version": VERSION,
        "description": DESCRIPTION,
        "mcpName": REGISTRY_NAME,
        "license": "MIT",
        "author": MAINTAINER.0,
        "homepage": REPOSITORY,
        "repository": {"type": "git", "url": format!("git+{REPOSITORY}.git")},
        "keywords": ["mcp", "mcp-server", "freshness", "context"],
        "bin": {NAME: format!("bin/{NAME}")},
        "files": ["bin", "LICENSE", "README.md"],
        "os": [os],
        "cpu": [cpu],
        "libc": ["glibc"],
    });
    let entries = [
        Entry::file("package/package.json", pretty(&manifest)),
        Entry::file("package/LICENSE", what.licence.clone()),
        Entry::file("package/README.md", what.readme.clone()),
        Entry::program(format!("package/bin/{NAME}"), what.binary.clone()),
    ];
    Ok(Package {
        name: format!("{NAME}-{VERSION}.tgz"),
        bytes: archive::tar_gz(&entries, false)?,
    })
}

/// Wheel whose script is the binary itself.
pub fn wheel(what: &What) -> Result<Package, String> {
    let tag = format!("py3-none-{}", what.target.wheel);
    let info = format!("{NAME}-{VERSION}.dist-info");
    let readme = String::from_utf8_lossy(&what.readme);
    let metadata = format!(
        "Metadata-Version: 2.4\nName: {NAME}\nVersion: {VERSION}\nSummary: {DESCRIPTION}\nAuthor: {}\n\
         License-Expression: MIT\nLicense-File: LICENSE\nProject-URL: Homepage, {REPOSITORY}\nRequires-Python: >=3.8\n\
         Description-Content-Type: text/markdown\n\n{readme}",
        MAINTAINER.0
    );
    let about = format!(
        "Wheel-Version: 1.0\nGenerator: freshcontext-xtask {VERSION}\nRoot-Is-Purelib: false\nTag: {tag}\n"
    );
    let mut entries = vec![
        Entry::program(
            format!("{NAME}-{VERSION}.data/scripts/{NAME}"),
            what.binary.clone(),
        ),
        Entry::file(format!("{info}/METADATA"), metadata),
        Entry::file(format!("{info}/WHEEL"), about),
        Entry::file(format!("{info}/licenses/LICENSE"), what.licence.clone()),
    ];
    let mut record = String::new();
    for Entry { path, bytes, .. } in &entries {
        let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
        record.push_str(
            &[
                path.as_str(),
                ",sha256=",
                &hash,
                ",",
                &bytes.len().to_string(),
                "\n",
            ]
            .concat(),
        );
    }
    record.push_str(&[info.as_str(), "/RECORD,,\n"].concat());
    entries.push(Entry::file(format!("{info}/RECORD"), record));
    Ok(Package {
        name: format!("{NAME}-{VERSION}-{tag}.whl"),
        bytes: archive::zip(&entries)?,
    })
}

/// MCP bundle for one-click installation; the client asks for the keys.
pub fn mcpb(what: &What) -> Result<Package, String> {
    let mut asked = Map::new();
    let mut environment = Map::new();
    for variable in environment_variables() {
        let name = variable.name.as_str();
        let key = name.to_ascii_lowercase();
        environment.insert(name.to_owned(), format!("${{user_config.{key}}}").into());
        let question = json!({
            "type": "string",
            "title": name,
            "description": variable.about,
            "required": false,
            "sensitive": variable.secret,
            "default": "",
        });
        asked.insert(key, question);
    }
    let server = format!("server/{NAME}");
    let manifest = json!({
        "manifest_version": "0.4",
        "name": NAME,
        "display_name": "FreshContext",
        "version": VERSION,
        "description": DESCRIPTION,
        "author": {"name": MAINTAINER.0, "url": REPOSITORY},
        "repository": {"type": "git", "url": format!("{REPOSITORY}.git")},
        "homepage": REPOSITORY,
        "license": "MIT",
        "server": {
            "type": "binary",
            "entry_point": server,
            "mcp_config": {"command": format!("${{__dirname}}/{server}"), "args": ["stdio"], "env": environment},
        },
        "tools": what.tools,
        "user_config": asked,
        "compatibility": {"platforms": [what.target.os]},
    });
    let entries = [
        Entry::file("manifest.json", pretty(&manifest)),
        Entry::file("LICENSE", what.licence.clone()),
        Entry::file("README.md", what.readme.clone()),
        Entry::program(server, what.binary.clone()),
    ];
    Ok(Package {
        name: format!("{NAME}-mcp-{VERSION}-{}.mcpb", what.target.triple),
        bytes: archive::zip(&entries)?,
    })
}

/// Debian package with manual and completions.
pub fn deb(what: &What) -> Result<Package, String> {
    let share = "./usr/share";
    let mut entries = vec![
        Entry::program(format!("./usr/bin/{NAME}"), what.binary.clone()),
        Entry::file(
            format!("{share}/doc/{NAME}/copyright"),
            [
                format!("Upstream-Name: {NAME}\nSource: {REPOSITORY}\nLicense: MIT\n\n").into_bytes(),
                what.licence.clone(),
            ]
            .concat(),
        ),
        Entry::file(
            format!("{share}/doc/{NAME}/changelog.gz"),
            archive::gzip(&what.changelog)?,
        ),
    ];
    for (name, bytes) in &what.manual {
        entries.push(Entry::file(
            format!("{share}/man/man1/{name}.gz"),
            archive::gzip(bytes)?,
        ));
    }
    for (shell, script) in &what.completions {
        let place = match shell.as_str() {
            "bash" => format!("bash-completion/completions/{NAME}"),
            "zsh" => format!("zsh/vendor-completions/_{NAME}"),
            _ => format!("fish/vendor_completions.d/{NAME}.{shell}"),
        };
        entries.push(Entry::file(format!("{share}/{place}"), script.clone()));
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let kibibytes = entries
        .iter()
        .map(|entry| entry.bytes.len())
        .sum::<usize>()
        .div_ceil(1024);
    let (maintainer, address) = MAINTAINER;
    let control = format!(
        "Package: {NAME}\nVersion: {VERSION}\nArchitecture: {}\nMaintainer: {maintainer} <{address}>\n\
         Installed-Size: {kibibytes}\nDepends: libc6 (>= {})\nSection: net\nPriority: optional\nHomepage: {REPOSITORY}\n\
         Description: {DESCRIPTION}\n An MCP server over stdin or HTTP, and the same tools as commands. Every answer says how old\n \
         its content is and how sure that is; a retrieval that failed is an error, never an answer.\n",
        what.target.debian, what.target.glibc
    );
    let bytes = archive::ar(&[
        Entry::file("debian-binary", "2.0\n"),
        Entry::file(
            "control.tar.gz",
            archive::tar_gz(&[Entry::file("./control", control)], false)?,
        ),
        Entry::file("data.tar.gz", archive::tar_gz(&entries, true)?),
    ])?;
    Ok(Package {
        name: format!("{NAME}_{VERSION}_{}.deb", what.target.debian),
        bytes,
    })
}

pub(super) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
