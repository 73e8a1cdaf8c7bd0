//! What tells a model how to use the server: the skill, the prompts, and the plugins that carry both.

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{LEGACY, MODERN, Session, command};
use crate::run::block_on;
use crate::{root, verdict};

const SKILL: &str = "skill://freshcontext/SKILL.md";
const EXTENSION: &str = "io.modelcontextprotocol/skills";

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("guidance::skill", || block_on(skill())),
        Trial::test("guidance::prompts", || block_on(prompts())),
        Trial::test("guidance::names_of_tools", || block_on(names())),
        Trial::test("guidance::plugins", || verdict(plugins())),
    ]
}

/// The skill is the repository's file, in every revision, and its entry has its front matter and its digest.
async fn skill() -> Result<(), Failed> {
    let file = std::fs::read_to_string(root().join("skills/freshcontext/SKILL.md"))?;
    let mut complaints = Vec::new();
    for version in [LEGACY[0], LEGACY[3], MODERN] {
        let mut session = Session::open(command(&["stdio"]), version).await;
        let read = session.ask("resources/read", json!({"uri": SKILL})).await;
        let content = &read["result"]["contents"][0];
        if content["text"] != file.as_str() || content["mimeType"] != "text/markdown" {
            complaints.push(format!("{version}: {read}"));
        }
        let listed = session.ask("skills/list", json!({})).await;
        let got = session.ask("skills/get", json!({"uri": SKILL})).await;
        let entry = &listed["result"]["skills"][0];
        let digest = entry["resources"][0]["digest"].as_str().unwrap_or_default();
        let hex = digest.strip_prefix("sha256:").unwrap_or_default();
        let mut keys: Vec<String> = Vec::new();
        for line in file.lines().skip(1).take_while(|line| *line != "---") {
            let (key, value) = line.split_once(": ").ok_or("a line of front matter")?;
            keys.push(key.to_owned());
            if entry["frontmatter"][key] != value {
                complaints.push(format!("{version}: {key}: {entry}"));
            }
        }
        let has = entry["frontmatter"].as_object().map_or(0, serde_json::Map::len);
        if entry["uri"] != SKILL || hex.len() != 64 || has != keys.len() || &got["result"]["skill"] != entry {
            complaints.push(format!("{version}: {listed} {got}"));
        }
        if (version == MODERN) != (listed["result"]["resultType"] == "complete") {
            complaints.push(format!("{version}: {listed}"));
        }
        for (method, params) in [
            ("skills/get", json!({"uri": "skill://other/SKILL.md"})),
            ("skills/get", json!({})),
            ("skills/list", json!({"cursor": "forged"})),
        ] {
            let refused = session.ask(method, params).await;
            if refused["error"]["code"] != -32_602 {
                complaints.push(format!("{version} {method}: {refused}"));
            }
        }
    }
    let mut session = Session::open(command(&["stdio"]), MODERN).await;
    let found = session.ask("server/discover", json!({})).await;
    if found["result"]["capabilities"]["extensions"][EXTENSION] != json!({}) {
        complaints.push(format!("the extension is not declared: {found}"));
    }
    verdict(complaints)
}

