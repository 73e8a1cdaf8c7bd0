//! Hostile pages, through the whole server.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use serde_json::{Value, json};

use crate::run::block_on;
use crate::upstreams::reply;

/// An upstream of such pages on a separate thread, so that producing them does not affect measurements.
pub struct Apart {
    pub base: String,
    asked: Arc<AtomicUsize>,
    /// Stops the upstream when dropped.
    _end: tokio::sync::oneshot::Sender<()>,
}

impl Apart {
    pub async fn start() -> Self {
        let asked = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&asked);
        let (end, ended) = tokio::sync::oneshot::channel();
        let (told, base) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || {
            block_on(async move {
                let upstream = ScriptedUpstream::start(move |request: &SeenRequest| {
                    counted.fetch_add(1, Ordering::SeqCst);
                    answer(request)
                });
                let upstream = upstream.await.expect("a free port");
                let _ = told.send(upstream.base());
                let _ = ended.await;
            });
        });
        Self {
            base: base.await.expect("an address"),
            asked,
            _end: end,
        }
    }

    /// Returns the number of requests.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Largest body on the wire without its frame, in bytes.
pub const LARGE: usize = (4 << 20) - (64 << 10);

/// Repeats a piece up to a size.
pub fn fill(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}

/// Pieces of pages that are expensive to read.
pub const PIECES: [&str; 6] = [
    "<H",
    "<div a='</div>'>",
    "<div><!--</div>-->",
    "<p>x",
    "<p>",
    "<a><b><i>",
];

/// Calls that return such pages, in each form: the page of a changelog, the entry of a feed, the text of a
/// story.
pub fn calls(piece: usize) -> Vec<(&'static str, Value)> {
    let form = |form: &str| json!({"url": format!("https://{form}.example.org/changes/{piece}")});
    vec![
        ("extract_changelog", form("page")),
        ("extract_changelog", form("feed")),
        ("extract_hackernews", json!({"url": format!("piece {piece}")})),
    ]
}

/// Responses to [`calls`].
fn answer(request: &SeenRequest) -> Reply {
    let number: usize = request
        .target
        .chars()
        .filter(char::is_ascii_digit)
        .collect::<String>()
        .get(..1)
        .and_then(|digit| digit.parse().ok())
        .unwrap_or_default();
    let piece = PIECES[number % PIECES.len()];
    match request.host.as_str() {
        "page.example.org" => reply(200, "text/html", &format!("<html><body>{}", fill(piece, LARGE))),
        "feed.example.org" => {
            let text = piece
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
            let feed = format!(
                "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><id>a</id><title>t</title>\
                 <updated>2025-06-01T10:00:00Z</updated><entry><id>b</id><title>1.0</title>\
                 <updated>2025-06-01T10:00:00Z</updated><content type=\"html\">{}</content></entry></feed>",
                fill(&text, LARGE)
            );
            reply(200, "application/atom+xml", &feed)
        }
        "hn.algolia.com" => {
            let story = json!({"hits": [{"objectID": "1", "title": "A story", "author": "a", "points": 1,
                "created_at": "2025-06-01T10:00:00Z", "created_at_i": 1_748_772_000, "_tags": ["story"],
                "story_text": fill(piece, LARGE)}], "nbHits": 1, "page": 0, "nbPages": 1, "hitsPerPage": 20});
            reply(200, "application/json", &story.to_string())
        }
        _ => reply(404, "text/plain", "nothing here"),
    }
}

/// Compresses a body with gzip.
pub fn gzip(body: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(body).expect("a vector takes all");
    packer.finish().expect("a vector takes all")
}

/// Compresses a body with deflate.
pub fn deflate(body: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(body).expect("a vector takes all");
    packer.finish().expect("a vector takes all")
}

/// 225,000 times `<p>x`, compressed with brotli.
pub const BROTLI: [u8; 18] = [
    0x5b, 0x9f, 0xbb, 0x8d, 0x5f, 0x9a, 0xc7, 0x07, 0x0e, 0x4f, 0x9c, 0x16, 0x00, 0x58, 0xcd, 0x36, 0x90,
    0x03,
];
