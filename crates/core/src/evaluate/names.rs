//! Under which names people hold what a signal says: one table for frameworks, stores, search interfaces and feeds.
//!
//! Names are compared without case, `_`, `-` and blanks, so `publishedDate`, `published_date` and `Published-Date` are one. The first
//! name of a field is the server's own; of two names on the same level the earlier wins.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Id,
    Source,
    Title,
    Content,
    Published,
    Modified,
    Created,
    Retrieved,
    Score,
    /// How far a search found it to be: the smaller the nearer.
    Distance,
    SourceType,
    DateConfidence,
    FreshnessConfidence,
    Status,
    HttpStatus,
    MediaType,
    FinalUrl,
    /// Read elsewhere, or a form's own bookkeeping.
    Known,
}

/// Every field with its names, and who writes them so. The links are the documentation of the shapes; where it is a library,
/// its types were read in the version of the year 2026.
const TABLE: &[(Field, &[(&str, &str)])] = &[
    (
        Field::Id,
        &[
            (
                "id",
                "LangChain, Haystack, Qdrant, Pinecone, Exa: https://exa.ai/docs/reference/search; Elasticsearch's _id, LlamaIndex's id_",
            ),
            (
                "node_id",
                "LlamaIndex: https://developers.llamaindex.ai/python/framework-api-reference/schema/",
            ),
            ("doc_id", "LlamaIndex, Vespa"),
            ("document_id", "Cohere, Ragie"),
            (
                "uuid",
                "Weaviate: https://docs.weaviate.io/weaviate/search/basics",
            ),
            (
                "objectID",
                "Algolia: https://www.algolia.com/doc/api-reference/api-methods/search/",
            ),
            (
                "element_id",
                "Unstructured: https://docs.unstructured.io/open-source/concepts/document-elements",
            ),
            ("pk", "Milvus: https://milvus.io/docs/single-vector-search.md"),
            (
                "chunk_id",
                "Azure AI Search: https://learn.microsoft.com/azure/search/",
            ),
            (
                "file_id",
                "OpenAI vector stores: https://platform.openai.com/docs/api-reference/vector-stores/search",
            ),
            ("x-amz-bedrock-kb-chunk-id", "Amazon Bedrock"),
            ("client_msg_id", "Slack"),
            ("hitId", "Microsoft Graph search"),
            ("guid", "RSS: https://www.rssboard.org/rss-specification"),
        ],
    ),
    (
        Field::Source,
        &[
            (
                "source",
                "LangChain's metadata.source: https://python.langchain.com/docs/concepts/retrievers/; Anthropic search_result",
            ),
            (
                "sourceURL",
                "Firecrawl: https://docs.firecrawl.dev/api-reference/endpoint/scrape; Haystack",
            ),
            (
                "url",
                "Tavily, Exa, Jina, Brave, Perplexity, Anthropic and OpenAI web search, JSON Feed",
            ),
            (
                "uri",
                "MCP resources: https://modelcontextprotocol.io/specification/2025-06-18/server/resources",
            ),
            ("link", "RSS; Google Custom Search; Serper"),
            ("href", "DuckDuckGo (ddgs)"),
            ("permalink", "Reddit, WordPress"),
            ("canonical_url", "dev.to, crawlers"),
            ("web_url", "GitLab, The New York Times"),
            ("html_url", "GitHub: https://docs.github.com/rest"),
            ("webUrl", "Microsoft Graph; The Guardian"),
            ("external_url", "JSON Feed: https://www.jsonfeed.org/version/1.1/"),
            ("source_uri", "Amazon Bedrock, Vertex AI"),
            (
                "x-amz-bedrock-kb-source-uri",
                "Amazon Bedrock: https://docs.aws.amazon.com/bedrock/latest/userguide/kb-test-retrieve.html",
            ),
            ("document_url", "Azure AI Search"),
            ("document_uri", "Amazon Kendra"),
            ("webLink", "Microsoft Graph messages"),
            ("webui", "Confluence"),
            ("page_url", "crawlers"),
            ("loc", "LangChain's sitemap loader"),
            ("file_path", "LlamaIndex SimpleDirectoryReader, Haystack"),
            ("path", "Haystack, Chroma"),
            (
                "file_name",
                "LlamaIndex, OpenAI vector stores (filename), Unstructured",
            ),
            ("document_name", "stores"),
        ],
    ),
    (
        Field::Title,
        &[
            ("title", "all of them"),
            ("headline", "schema.org Article; The Guardian"),
            ("name", "MCP resources; Bing"),
            ("document_title", "Anthropic citations; LlamaIndex extractors"),
            ("page_title", "crawlers"),
            ("webTitle", "The Guardian"),
            ("ogTitle", "Firecrawl"),
            ("og:title", "the Open Graph protocol: https://ogp.me/"),
            ("subject", "mail"),
            ("heading", "chunkers"),
        ],
    ),
    (
        Field::Content,
        &[
            ("content", "Haystack, Tavily, Jina, SearXNG, LangChain messages"),
            ("page_content", "LangChain Document"),
            (
                "text",
                "LlamaIndex TextNode, MCP text resources, Exa, Unstructured",
            ),
            ("markdown", "Firecrawl, Crawl4AI"),
            ("body", "DuckDuckGo, Elasticsearch indices"),
            ("selftext", "Reddit"),
            (
                "story_text",
                "Algolia's search of Hacker News: https://hn.algolia.com/api",
            ),
            ("comment_text", "the same"),
            ("descriptionPlain", "Lever: https://github.com/lever/postings-api"),
            ("bodyText", "The Guardian"),
            ("content_text", "JSON Feed"),
            ("raw_content", "Tavily include_raw_content"),
            ("page_text", "crawlers"),
            (
                "chunk_text",
                "Pinecone's examples: https://docs.pinecone.io/guides/search/semantic-search",
            ),
            ("chunk", "stores"),
            ("passage", "retrievers"),
            (
                "document",
                "Chroma: https://docs.trychroma.com/docs/querying-collections/query-and-get",
            ),
            ("text_content", "stores"),
            (
                "passage_text",
                "OpenSearch's neural search: https://docs.opensearch.org/latest/vector-search/ai-search/semantic-search/",
            ),
            (
                "rendered",
                "WordPress: https://developer.wordpress.org/rest-api/reference/posts/",
            ),
            ("extractive_segments", "Vertex AI Search"),
            ("extractive_answers", "Vertex AI Search"),
            (
                "data",
                "Upstash Vector: https://upstash.com/docs/vector/features/metadata",
            ),
            ("highlights", "Exa"),
            ("excerpts", "Parallel"),
            ("excerpt", "The New York Times"),
            ("snippet", "Perplexity, Bing, Google Custom Search, Serper"),
            ("snippets", "You.com, Vertex AI"),
            (
                "cited_text",
                "Anthropic citations: https://docs.claude.com/en/docs/build-with-claude/citations",
            ),
            ("quote", "OpenAI file citations"),
            (
                "description",
                "Brave: https://api-dashboard.search.brave.com/app/documentation/web-search/responses; MCP resource links",
            ),
            ("extra_snippets", "Brave"),
            ("summary", "Exa, RSS, this server's items"),
            ("bodyPreview", "Microsoft Graph messages"),
            ("abstract", "arXiv, Semantic Scholar"),
            ("content_html", "JSON Feed"),
            ("html", "Firecrawl"),
            (
                "text_matches",
                "GitHub: https://docs.github.com/rest/search/search#text-match-metadata",
            ),
            ("memory", "Mem0"),
        ],
    ),
    (
        Field::Published,
        &[
            ("published_at", "NewsAPI's publishedAt"),
            ("content_date", "this server's envelopes"),
            ("published", "Atom, feedparser"),
            ("published_date", "Tavily, Exa: publishedDate"),
            ("date_published", "JSON Feed, schema.org datePublished, Bing"),
            ("publishedTime", "Jina: https://jina.ai/reader/; Firecrawl"),
            ("article:published_time", "the Open Graph protocol; Firecrawl"),
            ("published_on", "stores"),
            ("iso_date", "SerpApi"),
            ("sentDateTime", "Microsoft Graph messages"),
            ("receivedDateTime", "Microsoft Graph messages"),
            (
                "internalDate",
                "Gmail: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages",
            ),
            ("date_timestamp", "Algolia's guides"),
            ("publish_date", "newspaper4k, trafilatura"),
            ("publication_date", "Semantic Scholar's publicationDate, OpenAlex"),
            ("pubDate", "RSS"),
            ("pub_date", "The New York Times"),
            (
                "date",
                "Perplexity, LangChain and Haystack metadata, trafilatura, Serper",
            ),
            ("page_age", "Anthropic web search, Brave"),
            ("age", "Brave"),
            ("posted_at", "job boards"),
            ("release_date", "catalogues"),
            ("webPublicationDate", "The Guardian"),
            ("dc.date", "Dublin Core; Firecrawl's dcDate"),
            ("dcDate", "Firecrawl"),
            (
                "issued",
                "Crossref and CSL JSON: https://github.com/CrossRef/rest-api-doc/blob/master/api_format.md",
            ),
            ("published_online", "Crossref"),
            ("published_print", "Crossref"),
            (
                "published_parsed",
                "feedparser: https://feedparser.readthedocs.io/en/latest/date-parsing.html",
            ),
            ("publication_year", "OpenAlex"),
            ("year", "Semantic Scholar"),
        ],
    ),
    (
        Field::Modified,
        &[
            ("last_modified", "Haystack, S3, MCP annotations: lastModified"),
            ("last_modified_date", "LlamaIndex SimpleDirectoryReader"),
            ("modified", "Atom, WordPress"),
            ("modified_at", "stores"),
            ("modified_date", "stores"),
            ("updated_on", "Pinecone's assistant"),
            ("modifiedTime", "Firecrawl, Google Drive"),
            ("lastModifiedDateTime", "Microsoft Graph"),
            ("article:modified_time", "the Open Graph protocol"),
            ("date_modified", "JSON Feed, schema.org dateModified"),
            ("updated", "Atom"),
            ("updated_at", "GitHub, Notion exports"),
            ("updated_parsed", "feedparser"),
            ("date_updated", "stores"),
            ("last_updated", "Perplexity"),
            (
                "last_edited_time",
                "Notion: https://developers.notion.com/reference/page",
            ),
            ("lastmod", "LangChain's sitemap loader"),
        ],
    ),
    (
        Field::Created,
        &[
            ("created_at", "GitHub, Mastodon"),
            ("created", "Reddit, arXiv"),
            ("created_utc", "Reddit"),
            ("createdDateTime", "Microsoft Graph"),
            ("created_date", "stores"),
            ("created_on", "Pinecone's assistant"),
            ("created_time", "Notion"),
            ("date_created", "schema.org dateCreated"),
            (
                "@timestamp",
                "Elastic Common Schema, the moment of the event: https://www.elastic.co/docs/reference/ecs/ecs-base",
            ),
        ],
    ),
    (
        Field::Retrieved,
        &[
            ("retrieved_at", "Anthropic web_fetch_result"),
            ("retrieval_date", "stores"),
            ("fetched_at", "crawlers"),
            ("fetch_date", "crawlers"),
            ("crawled_at", "crawlers"),
            ("crawl_date", "Exa"),
            ("crawl_time", "crawlers"),
            ("last_crawled", "crawlers"),
            ("dateLastCrawled", "Bing"),
            ("scraped_at", "Apify"),
            ("scrape_date", "crawlers"),
            ("accessed_at", "citations"),
            ("access_date", "citations"),
            ("downloaded_at", "loaders"),
            ("cached_at", "Firecrawl"),
            ("snapshot_at", "Exa"),
        ],
    ),
    (
        Field::Score,
        &[
            ("semantic_score", "this server"),
            // What a reranker says counts before the score of the search that it ranked.
            (
                "@search.rerankerScore",
                "Azure AI Search: https://learn.microsoft.com/azure/search/semantic-how-to-query-request",
            ),
            ("@search.reranker_score", "the same, in Python"),
            ("rerank_score", "rerankers"),
            ("relevance_score", "Cohere, Voyage"),
            (
                "score",
                "Haystack, LlamaIndex, Qdrant, Pinecone, Tavily, Elasticsearch's _score",
            ),
            ("similarity", "pgvector, Supabase"),
            ("similarity_score", "stores"),
            ("cosine_similarity", "stores"),
            ("rrf_score", "fused ranks"),
            ("bm25_score", "stores"),
            ("certainty", "Weaviate"),
            ("$similarity", "Astra DB"),
            (
                "_rankingScore",
                "Meilisearch: https://www.meilisearch.com/docs/reference/api/search",
            ),
            ("@search.score", "Azure AI Search"),
            (
                "relevance",
                "Vespa: https://docs.vespa.ai/en/reference/default-result-format.html",
            ),
        ],
    ),
    (
        Field::Distance,
        &[
            (
                "distance",
                "Weaviate, Milvus, sqlite-vec; LanceDB's _distance: https://lancedb.github.io/lancedb/search/",
            ),
            (
                "vector_distance",
                "Redis: https://docs.redisvl.com/en/latest/api/query.html",
            ),
            ("cosine_distance", "pgvector's examples"),
            ("$dist", "turbopuffer: https://turbopuffer.com/docs/query"),
        ],
    ),
    (Field::SourceType, &[("source_type", "this server")]),
    (Field::DateConfidence, &[("date_confidence", "this server")]),
    (
        Field::FreshnessConfidence,
        &[("freshness_confidence", "this server's envelopes")],
    ),
    (Field::Status, &[("status", "this server")]),
    (
        Field::HttpStatus,
        &[
            ("http_status", "this server"),
            ("status_code", "Firecrawl, crawlers"),
        ],
    ),
    (
        Field::MediaType,
        &[
            ("content_type", "HTTP"),
            ("mime_type", "MCP resources: mimeType"),
            ("file_type", "LlamaIndex"),
            ("media_type", "Anthropic documents"),
        ],
    ),
    (Field::FinalUrl, &[("final_url", "this server")]),
    (
        Field::Known,
        &[
            ("metadata", ""),
            ("is_derived", "evaluate: provenance"),
            ("derived", ""),
            ("copied", ""),
            ("is_secondary", ""),
            ("derived_from", ""),
            ("copied_from", ""),
            ("original_source", ""),
            ("origin_source", ""),
            ("source_chain", ""),
            ("result_id", ""),
            ("source_id", ""),
            ("semantic_fingerprint", ""),
            ("policy", "the budget"),
            ("sensitivity", ""),
            ("retention_hint", ""),
            ("replacement", ""),
            ("private", ""),
            ("permission", ""),
            ("expected_decision", "batches of reviewers"),
            ("review_note", ""),
            ("text_template", "LlamaIndex"),
            ("metadata_template", ""),
            ("metadata_separator", ""),
            ("class_name", ""),
            ("excluded_embed_metadata_keys", ""),
            ("excluded_llm_metadata_keys", ""),
            ("type", "LangChain, Anthropic, OpenAI"),
            ("lc", "LangChain"),
        ],
    ),
];

