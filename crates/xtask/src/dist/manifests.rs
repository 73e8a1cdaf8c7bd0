//! Manifests for package managers, from the archives of a release: Homebrew, AUR, Nix, Scoop, winget. A platform without an
//! archive is in no manifest.

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use freshcontext::package::REPOSITORY;
use freshcontext_mcp::{DESCRIPTION, NAME, VERSION};
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// Where a published archive is downloaded from, and what it must be.
#[derive(Debug, Clone)]
struct Archive {
    triple: &'static str,
    url: String,
    sha256: [u8; 32],
}

impl Archive {
    /// The archive of a target in a folder; `None` if it is not there.
    fn find(folder: &Path, triple: &'static str, extension: &str) -> Result<Option<Self>, String> {
        let file = format!("{NAME}-{VERSION}-{triple}.{extension}");
        match std::fs::read(folder.join(&file)) {
            Ok(bytes) => Ok(Some(Self {
                triple,
                url: format!("{REPOSITORY}/releases/download/v{VERSION}/{file}"),
                sha256: Sha256::digest(&bytes).into(),
            })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{file}: {error}")),
        }
    }

    fn hex(&self) -> String {
        base16ct::lower::encode_string(&self.sha256)
    }

    /// The hash as Nix writes it (<https://www.w3.org/TR/sri/>).
    fn integrity(&self) -> String {
        format!("sha256-{}", BASE64_STANDARD.encode(self.sha256))
    }

    /// The folder inside the archive.
    fn inside(&self) -> String {
        format!("{NAME}-{VERSION}-{}", self.triple)
    }

    fn processor(&self) -> &'static str {
        if self.triple.starts_with("aarch64") {
            "aarch64"
        } else {
            "x86_64"
        }
    }
}

/// Writes the manifests for the archives in `from`, and returns a summary.
///
/// # Errors
/// A file that cannot be read or written; a folder without any archive of this version.
pub fn write(from: &Path, into: &Path) -> Result<String, String> {
    let all = |triples: [&'static str; 2]| {
        triples
            .into_iter()
            .filter_map(|triple| Archive::find(from, triple, "tar.gz").transpose())
            .collect::<Result<Vec<_>, _>>()
    };
    let linux = all(["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"])?;
    let macos = all(["x86_64-apple-darwin", "aarch64-apple-darwin"])?;
    let windows = Archive::find(from, "x86_64-pc-windows-msvc", "zip")?;
    if linux.is_empty() && macos.is_empty() && windows.is_none() {
        return Err(format!(
            "{} holds no archive of {NAME} {VERSION}; `cargo xtask dist` makes one",
            from.display()
        ));
    }
    let mut files: Vec<(String, String)> = Vec::new();
    let mut left_out = Vec::new();
    if linux.is_empty() {
        left_out.push("AUR: no archive for Linux");
    } else {
        files.push(("aur/PKGBUILD".to_owned(), pkgbuild(&linux)));
        files.push(("aur/.SRCINFO".to_owned(), srcinfo(&linux)));
    }
    if linux.is_empty() && macos.is_empty() {
        left_out.push("Homebrew, Nix: no archive for Linux and macOS");
    } else {
        files.push((format!("homebrew/{NAME}.rb"), homebrew(&linux, &macos)));
        files.push((format!("nix/{NAME}.nix"), nix(linux.iter().chain(&macos))));
    }
    match &windows {
        Some(archive) => {
            files.push((format!("scoop/{NAME}.json"), scoop(archive)));
            files.extend(winget(archive));
        }
        None => left_out.push("Scoop, winget: no archive for Windows"),
    }
    let mut said = format!("{NAME} {VERSION}, manifests in {}:", into.display());
    for (name, text) in files {
        let file = into.join(&name);
        let folder = file.parent().unwrap_or(into);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&file, text))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        said.push_str("\n  ");
        said.push_str(&name);
    }
    for what in left_out {
        said.push_str("\n  not written, ");
        said.push_str(what);
    }
    Ok(said)
}

/// A formula (<https://docs.brew.sh/Formula-Cookbook>).
fn homebrew(linux: &[Archive], macos: &[Archive]) -> String {
    let system = |name: &str, archives: &[Archive]| {
        if archives.is_empty() {
            return String::new();
        }
        let each = archives.iter().map(|archive| {
            let processor = if archive.processor() == "aarch64" {
                "arm"
            } else {
                "intel"
            };
            format!(
                "    on_{processor} do\n      url \"{}\"\n      sha256 \"{}\"\n    end\n",
                archive.url,
                archive.hex()
            )
        });
        format!("  on_{name} do\n{}  end\n\n", each.collect::<String>())
    };
    format!(
        "class Freshcontext < Formula\n  desc \"{DESCRIPTION}\"\n  homepage \"{REPOSITORY}\"\n  version \"{VERSION}\"\n  \
         license \"MIT\"\n\n{}{}  def install\n    bin.install \"{NAME}\"\n    man1.install Dir[\"man/*.1\"]\n    \
         generate_completions_from_executable(bin/\"{NAME}\", \"completions\")\n  end\n\n  test do\n    assert_match \
         version.to_s, shell_output(\"#{{bin}}/{NAME} --version\")\n  end\nend\n",
        system("macos", macos),
        system("linux", linux),
    )
}

