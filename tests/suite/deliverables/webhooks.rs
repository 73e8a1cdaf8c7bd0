//! Webhooks: a loopback receiver behind the real HTTP client, and processes that end in between.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use hmac::{Hmac, KeyInit as _, Mac as _};
use libtest_mimic::Failed;
use serde_json::Value;
use sha2::Sha256;
use tokio::process::Command;

use super::setup::{ensure, stories};
use crate::places::Kept;
use crate::process::{self, Finished, finish};
use crate::upstreams::reply;
use crate::wire::{HttpServer, until};

const RECEIVER: &str = "hooks.example.com";
const ADDRESS: &str = "https://hooks.example.com/in/private-part";
const SOURCE: &str = "extract_hackernews url=rust";
/// Longest lease in these tests: an ended process holds its webhook as long.
const HASTE: [(&str, &str); 5] = [
    ("FRESHCONTEXT_LIMIT_WEBHOOK_RETRY_MS", "50"),
    ("FRESHCONTEXT_LIMIT_CONNECT_MS", "2000"),
    ("FRESHCONTEXT_LIMIT_TLS_MS", "500"),
    ("FRESHCONTEXT_LIMIT_FIRST_BYTE_MS", "2000"),
    ("FRESHCONTEXT_LIMIT_STORE_OPERATION_MS", "4000"),
];

/// What the source and the receiver answer, changeable between two steps.
#[derive(Clone)]
struct World {
    said: Arc<Mutex<(Reply, Reply)>>,
    upstream: Arc<ScriptedUpstream>,
}

impl World {
    async fn start() -> Result<Self, Failed> {
        let said = Arc::new(Mutex::new((
            stories(&[(1, "First")], None),
            reply(200, "text/plain", ""),
        )));
        let answers = Arc::clone(&said);
        let upstream = ScriptedUpstream::start(move |request| {
            let said = answers.lock().unwrap_or_else(PoisonError::into_inner);
            if request.host == RECEIVER {
                said.1.clone()
            } else {
                said.0.clone()
            }
        })
        .await?;
        Ok(Self {
            said,
            upstream: Arc::new(upstream),
        })
    }

    fn source(&self, reply: Reply) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).0 = reply;
    }

    fn receiver(&self, reply: Reply) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).1 = reply;
    }

    /// Requests that the receiver got.
    fn posts(&self) -> Vec<SeenRequest> {
        let all = self.upstream.requests();
        all.into_iter()
            .filter(|request| request.host == RECEIVER)
            .collect()
    }

    fn command(&self, kept: &Kept, arguments: &[&str], minute: u32) -> Command {
        let now = format!("2026-11-23T09:{minute:02}:00Z");
        let mut command = kept.command(arguments, &now, &self.upstream.base());
        command.envs(HASTE);
        command
    }

    async fn run(&self, kept: &Kept, arguments: &[&str], minute: u32) -> Finished {
        finish(self.command(kept, arguments, minute), "").await
    }

    /// A process that reads the machine's clock.
    fn now(&self, kept: &Kept, arguments: &[&str]) -> Command {
        let mut command = kept.process(arguments);
        command
            .env("FRESHCONTEXT_UPSTREAM", format!("*={}", self.upstream.base()))
            .envs(HASTE);
        command
    }

    async fn serve(&self, kept: &Kept) -> HttpServer {
        HttpServer::of(self.now(kept, &["http", "--addr", "127.0.0.1:0", "--toolset", "time"])).await
    }
}

fn status(status: u16) -> Reply {
    reply(status, "text/plain", "")
}

