//! Forms as a table, near misses, and properties.

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> (&'static str, String) {
    recognise(text).map_or_else(
        |why| ("-", why.as_str().to_owned()),
        |found| (found.kind(), found.id()),
    )
}

#[test]
fn every_form_has_its_kind_and_its_normal_form() {
    for (text, kind, id) in [
        (
            "10.1016/S0140-6736(20)31180-6",
            "doi",
            "10.1016/s0140-6736(20)31180-6",
        ),
        ("doi:10.1000/182", "doi", "10.1000/182"),
        ("DOI: 10.1000/182.", "doi", "10.1000/182"),
        ("https://doi.org/10.1000%2F182", "doi", "10.1000/182"),
        ("http://dx.doi.org/10.1000/182#a", "doi", "10.1000/182"),
        ("10.48550/arXiv.2104.12255", "arxiv", "2104.12255"),
        ("arXiv:2401.00917", "arxiv", "2401.00917"),
        ("2104.12255v1", "arxiv", "2104.12255v1"),
        ("math.GT/0309136", "arxiv", "math.GT/0309136"),
        (
            "https://arxiv.org/pdf/hep-th/9901001v2.pdf",
            "arxiv",
            "hep-th/9901001v2",
        ),
        ("https://example.com/a?b=c#d", "url", "https://example.com/a?b=c"),
        ("www.example.com", "url", "https://www.example.com/"),
        ("<http://example.com/a>", "url", "http://example.com/a"),
        ("pypi:Black@21.11b0", "package", "pypi:black@21.11b0"),
        ("black==21.11b0", "package", "pypi:black@21.11b0"),
        ("crates:bitflags@0.7.1", "package", "crates:bitflags@0.7.1"),
        ("cargo:bitflags@v0.7.1", "package", "crates:bitflags@0.7.1"),
        ("npm:@types/node@20.0.0", "package", "npm:@types/node@20.0.0"),
        ("@types/node@20.0.0", "package", "npm:@types/node@20.0.0"),
        ("npm:chalk", "package", "npm:chalk"),
        (
            "pkg:npm/%40types/node@20.0.0?a=b",
            "package",
            "npm:@types/node@20.0.0",
        ),
        (
            "pkg:golang/golang.org/x/text@v0.3.0",
            "package",
            "go:golang.org/x/text@v0.3.0",
        ),
        (
            "golang.org/x/text@v0.3.0",
            "package",
            "go:golang.org/x/text@v0.3.0",
        ),
        (
            "https://www.npmjs.com/package/chalk/v/2.4.2",
            "package",
            "npm:chalk@2.4.2",
        ),
        (
            "https://pypi.org/project/Zope.Interface/5.0/",
            "package",
            "pypi:zope-interface@5.0",
        ),
        (
            "https://crates.io/crates/serde/1.0.0",
            "package",
            "crates:serde@1.0.0",
        ),
        (
            "https://crates.io/crates/serde/versions",
            "url",
            "https://crates.io/crates/serde/versions",
        ),
        (
            "10.1175/1520-0493(1974)102&lt;0736:WACOJ&gt;2.0.CO;2",
            "doi",
            "10.1175/1520-0493(1974)102<0736:wacoj>2.0.co;2",
        ),
        (
            "https://doi.org/10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2",
            "doi",
            "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2",
        ),
        (
            "git+https://github.com/acme/tool.git@v1.0.0#egg=tool",
            "repository",
            "acme/tool@v1.0.0",
        ),
        (
            "git+ssh://git@github.com/acme/tool.git",
            "repository",
            "acme/tool",
        ),
        ("acme/tool@v1.0.0", "repository", "acme/tool@v1.0.0"),
        ("acme/tool", "repository", "acme/tool"),
        (
            "https://github.com/acme/tool/releases/tag/a/b",
            "repository",
            "acme/tool@a/b",
        ),
        ("https://github.com/acme/tool.git", "repository", "acme/tool"),
        ("git@github.com:acme/tool.git", "repository", "acme/tool"),
        ("pkg:github/acme/tool@v1", "repository", "acme/tool@v1"),
        (
            "https://github.com/acme/tool/issues/5",
            "url",
            "https://github.com/acme/tool/issues/5",
        ),
        ("cve-2021-44228", "advisory", "CVE-2021-44228"),
        ("GHSA-JFH8-C2JP-5V3Q", "advisory", "GHSA-jfh8-c2jp-5v3q"),
        (
            "https://nvd.nist.gov/vuln/detail/CVE-2021-44228",
            "advisory",
            "CVE-2021-44228",
        ),
        (
            "https://github.com/advisories/GHSA-jfh8-c2jp-5v3q",
            "advisory",
            "GHSA-jfh8-c2jp-5v3q",
        ),
        (
            "https://news.ycombinator.com/item?id=8863",
            "hackernews",
            "https://news.ycombinator.com/item?id=8863",
        ),
        (
            "https://old.reddit.com/r/rust/comments/1WSZCB6/title/",
            "reddit",
            "https://www.reddit.com/comments/1wszcb6/",
        ),
        (
            "https://redd.it/1wszcb6",
            "reddit",
            "https://www.reddit.com/comments/1wszcb6/",
        ),
        (
            "https://www.reddit.com/r/a/comments/1wszcb6/t/abc123/",
            "reddit",
            "https://www.reddit.com/comments/1wszcb6/_/abc123/",
        ),
        ("0001324424-20-000009", "sec_filing", "0001324424-20-000009"),
        (
            "https://www.sec.gov/Archives/edgar/data/1324424/000132442420000009/a.htm",
            "sec_filing",
            "0001324424-20-000009",
        ),
        (
            "CONT_AWD_N0001917C0015_9700_-NONE-_-NONE-",
            "award",
            "CONT_AWD_N0001917C0015_9700_-NONE-_-NONE-",
        ),
        ("MOH000ETT25000001", "tender", "MOH000ETT25000001"),
        ("rfc0793", "rfc", "RFC 793"),
        ("RFC-9110", "rfc", "RFC 9110"),
        ("https://www.rfc-editor.org/rfc/rfc793.txt", "rfc", "RFC 793"),
        ("https://datatracker.ietf.org/doc/html/rfc9110", "rfc", "RFC 9110"),
        ("ISBN 978-0-306-40615-7", "isbn", "9780306406157"),
    ] {
        assert_eq!(read(text), (kind, id.to_owned()), "{text}");
    }
}