/// A build script (<https://wiki.archlinux.org/title/PKGBUILD>).
fn pkgbuild(linux: &[Archive]) -> String {
    let words = |word: fn(&Archive) -> &'static str| {
        let words: Vec<String> = linux
            .iter()
            .map(|archive| format!("'{}'", word(archive)))
            .collect();
        words.join(" ")
    };
    let sources = linux.iter().map(|archive| {
        format!(
            "source_{0}=(\"{1}\")\nsha256sums_{0}=('{2}')\n",
            archive.processor(),
            archive.url,
            archive.hex()
        )
    });
    format!(
        "pkgname={NAME}-bin\npkgver={VERSION}\npkgrel=1\npkgdesc=\"{DESCRIPTION}\"\narch=({})\nurl=\"{REPOSITORY}\"\n\
         license=('MIT')\ndepends=('gcc-libs' 'glibc')\nprovides=('{NAME}')\nconflicts=('{NAME}')\n{}\npackage() {{\n  cd \
         \"{NAME}-$pkgver-$CARCH-unknown-linux-gnu\"\n  install -Dm755 {NAME} \"$pkgdir/usr/bin/{NAME}\"\n  install -Dm644 \
         LICENSE \"$pkgdir/usr/share/licenses/$pkgname/LICENSE\"\n  install -Dm644 -t \"$pkgdir/usr/share/man/man1\" \
         man/*.1\n  install -Dm644 completions/{NAME}.bash \"$pkgdir/usr/share/bash-completion/completions/{NAME}\"\n  install \
         -Dm644 completions/{NAME}.zsh \"$pkgdir/usr/share/zsh/site-functions/_{NAME}\"\n  install -Dm644 \
         completions/{NAME}.fish \"$pkgdir/usr/share/fish/vendor_completions.d/{NAME}.fish\"\n}}\n",
        words(Archive::processor),
        sources.collect::<String>(),
    )
}

/// The same as fields (<https://wiki.archlinux.org/title/.SRCINFO>).
fn srcinfo(linux: &[Archive]) -> String {
    let mut text = format!(
        "pkgbase = {NAME}-bin\n\tpkgdesc = {DESCRIPTION}\n\tpkgver = {VERSION}\n\tpkgrel = 1\n\turl = {REPOSITORY}\n"
    );
    let mut field = |name: &str, value: &str| text.push_str(&["\t", name, " = ", value, "\n"].concat());
    for archive in linux {
        field("arch", archive.processor());
    }
    for (name, value) in [
        ("license", "MIT"),
        ("depends", "gcc-libs"),
        ("depends", "glibc"),
        ("provides", NAME),
        ("conflicts", NAME),
    ] {
        field(name, value);
    }
    for archive in linux {
        field(&format!("source_{}", archive.processor()), &archive.url);
        field(&format!("sha256sums_{}", archive.processor()), &archive.hex());
    }
    text.push_str(&["\npkgname = ", NAME, "-bin\n"].concat());
    text
}

/// A package for `callPackage` (<https://nixos.org/manual/nixpkgs/stable/#setup-hook-autopatchelfhook>).
fn nix<'a>(archives: impl Iterator<Item = &'a Archive>) -> String {
    let sources = archives.map(|archive| {
        let system = if archive.triple.ends_with("darwin") {
            "darwin"
        } else {
            "linux"
        };
        format!(
            "    {}-{system} = {{\n      url = \"{}\";\n      hash = \"{}\";\n    }};\n",
            archive.processor(),
            archive.url,
            archive.integrity()
        )
    });
    format!(
        "{{\n  lib,\n  stdenv,\n  fetchurl,\n  autoPatchelfHook,\n  installShellFiles,\n}}:\n\nlet\n  sources = {{\n{}  }};\n  \
         system = stdenv.hostPlatform.system;\nin\nstdenv.mkDerivation {{\n  pname = \"{NAME}\";\n  version = \
         \"{VERSION}\";\n\n  src = fetchurl (sources.${{system}} or (throw \"{NAME} has no package for ${{system}}\"));\n\n  \
         nativeBuildInputs = [ installShellFiles ] ++ lib.optional stdenv.hostPlatform.isLinux autoPatchelfHook;\n  \
         buildInputs = lib.optional stdenv.hostPlatform.isLinux stdenv.cc.cc.lib;\n\n  installPhase = ''\n    runHook \
         preInstall\n    install -Dm755 {NAME} $out/bin/{NAME}\n    if [ -d man ]; then\n      installManPage man/*.1\n      \
         installShellCompletion completions/{NAME}.{{bash,zsh,fish}}\n    fi\n    runHook postInstall\n  '';\n\n  meta = {{\n    \
         description = \"{DESCRIPTION}\";\n    homepage = \"{REPOSITORY}\";\n    license = lib.licenses.mit;\n    mainProgram = \
         \"{NAME}\";\n    platforms = builtins.attrNames sources;\n    sourceProvenance = [ \
         lib.sourceTypes.binaryNativeCode ];\n  }};\n}}\n",
        sources.collect::<String>(),
    )
}

