use freshcontext_detect::{Segments, features, inspect, score::Model};
fn main() {
    let bytes = include_bytes!("../src/weights.bin");
    let model = Model::read(bytes).unwrap();
    for f in std::env::args().skip(1) {
        let s = std::fs::read_to_string(&f).unwrap();
        let mut h = [[0usize; 2]; 12];
        for line in s.lines() {
            let v: serde_json::Value = serde_json::from_str(line).unwrap();
            let t = v["text"].as_str().unwrap();
            let i = inspect(t);
            if !i.failed {
                continue;
            }
            let fail = v["label"] == "failure" || f.contains("failures");
            let seg = Segments::of(t.trim());
            let mut max = 0f32;
            let mut n = 0;
            let mut strong = 0;
            features::grams(&seg, |g, _, _| {
                let w = model.gram(g.bucket);
                if g.word {
                    n += 1;
                    if w > max {
                        max = w;
                    }
                    if w >= 1.5 {
                        strong += 1;
                    }
                }
            });
            let b = ((max * 2.0) as usize).min(11);
            h[b][usize::from(fail)] += 1;
            if b <= 2 && fail || f.contains("salad") {
                println!(
                    "{:.2} n{} strong{} conf{:.2} {}",
                    max,
                    n,
                    strong,
                    i.confidence,
                    &t.chars().take(90).collect::<String>().replace('\n', "|")
                );
            }
        }
        println!("{f} {h:?}");
    }
}
