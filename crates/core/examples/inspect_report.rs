//! Reports how well the inspector tells failed retrievals from content, and how fast.
//!
//! `cargo run --release -p freshcontext-core --example inspect_report [file.jsonl ...]`
//!
//! Each line of a file is `{"id", "label": "failure"|"genuine", "kind", "text"}`; without files, the
//! development corpus beside the checkout is read. Prints recall and false positives by kind, by half
//! (the halves that the unit test names) and overall, what was judged wrongly, and throughput on the
//! corpus, on plain prose and on hostile input.
#![expect(clippy::print_stdout, reason = "a report is printed")]

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use freshcontext_core::inspect::{Kind, inspect};
use serde_json::Value;
use sha2::{Digest, Sha256};

#[derive(Default, Clone, Copy)]
struct Tally {
    right: usize,
    all: usize,
}

impl Tally {
    fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.all += 1;
    }

    fn share(self) -> f64 {
        self.right as f64 / self.all.max(1) as f64
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        files.push(format!(
            "{}/../../../shared/failure-corpus/dev.jsonl",
            env!("CARGO_MANIFEST_DIR")
        ));
    }
    let mut texts = Vec::new();
    for file in &files {
        let content = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let mut kinds: BTreeMap<(String, String), Tally> = BTreeMap::new();
        let mut halves: BTreeMap<(String, &str), Tally> = BTreeMap::new();
        for line in content.lines() {
            let line: Value = serde_json::from_str(line)?;
            let field = |name: &str| {
                line.get(name)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            let (id, label, kind, text) = (field("id"), field("label"), field("kind"), field("text"));
            let found = inspect(&text);
            let right = found.failed == (label == "failure");
            let odd = Sha256::digest(id.as_bytes())
                .first()
                .is_some_and(|byte| byte % 2 == 1);
            kinds.entry((label.clone(), kind.clone())).or_default().add(right);
            halves
                .entry((label.clone(), if odd { "odd half" } else { "even half" }))
                .or_default()
                .add(right);
            halves.entry((label.clone(), "all")).or_default().add(right);
            let named = found.kind.map_or("", Kind::as_str);
            if right && found.failed && named != kind && Kind::ALL.iter().any(|known| known.as_str() == kind)
            {
                println!("KIND {id}: {named} {:?}", found.evidence.first());
            }
            if !right {
                println!(
                    "WRONG {id} {label} {kind}: {} ({:.2}) {:?}",
                    found.reason, found.confidence, found.evidence
                );
            }
            texts.push(text);
        }
        println!("\n{file}");
        let mut order: Vec<_> = kinds.iter().collect();
        order.sort_by(|a, b| a.1.share().total_cmp(&b.1.share()).then(b.1.all.cmp(&a.1.all)));
        for ((label, kind), tally) in order {
            println!(
                "  {label:8} {kind:28} {:>4}/{:<4} {:.3}",
                tally.right,
                tally.all,
                tally.share()
            );
        }
        for ((label, half), tally) in &halves {
            let (name, share) = if label == "failure" {
                ("recall", tally.share())
            } else {
                ("false positives", 1.0 - tally.share())
            };
            println!(
                "  {half:10} {name:16} {share:.4} ({} of {} right)",
                tally.right, tally.all
            );
        }
    }
    println!("\nthroughput");
    speed("the texts above", &texts);
    let prose = "The committee met in spring and heard nine witnesses about the harbour. ";
    speed("prose, 50 KB", &[prose.repeat(700)]);
    speed("prose, 2 KB", &vec![prose.repeat(28); 100]);
    let mib = 1 << 20;
    for (name, text) in [
        ("1 MiB of <", "<".repeat(mib)),
        ("1 MiB of <a>", "<a>".repeat(mib / 3)),
        ("1 MiB of [", "[".repeat(mib)),
        ("1 MiB of {\"a\":", "{\"a\":".repeat(mib / 5)),
        ("1 MiB of combining marks", "\u{301}".repeat(mib / 2)),
        ("1 MiB of \"access denied. \"", "access denied. ".repeat(mib / 15)),
        ("1 MiB of <script>", "<script>".repeat(mib / 8)),
        ("1 MiB of links", "<a href=x>one two three</a>".repeat(mib / 27)),
    ] {
        speed(name, &[text]);
    }
    Ok(())
}

fn speed(name: &str, texts: &[String]) {
    let bytes: usize = texts.iter().map(String::len).sum();
    let start = Instant::now();
    let mut rounds = 0_u32;
    let mut failed = 0_usize;
    while rounds < 3 || (start.elapsed().as_millis() < 300 && rounds < 1000) {
        failed += texts.iter().filter(|text| inspect(text).failed).count();
        rounds += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    let rate = bytes as f64 * f64::from(rounds) / seconds / 1e6;
    let each = seconds / f64::from(rounds) / texts.len().max(1) as f64 * 1e6;
    println!(
        "  {name:28} {rate:>9.1} MB/s, {each:>9.1} us each, {} failures",
        failed / rounds.max(1) as usize
    );
}