/// Objects that stand around what a signal says, as they are spelt.
pub(super) const NESTS: [&str; 43] = [
    "metadata",
    "meta",
    "payload",                // Qdrant
    "_source",                // Elasticsearch, OpenSearch
    "fields",                 // Vespa, Pinecone, Elasticsearch
    "node",                   // LlamaIndex NodeWithScore
    "text_resource",          // LlamaIndex Node
    "kwargs",                 // LangChain dumps
    "document",               // Typesense, Vertex AI
    "doc",                    // CouchDB
    "properties",             // Weaviate
    "_additional",            // Weaviate over GraphQL
    "attributes",             // OpenAI vector stores
    "annotations",            // MCP
    "resource",               // MCP embedded resources
    "entity",                 // Milvus
    "extra_info",             // LlamaIndex before 0.10
    "url_citation",           // OpenAI chat completions
    "web",                    // Gemini's grounding chunks
    "retrievedContext",       // the same
    "content",                // Bedrock, Anthropic documents
    "location",               // Bedrock
    "webLocation",            // the same
    "s3Location",             // the same
    "derivedStructData",      // Vertex AI Search
    "data",                   // Jina, Firecrawl
    "item",                   // wrappers
    "init_parameters",        // Haystack's dumps
    "__data__",               // LlamaIndex's dumps
    "cmetadata",              // LangChain's pgvector tables
    "document_metadata",      // Vectara, Ragie
    "documentMetadata",       // Vertex AI Search
    "structData",             // the same
    "chunk",                  // the same
    "segment",                // Dify
    "sourceData",             // Azure AI Search, agentic retrieval
    "file",                   // Pinecone's assistant
    "confluenceLocation",     // Bedrock
    "sharePointLocation",     // the same
    "salesforceLocation",     // the same
    "kendraDocumentLocation", // the same
    "_links",                 // Confluence
    "history",                // the same
];