/// A change as the receiver reads it, if its signature is right.
fn verified(post: &SeenRequest, secret: &str) -> Result<Value, Failed> {
    let head = |name: &str| post.header(name).unwrap_or_default().to_owned();
    let key = STANDARD.decode(secret.trim_start_matches("whsec_"))?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key)?;
    mac.update(format!("{}.{}.", head("webhook-id"), head("webhook-timestamp")).as_bytes());
    mac.update(&post.body);
    let signed = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    ensure(head("webhook-signature") == signed, "the signature is another")?;
    ensure(
        head("content-type") == "application/json" && post.method == "POST",
        "its form",
    )?;
    ensure(head("webhook-timestamp").parse::<i64>().is_ok(), "seconds")?;
    Ok(serde_json::from_slice(&post.body)?)
}

async fn defined(world: &World, kept: &Kept) -> Result<String, Failed> {
    let add = [
        "deliverable",
        "add",
        "brief",
        "--source",
        SOURCE,
        "--notify",
        ADDRESS,
    ];
    let done = world.run(kept, &add, 0).await;
    ensure(done.code == Some(0), &done.stderr)?;
    let secret = done
        .stdout
        .split_whitespace()
        .find(|word| word.starts_with("whsec_"));
    Ok(secret.ok_or("the secret is shown once")?.to_owned())
}

/// Versions that were made while the receiver failed are posted in order by a process that started later, although the one
/// before it was killed in the middle: each is taken once, by its id.
pub(super) async fn after_a_restart(kept: Kept) -> Result<(), Failed> {
    let world = World::start().await?;
    let secret = defined(&world, &kept).await?;
    world.receiver(status(500));
    let generate = ["deliverable", "generate", "brief"];
    let first = world.run(&kept, &generate, 1).await;
    ensure(
        first.code == Some(0)
            && first
                .stderr
                .contains("webhook: brief: change 1 waits: the receiver answered 500"),
        format!("{first:?}"),
    )?;
    world.source(stories(&[(2, "Second"), (1, "First")], None));
    let second = world.run(&kept, &generate, 3).await;
    ensure(second.code == Some(0), format!("{second:?}"))?;
    let posts = world.posts();
    ensure(posts.len() == 2, format!("{} attempts", posts.len()))?;
    let list = world.run(&kept, &["deliverable", "list"], 4).await;
    ensure(
        list.stdout
            .contains("webhook https://hooks.example.com/...: 0 delivered, 2 waiting; 2 attempts failed")
            && !list.stdout.contains("private-part")
            && !list.stdout.contains("whsec_"),
        &list.stdout,
    )?;
    let shown = world.run(&kept, &["deliverable", "show", "brief"], 4).await;
    ensure(shown.stdout.contains("2 waiting"), &shown.stdout)?;

    // The receiver takes the request, and the process is killed before it hears of that.
    world.receiver(status(0));
    let mut killed = world.serve(&kept).await;
    until("a post", async || world.posts().len() > 2).await;
    killed.child.kill().await?;
    world.receiver(status(204));
    let mut server = world.serve(&kept).await;
    until("both", async || {
        let list = world.run(&kept, &["deliverable", "list"], 5).await;
        list.stdout.contains("2 delivered\n")
    })
    .await;
    // Both post: a lease holds among clocks that agree.
    let third = finish(world.now(&kept, &generate), "").await;
    ensure(third.code == Some(0), format!("{third:?}"))?;
    until("the third", async || {
        let list = world.run(&kept, &["deliverable", "list"], 7).await;
        list.stdout.contains("3 delivered\n")
    })
    .await;
    process::signal(server.process(), "TERM");
    let ended = tokio::time::timeout(process::PATIENCE, server.child.wait()).await??;
    ensure(ended.success(), ended)?;

    let posts = world.posts();
    let mut read = Vec::new();
    for post in &posts {
        let id = post.header("webhook-id").unwrap_or_default().to_owned();
        read.push((id, verified(post, &secret)?));
    }
    // The attempts of one change are the same document under the same id.
    let ids: BTreeSet<&str> = read.iter().map(|(id, _)| id.as_str()).collect();
    ensure(ids.len() == 3, format!("{ids:?}"))?;
    for (id, body) in &read {
        ensure(
            read.iter().all(|(other, found)| (other == id) == (found == body)),
            "an id stands for one document",
        )?;
    }
    let sequence: Vec<i64> = read
        .iter()
        .filter_map(|(_, body)| body["data"]["sequence"].as_i64())
        .collect();
    ensure(
        sequence.is_sorted() && sequence.iter().filter(|number| **number > 1).count() == 2,
        format!("in order, and none again after it was taken: {sequence:?}"),
    )?;
    let second = &read
        .iter()
        .find(|(_, body)| body["data"]["sequence"] == 2)
        .ok_or("the second")?
        .1;
    let data = &second["data"];
    ensure(
        second["type"] == "deliverable.version"
            && data["deliverable"] == "brief"
            && data["version"] == 2
            && data["previous_version"] == 1
            && data["changes"]["added"] == 1
            && data["changes"]["removed"] == 0
            && data["link"] == "freshcontext://deliverables/brief",
        second,
    )?;
    let version = world
        .run(&kept, &["deliverable", "show", "brief", "2", "--json"], 8)
        .await;
    let version: Value = serde_json::from_str(&version.stdout)?;
    ensure(version["hash"] == data["hash"], "the hash is the version's")?;
    ensure(
        !second.to_string().contains("whsec_") && !second.to_string().contains("Second"),
        "no secret and no content",
    )
}