#[test]
fn near_misses_are_not_recognised() {
    for (text, why) in [
        ("", "no_known_form"),
        (
            "Smith et al., On everything, Journal of Things, 2019",
            "no_known_form",
        ),
        ("ISBN 978-0-306-40615-8", "wrong_check_digit"),
        ("9780306406158", "wrong_check_digit"),
        ("10.1000", "no_known_form"),
        ("10.12/abc", "no_known_form"),
        ("1.2.3", "no_known_form"),
        ("2104.123", "no_known_form"),
        ("2104.12255v0", "no_known_form"),
        ("chalk@2.4.2", "no_registry"),
        ("npm:chalk@^2.4.2", "no_known_form"),
        ("npm:chalk@latest", "no_known_form"),
        ("npm:Not A Name@1.0.0", "no_known_form"),
        ("black>=21", "no_known_form"),
        ("acme/tool@", "no_known_form"),
        ("acme/tool@a..b", "no_known_form"),
        ("CVE-2021-44", "no_known_form"),
        ("GHSA-aaaa-bbbb-cccc", "no_known_form"),
        ("0001324424-20-00009", "no_known_form"),
        ("CONT_AWD_", "no_known_form"),
        ("RFC", "no_known_form"),
        ("RFC 123456", "no_known_form"),
        ("someone@example.com", "no_known_form"),
        ("https://user:word@example.com/", "no_known_form"),
        ("ftp://example.com/a", "no_known_form"),
        ("javascript:alert(1)", "no_known_form"),
    ] {
        assert_eq!(read(text), ("-", why.to_owned()), "{text}");
    }
}

