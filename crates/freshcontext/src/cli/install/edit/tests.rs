use super::*;
use crate::cli::install::clients::Ask;

fn rules(form: Form) -> Rules {
    Rules {
        name: "a client",
        file: "file".into(),
        form,
        section: if form == Form::Toml {
            "mcp_servers"
        } else {
            "mcpServers"
        },
        says_stdio: form == Form::JsonWithComments,
        ask: Ask::Never,
        link: None,
    }
}

fn start() -> Start {
    Start {
        command: "/opt/bin/freshcontext".to_owned(),
        arguments: vec!["stdio".to_owned()],
        ..Start::default()
    }
}

#[test]
fn a_new_file_is_written_as_a_person_would() {
    assert_eq!(
        with("", &rules(Form::Json), &start()).unwrap(),
        "{\n  \"mcpServers\": {\n    \"freshcontext\": {\n      \"command\": \"/opt/bin/freshcontext\",\n      \"args\": [\"stdio\"]\n    }\n  }\n}\n"
    );
    assert_eq!(
        with("", &rules(Form::Toml), &start()).unwrap(),
        "[mcp_servers.freshcontext]\ncommand = \"/opt/bin/freshcontext\"\nargs = [\"stdio\"]\n"
    );
}

#[test]
fn what_is_there_stays_and_a_second_time_changes_nothing() {
    let json = "{\r\n\t\"theme\": \"dark\",\r\n\t\"mcpServers\": {\r\n\t\t\"other\": { \"command\": \"x\" }\r\n\t}\r\n}\r\n";
    let commented = "// mine\n{\n    \"mcpServers\": {\n        // the other\n        \"other\": {\"command\": \"x\"}, // kept\n    },\n}\n";
    let toml =
        "# mine\nmodel = \"m\" # kept\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[tail]\nx = 1 # end\n";
    let inline = "mcp_servers = { other = { command = \"x\" } }\n";
    for (text, form) in [
        (json, Form::Json),
        (commented, Form::JsonWithComments),
        (toml, Form::Toml),
        (inline, Form::Toml),
    ] {
        let rules = rules(form);
        let once = with(text, &rules, &start()).unwrap();
        assert!(once.contains(NAME), "{once}");
        for line in text
            .lines()
            .filter(|line| line.contains("kept") || line.contains("mine") || line.contains("dark"))
        {
            assert!(once.contains(line), "{line} is not in {once}");
        }
        assert_eq!(once.contains("\r\n"), text.contains("\r\n"), "{once:?}");
        assert_eq!(with(&once, &rules, &start()).unwrap(), once);
        let back = without(&once, &rules).unwrap().unwrap();
        assert_eq!(back, text, "not a byte of what is beside the entry differs");
        assert!(!back.contains(NAME) && back.contains("other"), "{back}");
        assert_eq!(without(&back, &rules).unwrap(), None);
    }
}

#[test]
fn keys_in_an_earlier_entry_stay() {
    let json = r#"{"mcpServers": {"freshcontext": {"command": "old", "env": {"GITHUB_TOKEN": "x"}}}}"#;
    let new = with(json, &rules(Form::Json), &start()).unwrap();
    let new: serde_json::Value = serde_json::from_str(&new).unwrap();
    let entry = &new["mcpServers"]["freshcontext"];
    assert_eq!(entry["command"], "/opt/bin/freshcontext");
    assert_eq!(entry["args"][0], "stdio");
    assert_eq!(entry["env"]["GITHUB_TOKEN"], "x");
}

#[test]
fn what_cannot_be_edited_for_certain_is_refused() {
    for (text, form) in [
        ("{\"mcpServers\": {}", Form::Json),
        ("{\"mcpServers\": {} // no comments here\n}", Form::Json),
        ("{\"mcpServers\": {},}", Form::Json),
        ("[]", Form::Json),
        ("{\"mcpServers\": []}", Form::Json),
        ("{\"mcpServers\": {}, \"mcpServers\": {}}", Form::Json),
        (
            "{\"mcpServers\": {\"freshcontext\": {\"url\": \"http://127.0.0.1/\"}}}",
            Form::Json,
        ),
        ("{'mcpServers': {}}", Form::JsonWithComments),
        ("[mcp_servers\n", Form::Toml),
        ("mcp_servers = 1\n", Form::Toml),
    ] {
        assert!(with(text, &rules(form), &start()).is_err(), "{text}");
    }
}