/// A receiver that only redirects: nothing is followed, the change is given up after its attempts, which is told and kept,
/// and the next change is posted.
pub(super) async fn given_up(kept: Kept) -> Result<(), Failed> {
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let world = World::start().await?;
    let own = |arguments: &[&str], minute| {
        let mut command = world.command(&kept, arguments, minute);
        command
            .env("FRESHCONTEXT_WEBHOOK_SECRET", SECRET)
            .env("FRESHCONTEXT_LIMIT_WEBHOOK_ATTEMPTS", "2");
        finish(command, "")
    };
    let add = [
        "deliverable",
        "add",
        "brief",
        "--source",
        SOURCE,
        "--notify",
        ADDRESS,
        "--json",
    ];
    let done = own(&add, 0).await;
    let added: Value = serde_json::from_str(&done.stdout)?;
    ensure(
        added["webhook"]["secret"].is_null() && !done.stdout.contains(SECRET),
        "the operator's own secret is not shown",
    )?;
    let mut moved = status(307);
    moved
        .headers
        .push(("location".to_owned(), "https://other.example.com/".to_owned()));
    world.receiver(moved);
    own(&["deliverable", "generate", "brief"], 1).await;
    let done = own(&["deliverable", "notify"], 2).await;
    ensure(
        done.code == Some(1)
            && done.stdout.trim() == "Posted: 0"
            && done
                .stderr
                .contains("given up: brief: change 1 after 2 attempts: the receiver answered 307"),
        format!("{done:?}"),
    )?;
    ensure(
        world
            .upstream
            .requests()
            .iter()
            .all(|request| request.host != "other.example.com"),
        "redirects are not followed",
    )?;
    ensure(
        own(&["deliverable", "notify", "brief"], 3).await.code == Some(0),
        "nothing is due",
    )?;
    let list = own(&["deliverable", "list"], 3).await;
    ensure(
        list.stdout.contains("0 delivered, 1 given up")
            && list
                .stdout
                .contains("given up 2026-11-23T09:02:00.000Z: change 1"),
        &list.stdout,
    )?;
    world.receiver(status(200));
    own(&["deliverable", "generate", "brief"], 4).await;
    let posts = world.posts();
    let last = posts.last().ok_or("posted")?;
    ensure(verified(last, SECRET)?["data"]["sequence"] == 2, "the next one")?;
    let list = own(&["deliverable", "list", "--json"], 5).await;
    let list: Value = serde_json::from_str(&list.stdout)?;
    let hook = &list["deliverables"][0]["webhook"];
    ensure(
        hook["delivered"] == 1
            && hook["waiting"] == 0
            && hook["given_up_changes"][0]["sequence"] == 1
            && hook["given_up_changes"][0]["attempts"] == 2,
        hook,
    )?;
    // Without the secret nothing is posted, and that is told.
    own(&["deliverable", "remove", "brief"], 6).await;
    own(&add, 6).await;
    let done = world.run(&kept, &["deliverable", "generate", "brief"], 7).await;
    ensure(done.stderr.contains("`webhook.secret`"), &done.stderr)?;
    let done = own(&["deliverable", "remove", "brief"], 8).await;
    ensure(
        done.stdout.contains("1 of its changes were not posted"),
        &done.stdout,
    )
}