fn texts(text: &str) -> (Format, Vec<String>, usize) {
    let gathered = gather(text, 100);
    let references = gathered.references.into_iter().map(|cited| cited.text);
    (gathered.format, references.collect(), gathered.left_out)
}

#[test]
fn bibliographies_give_one_reference_an_entry() {
    let bibtex = r"@string{j = {Journal}}
@article{one, title = {A {Study} of things}, journal = j, doi = {10.1000/182}, url = {https://example.com/one}}
@misc{two, title={Preprint}, eprint={2104.12255}, archivePrefix={arXiv}}
@book{three, title = {Book}, isbn = {978-0-306-40615-7}}
@online{four, title = {Page}, note = {see \url{https://example.com/a_b}}}
@article{five, title = {Nothing to find it by}}";
    let gathered = gather(bibtex, 100);
    assert_eq!(gathered.references[0].title.as_deref(), Some("A Study of things"));
    let (format, references, _) = texts(bibtex);
    assert_eq!(format, Format::Bibtex);
    assert_eq!(
        references,
        [
            "10.1000/182",
            "arXiv:2104.12255",
            "ISBN 978-0-306-40615-7",
            "https://example.com/a_b",
            "Nothing to find it by"
        ]
    );
    let ris = "TY  - JOUR\r\nTI  - A study\r\nDO  - 10.1000/182\r\nUR  - https://example.com\r\nER  - \r\nTY  - BOOK\nT1  - Book\nSN  - 9780306406157\nER  -\n";
    assert_eq!(
        texts(ris),
        (
            Format::Ris,
            vec!["10.1000/182".to_owned(), "ISBN 9780306406157".to_owned()],
            0
        )
    );
    let csl = r#"[{"id": "a", "type": "article", "title": "A study", "DOI": "10.1000/182"}, {"id": "b", "type": "webpage", "URL": "https://example.com/b"}]"#;
    assert_eq!(
        texts(csl),
        (
            Format::CslJson,
            vec!["10.1000/182".to_owned(), "https://example.com/b".to_owned()],
            0
        )
    );
}

/// What is wrong with one entry costs the others nothing.
#[test]
fn broken_bibliographies_lose_no_entry() {
    let good = "@book{kept, title = {Kept}, isbn = {978-0-306-40615-7}}\n";
    for (wrong, expected) in [
        (
            "@article{one, title = {At $4.00 a share}, doi = {10.1000/182}}",
            "10.1000/182",
        ),
        (
            "@article{one, title = {One}, journal = jmlr, month = sept, doi = {10.1000/182}}",
            "10.1000/182",
        ),
        ("@book{kept, title = {Twice}, doi = {10.1000/182}}", "10.1000/182"),
        (
            "@article{one, title = {unclosed, doi = {10.1000/182}",
            "10.1000/182",
        ),
        (
            "@article{one, title = \"an \"inner\" one\", doi = {10.1000/182},}",
            "10.1000/182",
        ),
        ("@misc{one, title = {50% of it}}", "50% of it"),
        (
            "@article(one, title = {Round}, doi = {10.1000/182})",
            "10.1000/182",
        ),
        (
            r"@article{one, title = {One}, doi = {10.1000/1520-0493(1974)102$<$0736:WACOJ$>$2.0.CO;2}}",
            "10.1000/1520-0493(1974)102<0736:WACOJ>2.0.CO;2",
        ),
    ] {
        for text in [[wrong, "\n", good].concat(), [good, wrong].concat()] {
            let (format, references, _) = texts(&text);
            assert_eq!(format, Format::Bibtex, "{text}");
            assert_eq!(references.len(), 2, "{text}: {references:?}");
            assert!(
                references.iter().any(|found| found == expected),
                "{text}: {references:?}"
            );
            assert!(
                references.iter().any(|found| found == "ISBN 978-0-306-40615-7"),
                "{text}: {references:?}"
            );
        }
    }
    for ris in [
        "TY  - JOUR\nDO  - 10.1000/182\nTY  - JOUR\nDO  - 10.1000/183\nER  - \n",
        "TY  - JOUR\nDO  - 10.1000/182\nER  - \nTY  - JOUR\nDO  - 10.1000/183\n",
    ] {
        let expected = vec!["10.1000/182".to_owned(), "10.1000/183".to_owned()];
        assert_eq!(texts(ris), (Format::Ris, expected, 0), "{ris}");
    }
}

/// A package of which the public registry need not know is not asked about as if it did.
#[test]
fn requirements_say_where_packages_come_from() {
    let pins = vec!["pypi:flask@0.12.2".to_owned()];
    for (line, left_out) in [
        ("./vendor/lib", 1),
        ("https://example.com/click.zip", 1),
        ("file:///srv/wheels/a.whl", 1),
        ("pkg @ git+https://github.com/acme/pkg@v1", 1),
        ("-e git+https://github.com/acme/pkg@v1#egg=pkg", 1),
        ("--index-url https://pypi.org/simple/", 0),
    ] {
        let text = format!("{line}\nflask==0.12.2\n");
        assert_eq!(
            texts(&text),
            (Format::Requirements, pins.clone(), left_out),
            "{line}"
        );
    }
    for line in [
        "--index-url https://packages.example/simple",
        "-i https://packages.example/simple",
        "--no-index",
    ] {
        let gathered = gather(&format!("{line}\nflask==0.12.2\n"), 100);
        assert_eq!(gathered.format, Format::Requirements, "{line}");
        assert_eq!((gathered.references.len(), gathered.left_out), (0, 1), "{line}");
        assert!(gathered.is_of_other_index, "{line}");
    }
    let gathered = gather(
        "--extra-index-url https://packages.example/simple\nflask==0.12.2\n",
        100,
    );
    assert_eq!(gathered.references[0].doubt, Some(Doubt::OtherIndex));
}

#[test]
fn what_is_not_seen_is_no_part_of_a_reference() {
    for text in [
        "10.1038/srep\u{ad}16696",
        "10.1038/srep16696\u{200b}",
        "\u{feff}10.1038/srep16696",
    ] {
        assert_eq!(read(text), ("doi", "10.1038/srep16696".to_owned()), "{text:?}");
        assert_eq!(
            gather(text, 100).references,
            [Cited::new("10.1038/srep16696".to_owned())],
            "{text:?}"
        );
    }
}

#[test]
fn lock_files_give_packages_in_their_versions() {
    let npm = r#"{"lockfileVersion": 3, "packages": {"": {"name": "own", "version": "1.0.0"},
        "node_modules/chalk": {"version": "2.4.2", "resolved": "https://registry.npmjs.org/chalk/-/chalk-2.4.2.tgz"},
        "node_modules/a/node_modules/@b/c": {"version": "1.0.0"},
        "node_modules/again/node_modules/chalk": {"version": "2.4.2"},
        "node_modules/linked": {"resolved": "packages/linked", "link": true}, "packages/linked": {"version": "1.0.0"},
        "node_modules/git": {"version": "1.0.0", "resolved": "git+ssh://git@github.com/a/b.git#c"}}}"#;
    assert_eq!(
        texts(npm),
        (
            Format::PackageLock,
            vec!["npm:chalk@2.4.2".to_owned(), "npm:@b/c@1.0.0".to_owned()],
            1
        )
    );
    let old = r#"{"lockfileVersion": 1, "dependencies": {"a": {"version": "1.0.0", "dependencies": {"b": {"version": "2.0.0"}}}, "c": {"version": "file:c"}}}"#;
    assert_eq!(
        texts(old),
        (
            Format::PackageLock,
            vec!["npm:a@1.0.0".to_owned(), "npm:b@2.0.0".to_owned()],
            1
        )
    );
    let cargo = "version = 4\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"bitflags\"\nversion = \"0.7.1\"\n\
        source = \"registry+https://github.com/rust-lang/crates.io-index\"\n[[package]]\nname = \"g\"\nversion = \"1.0.0\"\nsource = \"git+https://example.com/g\"\n";
    assert_eq!(
        texts(cargo),
        (Format::CargoLock, vec!["crates:bitflags@0.7.1".to_owned()], 1)
    );
    let requirements = "# pinned\n-r base.txt\nblack==21.11b0 \\\n    --hash=sha256:aa\nFlask[async]==2.0 ; python_version > '3'\nrequests>=2\n";
    assert_eq!(
        texts(requirements),
        (
            Format::Requirements,
            vec!["pypi:black@21.11b0".to_owned(), "pypi:flask@2.0".to_owned()],
            1
        )
    );
    let go = "golang.org/x/text v0.3.0 h1:aa=\ngolang.org/x/text v0.3.0/go.mod h1:bb=\ngopkg.in/yaml.v2 v2.4.0/go.mod h1:cc=\n";
    assert_eq!(
        texts(go),
        (Format::GoSum, vec!["go:golang.org/x/text@v0.3.0".to_owned()], 0)
    );
}

#[test]
fn the_lock_files_of_pipenv_and_pdm_name_projects_of_pypi() {
    let pipfile = |sources: &str| {
        format!(
            r#"{{"_meta": {{"hash": {{"sha256": "aa"}}, "pipfile-spec": 6, "sources": [{sources}]}},
            "default": {{"Requests": {{"index": "pypi", "hashes": ["sha256:aa"], "version": "==2.31.0"}},
                "own": {{"git": "https://github.com/a/own.git", "ref": "aa"}}, "other": {{"index": "inner", "version": "==1.0"}}}},
            "develop": {{"pytest": {{"markers": "python_version >= '3.8'", "version": "==8.0.0"}}}}}}"#
        )
    };
    let public = r#"{"name": "pypi", "url": "https://pypi.org/simple", "verify_ssl": true}"#;
    let expected = vec!["pypi:requests@2.31.0".to_owned(), "pypi:pytest@8.0.0".to_owned()];
    assert_eq!(
        texts(&pipfile(public)),
        (Format::PipfileLock, expected.clone(), 2)
    );
    assert!(
        gather(&pipfile(public), 50)
            .references
            .iter()
            .all(|one| one.doubt.is_none())
    );
    // Where there is another index, it may be that one that has the package.
    let inner = format!(r#"{public}, {{"name": "inner", "url": "https://pypi.example.com/simple"}}"#);
    let gathered = gather(&pipfile(&inner), 50);
    assert!(
        gathered
            .references
            .iter()
            .all(|one| one.doubt == Some(Doubt::OtherIndex))
    );
    let pdm = "# This file is @generated by PDM.\n\n[metadata]\nlock_version = \"4.4.1\"\n\n[[package]]\nname = \"requests\"\n\
        version = \"2.31.0\"\n\n[[package]]\nname = \"own\"\nversion = \"1.0\"\ngit = \"https://github.com/a/own.git\"\n";
    assert_eq!(
        texts(pdm),
        (Format::CargoLock, vec!["pypi:requests@2.31.0".to_owned()], 1)
    );
}

#[test]
fn a_lock_file_that_is_not_read_is_named() {
    for (name, text) in [
        (
            "composer.lock",
            r#"{"content-hash": "aa", "packages": [{"name": "a/b", "version": "1.0.0", "source": {"url": "https://github.com/a/b.git"}}]}"#,
        ),
        (
            "flake.lock",
            r#"{"nodes": {"nixpkgs": {"locked": {"rev": "aa"}}}, "root": "root", "version": 7}"#,
        ),
        (
            "Package.resolved",
            r#"{"pins": [{"identity": "a", "location": "https://github.com/a/b.git", "state": {"version": "1.0.0"}}], "version": 2}"#,
        ),
        (
            "deno.lock",
            r#"{"version": "4", "specifiers": {"npm:chalk@5": "5.3.0"}, "npm": {"chalk@5.3.0": {}}}"#,
        ),
        (
            "packages.lock.json",
            r#"{"version": 1, "dependencies": {"net8.0": {"A.B": {"resolved": "13.0.3", "contentHash": "aa"}}}}"#,
        ),
        (
            "bun.lock",
            "{\n  \"lockfileVersion\": 1,\n  \"workspaces\": {},\n  \"packages\": {\n    \"@s/b\": [\"@s/b@1.0.0\", \"\", {}, \"aa\"],\n  }\n}\n",
        ),
        (
            "pylock.toml",
            "lock-version = \"1.0\"\n\n[[packages]]\nname = \"httpx\"\nversion = \"0.27.0\"\nindex = \"https://pypi.org/simple\"\n",
        ),
        (
            "Gemfile.lock",
            "GEM\n  remote: https://rubygems.org/\n  specs:\n    rake (13.1.0)\n\nPLATFORMS\n  ruby\n",
        ),
        ("Podfile.lock", "PODS:\n  - A (5.8.1)\n\nDEPENDENCIES:\n  - A\n"),
        (
            "mix.lock",
            "%{\n  \"jason\": {:hex, :jason, \"1.4.1\", \"aa\", [:mix], [], \"hexpm\", \"bb\"},\n}\n",
        ),
        (
            "pubspec.lock",
            "packages:\n  http:\n    dependency: \"direct main\"\n    description:\n      url: \"https://pub.dev\"\n    source: hosted\n",
        ),
        (
            "gradle.lockfile",
            "# This is a Gradle generated file for dependency locking.\ncom.example:a:1.0=runtimeClasspath\n",
        ),
    ] {
        assert_eq!(texts(text), (Format::Unread(name), Vec::new(), 0), "{name}");
    }
    // Documents that have such names and are no lock files.
    for text in [
        r#"{"version": 3, "remote": "https://example.com/a"}"#,
        r#"{"version": "1", "remote": "https://example.com/a"}"#,
        r#"{"nodes": [1], "root": 0, "version": 1, "page": "https://example.com/a"}"#,
    ] {
        assert_eq!(texts(text).0, Format::Text, "{text}");
    }
    let manual = "How bundler locks, see https://example.com/a:\n\nGEM\n  remote: https://rubygems.org/\n  specs:\n    rake (13.1.0)\n";
    assert_eq!(texts(manual).0, Format::Text);
    let text = "{\"content-hash\" and GEM are words. See https://example.com/a.";
    assert_eq!(texts(text).0, Format::Text);
}

#[test]
fn no_more_is_kept_than_is_asked_for() {
    let numbered = |form: fn(usize) -> String| (0..300).map(form).collect::<String>();
    let npm = numbered(|at| format!(",\"node_modules/p{at}\":{{\"version\":\"1.0.{at}\"}}"));
    let source = "registry+https://github.com/rust-lang/crates.io-index";
    let crates: Vec<String> = (0..300)
        .map(|at| format!("[[package]]\nname = \"p{at}\"\nversion = \"1.0.0\"\nsource = \"{source}\"\n"))
        .collect();
    let crates = crates.concat();
    for (text, format) in [
        (numbered(|at| format!("https://example.com/{at} ")), Format::Text),
        (
            numbered(|at| format!("@misc{{k{at}, doi={{10.1000/{at}}}}}\n")),
            Format::Bibtex,
        ),
        (
            numbered(|at| format!("TY  - JOUR\nDO  - 10.1000/{at}\nER  -\n")),
            Format::Ris,
        ),
        (numbered(|at| format!("p{at}==1.0\n")), Format::Requirements),
        (
            numbered(|at| format!("example.com/p{at} v1.0.0 h1:a=\n")),
            Format::GoSum,
        ),
        (
            format!("{{\"lockfileVersion\":3,\"packages\":{{\"\":{{}}{npm}}}}}"),
            Format::PackageLock,
        ),
        (format!("version = 4\n{crates}"), Format::CargoLock),
        (crates, Format::CargoLock),
    ] {
        let gathered = gather(&text, 200);
        assert_eq!(
            (gathered.format, gathered.references.len()),
            (format, 201),
            "{text:.200}"
        );
        assert_eq!(gather(&text, 400).references.len(), 300);
    }
}

/// Tables of a package stand after it, and what one broken package makes of the whole does not depend on its place.
#[test]
fn a_lock_file_is_read_package_by_package() {
    let lock = "# This file is automatically @generated by Poetry\n[[package]]\nname = \"a\"\nversion = \"1\"\n\n\
                [package.dependencies]\nb = \"*\"\n\n[[package]]\nname = \"b\"\nversion = \"2\"\n\n[package.source]\n\
                type = \"git\"\n\n  [[package]]\nname = \"c\"\nversion = \"3\"\n[metadata]\nlock-version = \"2.0\"\n";
    let (format, references, left_out) = texts(lock);
    assert_eq!((format, left_out), (Format::CargoLock, 1));
    assert_eq!(references, ["pypi:a@1", "pypi:c@3"]);
    for broken in [lock.replace("\"1\"", "1\""), lock.replace("\"3\"", "\"3")] {
        assert_ne!(texts(&broken).0, Format::CargoLock, "{broken}");
    }
    let large = lock.replacen(
        "[package.dependencies]",
        &format!("x = \"{}\"", "x".repeat(300 << 10)),
        1,
    );
    assert_eq!(texts(&large).2, 2);
}

proptest! {
    #[test]
    fn a_normal_form_is_recognised_as_itself(text in "\\PC{0,60}|(10\\.[0-9]{4}/|arXiv:|npm:|pypi:|go:|https://(doi.org|github.com|reddit.com|example.com)/|a/|RFC |ISBN )[ -~]{0,30}") {
        if let Ok(found) = recognise(&text) {
            let again = recognise(&found.id());
            prop_assert_eq!(again.as_ref().map(Reference::id), Ok(found.id()), "{}", text);
            prop_assert_eq!(again.map(|again| again.kind()), Ok(found.kind()));
        }
    }

    #[test]
    fn any_document_is_survived(text in "(\\PC|\n|@article\\{|TY  - |\\[\\[package\\]\\]|==){0,80}") {
        let gathered = gather(&text, 100);
        prop_assert!(gathered.references.len() <= text.len());
    }
}

/// Lock files of Yarn and pnpm, in each of their forms.
#[test]
fn lock_files_of_yarn_and_pnpm_give_packages_in_their_versions() {
    let classic = "# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.\n# yarn lockfile v1\n\n\n\
        \"@babel/core@^7.0.0\", \"@babel/core@^7.1.0\":\n  version \"7.1.0\"\n  resolved \"https://registry.yarnpkg.com/@babel/core/-/core-7.1.0.tgz#aa\"\n  \
        dependencies:\n    chalk \"^2.0.0\"\n    version \"^9.9.9\"\n\n\
        chalk@^2.0.0:\n  version \"2.4.2\"\n  resolved \"https://registry.npmjs.org/chalk/-/chalk-2.4.2.tgz\"\n\n\
        short@npm:left-pad@^1.0.0:\n  version \"1.3.0\"\n  resolved \"https://registry.yarnpkg.com/left-pad/-/left-pad-1.3.0.tgz\"\n\n\
        own@git+https://example.com/own.git:\n  version \"1.0.0\"\n  resolved \"git+https://example.com/own.git#aa\"\n";
    let berry = "# This file is generated by running \"yarn install\" inside your project.\n\n__metadata:\n  version: 8\n  cacheKey: 10c0\n\n\
        \"@babel/core@npm:^7.0.0, @babel/core@npm:^7.1.0\":\n  version: 7.1.0\n  resolution: \"@babel/core@npm:7.1.0\"\n  dependencies:\n    resolution: \"npm:^1.0.0\"\n  \
        checksum: 10c0/aa\n  languageName: node\n  linkType: hard\n\n\
        \"chalk@npm:^2.0.0\":\n  version: 2.4.2\n  resolution: \"chalk@npm:2.4.2\"\n\n\
        \"short@npm:left-pad@^1.0.0\":\n  version: 1.3.0\n  resolution: \"left-pad@npm:1.3.0\"\n\n\
        \"own@workspace:.\":\n  version: 0.0.0-use.local\n  resolution: \"own@workspace:.\"\n\n\
        \"other@https://github.com/a/other.git\":\n  version: 1.0.0\n  resolution: \"other@https://github.com/a/other.git#commit=aa\"\n";
    let wanted = vec![
        "npm:@babel/core@7.1.0".to_owned(),
        "npm:chalk@2.4.2".to_owned(),
        "npm:left-pad@1.3.0".to_owned(),
    ];
    assert_eq!(texts(classic), (Format::YarnLock, wanted.clone(), 1));
    assert_eq!(texts(berry), (Format::YarnLock, wanted, 1));

    let wanted = vec![
        "npm:@babel/core@7.1.0".to_owned(),
        "npm:chalk@2.4.2".to_owned(),
        "npm:react-dom@18.2.0".to_owned(),
    ];
    let nine = "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n\nimporters:\n\n  .:\n    dependencies:\n      chalk:\n        specifier: ^2.0.0\n        version: 2.4.2\n\n\
        packages:\n\n  '@babel/core@7.1.0':\n    resolution: {integrity: sha512-aa==}\n    engines: {node: '>=6.9.0'}\n\n  chalk@2.4.2:\n    resolution: {integrity: sha512-bb==}\n\n  \
        react-dom@18.2.0:\n    resolution: {integrity: sha512-cc==}\n    peerDependencies:\n      react: ^18.2.0\n\n  \
        other@https://codeload.github.com/a/other/tar.gz/aa:\n    resolution: {tarball: https://codeload.github.com/a/other/tar.gz/aa}\n    version: 1.0.0\n\n\
        snapshots:\n\n  '@babel/core@7.1.0': {}\n\n  react-dom@18.2.0(react@18.2.0):\n    dependencies:\n      react: 18.2.0\n";
    let six = "lockfileVersion: '6.0'\n\npackages:\n\n  /@babel/core@7.1.0:\n    resolution: {integrity: sha512-aa==}\n    dev: true\n\n  /chalk@2.4.2:\n    resolution: {integrity: sha512-bb==}\n    dev: false\n\n  \
        /react-dom@18.2.0(react@18.2.0):\n    resolution: {integrity: sha512-cc==}\n\n  \
        github.com/a/other/aa:\n    resolution: {tarball: https://codeload.github.com/a/other/tar.gz/aa}\n    name: other\n    version: 1.0.0\n";
    let five = "lockfileVersion: 5.4\n\nspecifiers:\n  chalk: ^2.0.0\n\npackages:\n\n  /@babel/core/7.1.0:\n    resolution: {integrity: sha512-aa==}\n    dev: true\n\n  /chalk/2.4.2:\n    resolution: {integrity: sha512-bb==}\n    dev: false\n\n  \
        /react-dom/18.2.0_react@18.2.0:\n    resolution: {integrity: sha512-cc==}\n\n  \
        file:../own:\n    resolution: {directory: ../own, type: directory}\n    name: own\n";
    for text in [nine, six, five] {
        assert_eq!(texts(text), (Format::PnpmLock, wanted.clone(), 1), "{text}");
    }
}

#[test]
fn what_looks_like_such_a_lock_file_and_is_none_is_read_as_text() {
    for text in [
        "lockfileVersion: '9.0'\npackages: [unclosed\n 10.1000/182",
        "__metadata:\n\tversion: {\n10.1000/182",
        "The file begins with `lockfileVersion` in each release: see 10.1000/182",
    ] {
        let (format, references, _) = texts(text);
        assert_eq!(
            (format, references),
            (Format::Text, vec!["10.1000/182".to_owned()]),
            "{text}"
        );
    }
    // Aliases are not expanded, however many there are.
    let mut bomb = "lockfileVersion: 9\na0: &a0 {x: y}\n".to_owned();
    for level in 1..40 {
        let below = level - 1;
        bomb.extend([format!(
            "a{level}: &a{level} [*a{below}, *a{below}, *a{below}, *a{below}]
"
        )]);
    }
    bomb.push_str("packages: *a39\n");
    assert_eq!(texts(&bomb).1, Vec::<String>::new());
}
