//! What the scripted upstream of the whole-server trials answers.

use std::time::{Duration, Instant};

use freshcontext_contract::url::Url;
use freshcontext_testkit::{Reply, SeenRequest};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::process::PATIENCE;

/// A response in the format of the requested source: Hacker News search, GDELT, arXiv.
pub fn ordinary(request: &SeenRequest) -> Reply {
    match request.host.as_str() {
        "hn.algolia.com" => json_reply(&hits(&query(request))),
        "api.gdeltproject.org" => json_reply("{}"),
        "export.arxiv.org" => reply(200, "application/atom+xml", EMPTY_FEED),
        _ => reply(404, "text/plain", "nothing here"),
    }
}

/// A page of Hacker News hits with one story named after the query.
pub fn hits(query: &str) -> String {
    json!({"hits": [{"objectID": "41000001", "title": format!("About {query}"), "url": "https://example.com/story",
        "author": "someone", "points": 10, "num_comments": 3, "created_at": "2025-06-01T10:00:00Z",
        "created_at_i": 1_748_772_000, "_tags": ["story"]}],
        "nbHits": 1, "page": 0, "nbPages": 1, "hitsPerPage": 20, "exhaustiveNbHits": true})
    .to_string()
}

const EMPTY_FEED: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/none</id><title>arXiv Query</title><updated>2025-06-01T10:00:00Z</updated>
  <opensearch:itemsPerPage>10</opensearch:itemsPerPage><opensearch:totalResults>0</opensearch:totalResults>
  <opensearch:startIndex>0</opensearch:startIndex>
</feed>
"#;

/// The query of a request, from the parameter that its source uses.
pub fn query(request: &SeenRequest) -> String {
    let url = Url::parse(&format!("https://{}{}", request.host, request.target)).expect("an address");
    url.query_pairs()
        .find(|(name, _)| name == "query" || name == "search_query")
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

pub fn json_reply(body: &str) -> Reply {
    reply(200, "application/json", body)
}

pub fn reply(status: u16, kind: &str, body: &str) -> Reply {
    Reply {
        status,
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        body: body.as_bytes().to_vec(),
        delay_ms: 0,
    }
}

/// An upstream that begins a response and stops in the middle of its body.
pub struct Stalled {
    listener: TcpListener,
}

impl Stalled {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        Self { listener }
    }

    pub fn base(&self) -> String {
        format!("http://{}", self.listener.local_addr().expect("an address"))
    }

    /// Accepts the next request and sends the first half of the response.
    pub async fn half_answered(&self) -> TcpStream {
        let accepted = tokio::time::timeout(PATIENCE, self.listener.accept()).await;
        let (mut stream, _) = accepted.expect("the server asks").expect("a connection");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.expect("a request"));
        }
        let half =
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"hits\": [";
        stream.write_all(half).await.expect("the server reads");
        stream
    }

    /// Returns how long the other end takes to close a connection.
    pub async fn time_to_close(mut stream: TcpStream) -> Duration {
        let began = Instant::now();
        let mut rest = Vec::new();
        // A reset also closes the connection.
        let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest))
            .await
            .expect("the server closes the connection");
        began.elapsed()
    }
}