/// Each prompt is listed with described arguments, filled in as given, and refused where it cannot be.
async fn prompts() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for version in [LEGACY[0], LEGACY[3], MODERN] {
        let mut session = Session::open(command(&["stdio"]), version).await;
        let listed = session.ask("prompts/list", json!({})).await;
        let prompts = listed["result"]["prompts"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let names: Vec<&Value> = prompts.iter().map(|prompt| &prompt["name"]).collect();
        if names != ["what_changed", "is_it_still_true", "brief_me", "pick_a_library"] {
            complaints.push(format!("{version}: {listed}"));
        }
        for prompt in &prompts {
            let arguments = prompt["arguments"].as_array().cloned().unwrap_or_default();
            let described = |one: &Value| one["description"].as_str().is_some_and(|text| text.len() > 10);
            if arguments.is_empty() || !arguments.iter().all(described) || !described(prompt) {
                complaints.push(format!("{version}: {prompt}"));
            }
            // An argument that looks like another's place stays as it is.
            let required = arguments.iter().filter(|one| one["required"] == true);
            let given: serde_json::Map<String, Value> = required
                .map(|one| {
                    (
                        one["name"].as_str().unwrap_or_default().to_owned(),
                        "a {since} {focus} b".into(),
                    )
                })
                .collect();
            let params = json!({"name": prompt["name"], "arguments": given});
            let got = session.ask("prompts/get", params).await;
            let message = &got["result"]["messages"][0];
            let text = message["content"]["text"].as_str().unwrap_or_default();
            let filled = text.replace("a {since} {focus} b", "");
            if message["role"] != "user" || filled.len() + 19 != text.len() || filled.contains('{') {
                complaints.push(format!("{version}: {got}"));
            }
        }
        let long = "x".repeat(2_001);
        for params in [
            json!({"name": "nonsense"}),
            json!({"name": "brief_me"}),
            json!({"name": "brief_me", "arguments": {"topic": " "}}),
            json!({"name": "brief_me", "arguments": {"topic": 5}}),
            json!({"name": "brief_me", "arguments": {"topic": "x", "nonsense": "x"}}),
            json!({"name": "brief_me", "arguments": {"topic": long}}),
            json!({"arguments": {}}),
        ] {
            let refused = session.ask("prompts/get", params.clone()).await;
            if refused["error"]["code"] != -32_602 {
                complaints.push(format!("{version} {params:.200}: {refused}"));
            }
        }
        let ask = |name: &str, value: &str| json!({"ref": {"type": "ref/prompt", "name": "pick_a_library"}, "argument": {"name": name, "value": value}});
        let completed = session.ask("completion/complete", ask("ecosystem", "P")).await;
        if completed["result"]["completion"]["values"] != json!(["PyPI"]) {
            complaints.push(format!("{version}: {completed}"));
        }
        let refused = session.ask("completion/complete", ask("nonsense", "")).await;
        let other =
            json!({"ref": {"type": "ref/resource", "uri": SKILL}, "argument": {"name": "a", "value": ""}});
        let resource = session.ask("completion/complete", other).await;
        for refused in [refused, resource] {
            if refused["error"]["code"] != -32_602 {
                complaints.push(format!("{version}: {refused}"));
            }
        }
    }
    verdict(complaints)
}

/// The skill and the prompts name only tools that there are.
async fn names() -> Result<(), Failed> {
    let mut session = Session::open(command(&["stdio", "--toolset", "all"]), MODERN).await;
    let listed = session.ask("tools/list", json!({})).await;
    let tools: Vec<String> = listed["result"]["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| Some(tool["name"].as_str()?.to_owned()))
        .collect();
    let mut texts = vec![std::fs::read_to_string(
        root().join("skills/freshcontext/SKILL.md"),
    )?];
    for (name, argument) in [
        ("what_changed", "subject"),
        ("is_it_still_true", "claim"),
        ("brief_me", "topic"),
        ("pick_a_library", "need"),
    ] {
        let got = session
            .ask("prompts/get", json!({"name": name, "arguments": {argument: "x"}}))
            .await;
        texts.push(
            got["result"]["messages"][0]["content"]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        );
    }
    let mut complaints = Vec::new();
    for text in texts {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let beginnings = ["extract_", "search_", "package_", "evaluate_", "check_"];
        for word in words.filter(|word| beginnings.iter().any(|begin| word.starts_with(begin))) {
            if !tools.iter().any(|tool| tool == word) {
                complaints.push(format!("there is no tool {word}"));
            }
        }
    }
    verdict(complaints)
}

/// The plugins have this version, start this server, and carry this skill.
fn plugins() -> Vec<String> {
    let mut complaints = Vec::new();
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(root().join(name)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    };
    let server = json!({"freshcontext": {"command": "freshcontext", "args": ["stdio"]}});
    let claude = read(".claude-plugin/plugin.json");
    let codex = read(".codex-plugin/plugin.json");
    for (name, plugin) in [(".claude-plugin", &claude), (".codex-plugin", &codex)] {
        if plugin["name"] != "freshcontext" || plugin["version"] != freshcontext_mcp::VERSION {
            complaints.push(format!("{name}/plugin.json: {plugin}"));
        }
        if plugin["description"] != freshcontext_mcp::DESCRIPTION {
            complaints.push(format!("{name}/plugin.json: another description"));
        }
    }
    let marketplace = read(".claude-plugin/marketplace.json");
    if claude["mcpServers"] != server || marketplace["plugins"][0]["source"] != "./" {
        complaints.push(format!("Claude Code: {claude} {marketplace}"));
    }
    let path = |value: &Value| root().join(value.as_str().unwrap_or("?"));
    if read(".codex-plugin/mcp.json")["mcpServers"] != server
        || !path(&codex["mcpServers"]).is_file()
        || !path(&codex["skills"]).join("freshcontext/SKILL.md").is_file()
    {
        complaints.push(format!("Codex: {codex}"));
    }
    complaints
}