/// Texts in various notations, and the result of `with`.
#[test]
fn each_text_is_edited_as_it_is_written() {
    let entry = "\"freshcontext\":{\"command\":\"/opt/bin/freshcontext\",\"args\":[\"stdio\"]}";
    for (text, new) in [
        (
            "{\"mcpServers\":{\"a\":{}}}",
            format!("{{\"mcpServers\":{{\"a\":{{}},{entry}}}}}"),
        ),
        ("{\"x\":1}", format!("{{\"x\":1,\"mcpServers\":{{{entry}}}}}")),
    ] {
        let once = with(text, &rules(Form::Json), &start()).unwrap();
        assert_eq!(once, new);
        let npx = Start {
            command: "npx".to_owned(),
            arguments: vec!["-y".to_owned(), "freshcontext".to_owned(), "stdio".to_owned()],
            ..Start::default()
        };
        // The result does not depend on the previous edits.
        let changed = with(&once, &rules(Form::Json), &npx).unwrap();
        assert_eq!(changed, with(text, &rules(Form::Json), &npx).unwrap());
    }
}

/// Removing the entry leaves everything else unchanged.
#[test]
fn everything_beside_the_entry_stays() {
    let entry = "\"freshcontext\": { \"command\": \"x\", \"args\": [\"stdio\"] }";
    for (text, rest) in [
        ("{\"servers\": {@}}", "{\"servers\": {}}"),
        ("{\"servers\": { @, \"b\": 1 }}", "{\"servers\": { \"b\": 1 }}"),
        ("{\"servers\": { \"a\": 1, @ }}", "{\"servers\": { \"a\": 1 }}"),
        ("{\"servers\": { \"a\": 1, @, }}", "{\"servers\": { \"a\": 1, }}"),
        (
            "{\"servers\": {\n  // mine\n  @\n}}",
            "{\"servers\": {\n  // mine\n}}",
        ),
        (
            "{\"servers\": {\n  \"a\": 1, // one\n  @ // mine\n  /* two */\n}}",
            "{\"servers\": {\n  \"a\": 1 // one\n // mine\n  /* two */\n}}",
        ),
        (
            "{\"servers\": {\n  @ /* mine */, // two\n  \"b\": 1\n}}",
            "{\"servers\": {\n /* mine */ // two\n  \"b\": 1\n}}",
        ),
    ] {
        let rules = rules(Form::JsonWithComments);
        let rules = Rules {
            section: "servers",
            ..rules
        };
        let text = text.replace('@', entry);
        let found = without(&text, &rules).unwrap().unwrap();
        assert_eq!(found, rest, "{text}");
    }
    let toml =
        "# mine\n[mcp_servers.freshcontext] \ncommand = \"x\"\nargs = [\"stdio\"]\n\n# next\n[a]\nb = 1\n";
    let found = without(toml, &rules(Form::Toml)).unwrap().unwrap();
    assert_eq!(found, "# mine\n\n# next\n[a]\nb = 1\n");
}