/// An app manifest (<https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests>).
fn scoop(windows: &Archive) -> String {
    let manifest = json!({
        "version": VERSION,
        "description": DESCRIPTION,
        "homepage": REPOSITORY,
        "license": "MIT",
        "architecture": {"64bit": {"url": windows.url, "hash": windows.hex(), "extract_dir": windows.inside()}},
        "bin": format!("{NAME}.exe"),
    });
    super::packages::pretty(&manifest)
}

/// The three files of a version (<https://github.com/microsoft/winget-pkgs/tree/master/doc/manifest/schema/1.9.0>).
fn winget(windows: &Archive) -> Vec<(String, String)> {
    const ID: &str = "FreshContext.FreshContext";
    const SCHEMA: &str = "1.9.0";
    let file = |part: &str, kind: &str, fields: &str| {
        let schema = format!("https://aka.ms/winget-manifest.{kind}.{SCHEMA}.schema.json");
        let text = format!(
            "# yaml-language-server: $schema={schema}\nPackageIdentifier: {ID}\nPackageVersion: \"{VERSION}\"\n{fields}\
             ManifestType: {kind}\nManifestVersion: {SCHEMA}\n"
        );
        (format!("winget/{ID}{part}.yaml"), text)
    };
    let program = format!("{}\\{NAME}.exe", windows.inside());
    vec![
        file("", "version", "DefaultLocale: en-US\n"),
        file(
            ".installer",
            "installer",
            &format!(
                "InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n  - RelativeFilePath: \
                 {program}\n    PortableCommandAlias: {NAME}\nInstallers:\n  - Architecture: x64\n    InstallerUrl: {}\n    \
                 InstallerSha256: {}\n",
                windows.url,
                windows.hex().to_uppercase()
            ),
        ),
        file(
            ".locale.en-US",
            "defaultLocale",
            &format!(
                "PackageLocale: en-US\nPublisher: FreshContext contributors\nPackageName: FreshContext\nPackageUrl: \
                 {REPOSITORY}\nLicense: MIT\nShortDescription: {}\n",
                serde_json::Value::from(DESCRIPTION)
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every manifest names an archive that was there, by its hash, and no other.
    #[test]
    fn manifests_name_the_archives_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let into = folder.path().join("manifests");
        assert!(
            write(folder.path(), &into)
                .unwrap_err()
                .contains("holds no archive")
        );
        let add = |triple: &str, extension: &str| {
            let file = folder
                .path()
                .join(format!("{NAME}-{VERSION}-{triple}.{extension}"));
            std::fs::write(file, triple).unwrap();
            base16ct::lower::encode_string(&Sha256::digest(triple))
        };
        let read = |name: &str| std::fs::read_to_string(into.join(name)).unwrap();

        let linux = add("x86_64-unknown-linux-gnu", "tar.gz");
        let said = write(folder.path(), &into).unwrap();
        assert!(
            said.contains("not written, Scoop, winget: no archive for Windows"),
            "{said}"
        );
        assert!(!into.join("scoop").exists());
        for name in ["aur/PKGBUILD", "aur/.SRCINFO", "homebrew/freshcontext.rb"] {
            assert!(read(name).contains(&linux), "{name}");
            assert!(!read(name).contains("aarch64"), "{name}");
        }
        assert!(!read("homebrew/freshcontext.rb").contains("on_macos"));

        let arm = add("aarch64-unknown-linux-gnu", "tar.gz");
        let mac = add("aarch64-apple-darwin", "tar.gz");
        let windows = add("x86_64-pc-windows-msvc", "zip");
        write(folder.path(), &into).unwrap();
        assert!(read("aur/.SRCINFO").contains(&format!("sha256sums_aarch64 = {arm}")));
        assert!(read("homebrew/freshcontext.rb").contains(&mac));
        assert!(read("nix/freshcontext.nix").contains("aarch64-darwin = {"));
        let scoop: serde_json::Value = serde_json::from_str(&read("scoop/freshcontext.json")).unwrap();
        assert_eq!(scoop["architecture"]["64bit"]["hash"], windows);
        let installer = read("winget/FreshContext.FreshContext.installer.yaml");
        assert!(installer.contains(&windows.to_uppercase()), "{installer}");
    }
}