/// Lists of documents in the answers of search interfaces and stores, as they are spelt.
pub(super) const LISTS: [&str; 24] = [
    "results",
    "result",
    "hits",
    "matches",
    "points",
    "documents",
    "docs",
    "data",
    "items",
    "nodes",
    "source_nodes",
    "contents",
    "content",
    "search_results",
    "organic",
    "organic_results",
    "value",
    "articles",
    "entries",
    "web",            // Firecrawl
    "news",           // the same
    "failed_results", // Tavily's extraction
    "peopleAlsoAsk",  // Serper
    "topStories",     // the same
];

/// Objects around such lists, as they are spelt.
pub(super) const AROUND: [&str; 9] = [
    "hits",     // Elasticsearch
    "web",      // Brave, Firecrawl
    "news",     // the same
    "webPages", // Bing
    "data",     // Firecrawl, Weaviate
    "response", // The Guardian, Solr
    "result",   // Qdrant, Pinecone
    "Get",      // Weaviate, whose lists are named as its classes
    "root",     // Vespa
];

/// Whether a name of the content says that it is not the document's text, but what somebody says of it.
pub(super) fn is_digest(name: &str) -> bool {
    const DIGESTS: [&str; 12] = [
        "highlights",
        "excerpts",
        "excerpt",
        "snippet",
        "snippets",
        "citedtext",
        "quote",
        "description",
        "extrasnippets",
        "summary",
        "abstract",
        "textmatches",
    ];
    DIGESTS.contains(&plain(name).as_str())
}