/// An entry counts as `install`'s if it contains exactly what `install` writes.
#[test]
fn hand_written_entries_are_distinguished_from_installed_ones() {
    let by_hand = |text: &str, form: Form| {
        let found = entry(text, &rules(form)).unwrap().unwrap();
        found.by_hand.is_some()
    };
    let json = |entry: &str| format!("{{\"mcpServers\": {{\"freshcontext\": {entry}}}}}");
    for (entry, person) in [
        (
            r#"{"command": "npx", "args": ["-y", "freshcontext", "stdio"]}"#,
            false,
        ),
        (r#"{"type": "stdio", "command": "x", "args": ["stdio"]}"#, false),
        (
            r#"{"command": "x", "args": ["stdio"], "env": {"GITHUB_TOKEN": ""}}"#,
            true,
        ),
        (r#"{"command": "x", "args": ["stdio", "--log", "debug"]}"#, true),
        (r#"{"command": "x", "args": []}"#, true),
        (r#"{"command": "x"}"#, true),
        (r#"{"type": "http", "url": "http://127.0.0.1:1/mcp"}"#, true),
        (r#""x""#, true),
    ] {
        assert_eq!(by_hand(&json(entry), Form::Json), person, "{entry}");
    }
    let commented = json("{\"command\": \"x\", // mine\n\"args\": [\"stdio\"]}");
    assert!(by_hand(&commented, Form::JsonWithComments));
    let table = "[mcp_servers.freshcontext]\ncommand = \"#x\"\nargs = [\"stdio\"]\n";
    for (text, person) in [
        (table.to_owned(), false),
        (table.replace('\n', "\r\n"), false),
        (table.replace("x\"\n", "x\" # mine\n"), true),
        (table.replace("]\nc", "] # mine\nc"), true),
        (table.replace("[\"stdio", "[ # mine\n\"stdio"), true),
        (format!("{table}env = {{ A = \"\" }}\n"), true),
        (format!("{table}[mcp_servers.freshcontext.env]\nA = \"\"\n"), true),
        (
            "mcp_servers.freshcontext = { command = \"x\", args = [\"stdio\"] }\n".to_owned(),
            false,
        ),
        (
            "mcp_servers.freshcontext.command = \"x\"\nmcp_servers.freshcontext.args = [\"stdio\"]\n"
                .to_owned(),
            true,
        ),
    ] {
        assert_eq!(by_hand(&text, Form::Toml), person, "{text}");
        let rest = without(&text, &rules(Form::Toml)).unwrap().unwrap();
        assert!(!rest.contains(NAME), "{rest}");
    }
}

/// Errors appear on the screen, and the text may contain keys.
#[test]
fn no_error_repeats_the_text() {
    for (text, form) in [
        ("{\"mcpServers\": {\"a\": kept-secret}}", Form::Json),
        ("{\"mcpServers\": {\"a\": \"kept-secret}}", Form::Json),
        ("{\"mcpServers\": {\"kept-secret\" 1}}", Form::JsonWithComments),
        ("{\"a\": \"\\ukept-secret\"}", Form::JsonWithComments),
        ("kept-secret = kept-secret\n", Form::Toml),
        ("kept-secret = 1\nkept-secret = 2\n", Form::Toml),
        ("a = \"kept-secret\n", Form::Toml),
    ] {
        let said = with(text, &rules(form), &start()).unwrap_err();
        assert!(!said.contains("kept"), "{said}");
        assert!(said.contains("line"), "{said}");
    }
}

/// YAML as goose, and as a person, writes it.
#[test]
fn each_yaml_keeps_what_is_beside_the_entry() {
    let rules = Rules {
        section: "extensions",
        ask: Ask::List("env_keys"),
        ..rules(Form::Yaml)
    };
    let mut start = start();
    start.env.insert("KEY".to_owned(), "a \"b\" # c".to_owned());
    start.names.insert("OTHER".to_owned());
    for text in [
        "",
        "# mine\n",
        "# mine",
        "---\nA: 1\n",
        "A: 1",
        "A: ä # kept ü\nextensions:\n  other:\n    cmd: ö\n",
        "extensions:\n    other: {cmd: x, args: []}  # kept\nB: |\n  text\n\nC: >+\n  more\n\n",
        "extensions:\n  other:\n    args:\n    - a\n    - b\n    # kept\n\n# kept\nB: 1\n",
        "extensions:\r\n  other:\r\n    cmd: x\r\nB: 1\r\n",
        "extensions: {} # kept\nB: 1\n",
        "extensions:\nB: 1\n",
        "extensions:",
        "A: &a {x: 1}\nB: *a\nextensions:\n  other:\n    <<: *a\n",
    ] {
        let once = with(text, &rules, &start).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(with(&once, &rules, &start).unwrap(), once, "{text:?}");
        assert_eq!(
            entry(&once, &rules).unwrap().unwrap().start,
            Some(start.clone()),
            "{once}"
        );
        for line in text.lines().filter(|line| !line.starts_with("extensions:")) {
            assert!(once.contains(line), "{line:?} is not in {once}");
        }
        assert_eq!(once.contains("# kept"), text.contains("# kept"), "{once}");
        let back = without(&once, &rules).unwrap().unwrap();
        assert_eq!(without(&back, &rules).unwrap(), None, "{back}");
        if text.contains("other:") {
            assert_eq!(back, text);
        }
    }
    for text in [
        "extensions: [a]\n",
        "extensions: {other: {cmd: x}}\n",
        "{extensions: {}}\n",
        "extensions: *a\n",
        "a: 1\n---\nb: 1\n",
        "- a\n",
        "extensions:\n  a: 1\nextensions:\n  b: 1\n",
        "extensions:\n  freshcontext:\n    cmd: x\n    args: [stdio] # mine\n",
        "extensions: \"kept-secret\n",
    ] {
        let said = with(text, &rules, &start).unwrap_err();
        assert!(!said.contains("kept"), "{said}");
    }
}
