//! Each kind of copy and of near miss, as a pair of items.

use freshcontext_origins::{View, find};
use serde::Deserialize;

#[derive(Deserialize)]
struct Pair {
    kind: String,
    same: bool,
    a: Item,
    b: Item,
}

#[derive(Deserialize)]
struct Item {
    title: String,
    url: Option<String>,
    #[serde(default)]
    text: String,
    author: Option<String>,
}

impl Item {
    fn view(&self) -> View<'_> {
        View {
            title: &self.title,
            url: self.url.as_deref(),
            text: &self.text,
            author: self.author.as_deref(),
            source_type: "news",
            ..View::default()
        }
    }
}

#[test]
fn each_kind_of_copy_is_one_origin_and_each_near_miss_two() {
    let mut wrong = Vec::new();
    for line in include_str!("labelled/kinds.jsonl").lines().skip(1) {
        let pair: Pair = serde_json::from_str(line).unwrap();
        let wanted = if pair.same { 1 } else { 2 };
        for views in [[pair.a.view(), pair.b.view()], [pair.b.view(), pair.a.view()]] {
            let found = find(&views, 10);
            if found.origins != wanted {
                wrong.push(format!("{}: {} origins: {line}", pair.kind, found.origins));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