type Meanings = HashMap<String, (Field, usize)>;

static MEANINGS: LazyLock<Meanings> = LazyLock::new(|| {
    let mut meanings = Meanings::new();
    for (field, names) in TABLE {
        for (rank, (name, _)) in names.iter().enumerate() {
            meanings.entry(plain(name)).or_insert((*field, rank));
        }
    }
    meanings
});

/// What a name says, and the rank of the name among those of its field.
pub(super) fn meaning(name: &str) -> Option<(Field, usize)> {
    /// Longer names are none of the table.
    const LONGEST: usize = 48;
    (name.len() <= LONGEST)
        .then(|| MEANINGS.get(&plain(name)).copied())
        .flatten()
}

/// Whether a name is spelt as the table has it.
pub(super) fn is_as_spelt(field: Field, rank: usize, name: &str) -> bool {
    let names = TABLE.iter().find(|(known, _)| *known == field);
    names
        .and_then(|(_, names)| names.get(rank))
        .is_some_and(|(spelt, _)| *spelt == name)
}

/// The server's own name of a field.
pub(super) fn own_name(field: Field) -> &'static str {
    let names = TABLE.iter().find(|(known, _)| *known == field);
    names
        .and_then(|(_, names)| names.first())
        .map_or("", |(name, _)| name)
}

fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_says_two_things() {
        let mut seen: HashMap<String, Field> = HashMap::new();
        for (field, names) in TABLE {
            for (name, _) in *names {
                let before = seen.insert(plain(name), *field);
                assert!(before.is_none_or(|before| before == *field), "{name}");
            }
        }
    }

    #[test]
    fn what_says_when_it_was_stored_is_no_date_of_publication() {
        for name in [
            "creation_date",
            "creationTimeUnix",
            "lastUpdateTimeUnix",
            "indexed_at",
            "ingested_at",
            "last_accessed_date",
            "timestamp",
            "expires_at",
        ] {
            assert_eq!(meaning(name), None, "{name}");
        }
        assert_eq!(
            meaning("crawl_date").map(|(field, _)| field),
            Some(Field::Retrieved)
        );
    }
}