/// What the watcher finds is posted by the watcher; figures that always move are not.
pub(super) async fn of_a_watcher(kept: Kept) -> Result<(), Failed> {
    let world = World::start().await?;
    let secret = defined(&world, &kept).await?;
    world.run(&kept, &["deliverable", "sync", "brief"], 0).await;
    world.source(stories(&[(2, "Second"), (1, "First")], None));
    let watch = ["deliverable", "watch", "brief", "--every", "1"];
    let mut child = world.command(&kept, &watch, 1).spawn()?;
    until("a post", async || !world.posts().is_empty()).await;
    process::signal(child.id().ok_or("it runs")?, "TERM");
    let ended = tokio::time::timeout(process::PATIENCE, child.wait()).await??;
    ensure(ended.success(), ended)?;
    let posts = world.posts();
    let read = verified(&posts[0], &secret)?;
    ensure(
        posts.len() == 1
            && read["type"] == "deliverable.source"
            && read["data"]["changes"]["added"] == 1
            && read["data"]["source"] == "extract_hackernews url=rust"
            && read["data"]["link"] == "freshcontext://deliverables/brief/changes",
        read,
    )
}

/// Addresses that changes are never posted to are refused when they are given.
pub(super) async fn addresses(kept: Kept) -> Result<(), Failed> {
    let world = World::start().await?;
    for (address, why) in [
        ("https://127.0.0.1/x", "loopback"),
        ("https://10.1.2.3/x", "private"),
        ("https://[fd00::1]/x", "unique_local"),
        ("https://169.254.169.254/latest", "not a public one"),
        ("https://2130706433/x", "loopback"),
        ("https://localhost/x", "local networks"),
        ("https://printer.local/x", "local networks"),
        ("http://hooks.example.com/x", "https"),
        ("https://hooks.example.com:8443/x", "ports 80 and 443"),
        ("https://me:word@hooks.example.com/x", "user name"),
        ("ftp://hooks.example.com/x", "http and https"),
        ("hooks.example.com", "not an address"),
    ] {
        let add = [
            "deliverable",
            "add",
            "brief",
            "--source",
            SOURCE,
            "--notify",
            address,
        ];
        let done = world.run(&kept, &add, 0).await;
        ensure(
            done.code == Some(2) && done.stderr.contains("--notify") && done.stderr.contains(why),
            format!("{address}: {done:?}"),
        )?;
    }
    let list = world.run(&kept, &["deliverable", "list"], 0).await;
    ensure(
        list.stdout.trim() == "No deliverables of this caller.",
        &list.stdout,
    )?;
    ensure(world.upstream.requests().is_empty(), "nothing was asked")?;
    let mut command = world.command(
        &kept,
        &[
            "deliverable",
            "add",
            "brief",
            "--source",
            SOURCE,
            "--notify",
            "http://hooks.example.com/x",
        ],
        0,
    );
    command.env("FRESHCONTEXT_WEBHOOK_ALLOW_HTTP", "true");
    let done = finish(command, "").await;
    ensure(done.code == Some(0), &done.stderr)?;
    let mut command = world.command(&kept, &["deliverable", "list"], 0);
    command.env("FRESHCONTEXT_WEBHOOK_SECRET", "short");
    let done = finish(command, "").await;
    ensure(
        done.code == Some(2) && done.stderr.contains("webhook.secret"),
        &done.stderr,
    )
}
