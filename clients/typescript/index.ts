// Generated from the server's description by `cargo xtask generate`; edits are lost.

/** A thin, typed client of FreshContext's REST interface. It needs `fetch`: Node 18, Deno, Bun or a browser. */

export type Stamp = {
  /** Signature scheme, made by [`stamped`](Self::stamped). */
  scheme?: Scheme | null;
  /** Identity of the result. */
  result_id?: string | null;
  /** The text as retrieved. */
  content: string;
  /** Meaning of the text, in the caller's words. */
  semantic_fingerprint?: string | null;
  /** The source. */
  adapter: string;
  /** Date of publication. */
  published_at?: string | null;
  /** Date of retrieval. */
  retrieved_at?: string | null;
  /** Version of what evaluated the text. */
  engine_version?: string | null;
  /** Id of the verdict; signed with a key only. */
  verdict_id?: string | null;
  /** Name of the decision; signed with a key only. */
  decision?: string | null;
  /** The signature, made by [`stamped`](Self::stamped). */
  signature?: string | null;
};

export type Scheme = "FRESHCONTEXT_HA_PRI_V2" | "FRESHCONTEXT_HA_PRI_V3";

export type Verified = {
  /** `valid`, `invalid` or `unknown`. */
  verification: string;
  /** What that means. */
  detail: string;
  /** What the signature covers, if it is valid. */
  covers?: string | null;
};

export type Validated = {
  /** The response: its text, or the JSON itself. */
  response: unknown;
};

export type Report = {
  /** Version of the specification that defines the levels. */
  specification: string;
  /** The form that was found. */
  form: Form;
  /** The lowest level of all parts. */
  level: Level;
  /** What the response lacks for higher levels, the next level first. */
  lacks: Array<Lack>;
  /** Observations that break no rule. */
  notes: Array<string>;
  /** All checks, in order. */
  checks: Array<Check>;
};

export type Form = "text" | "json";

export type Level = "fail" | "aware" | "compatible" | "scored";

export type Lack = {
  /** The lowest level that the response cannot reach because of it. */
  level: Level;
  /** The part concerned, with its position if there are several. */
  what: string;
  /** The problem: `missing`, or why a check failed. */
  problem: string;
  /** The sentence of the specification that requires it. */
  says: string;
};

export type Check = {
  /** Name of the check, with its position if there are several: `envelope 2: source`. */
  name: string;
  /** Whether it passed. */
  passed: boolean;
  /** What was found. */
  message: string;
};

export type Inspected = {
  /** The text. */
  text: string;
};

export type Inspection = {
  /** Whether the text is a failed retrieval rather than content. */
  failed: boolean;
  /** Kind of failure; `None` for content. */
  kind?: FailureKind | null;
  /** Confidence of the classification, 0..=1. For a failure, 0.5..0.9 means weak evidence: worth a note, not an exclusion. */
  confidence: number;
  /** Reason in one line. */
  reason: string;
  /** Contributing facts, strongest first; at most eight. */
  evidence: Array<Evidence>;
};

export type FailureKind = "challenge" | "access_denied" | "rate_limited" | "login_required" | "not_found" | "unavailable" | "timeout" | "client_error" | "server_error" | "script_required" | "consent_wall" | "parked" | "empty" | "malformed" | "tool_error";

export type Evidence = {
  /** Aspect of the text: `form`, `wall`, `wording`, `shape`, `value`, `residue`. */
  aspect: string;
  /** The observation, in a few words; quotations are shortened. */
  seen: string;
};

export type Health = {
  /** `ready`, or `draining` where the server takes no new work. */
  status: string;
  /** Name of the server. */
  name: string;
  /** Version of the server. */
  version: string;
  /** Version of the implemented specification. */
  specification: string;
};

export type Problem = {
  /** `urn:freshcontext:` and the code. */
  type: string;
  /** The kind of problem in a few words. */
  title: string;
  /** The status of the response. */
  status: number;
  /** What happened, in one sentence. */
  detail: string;
  /** The error code; docs/rest.md lists them with their statuses. */
  code: "invalid_input" | "blocked_address" | "not_found" | "rate_limited" | "access_denied" | "challenge" | "timeout" | "unreachable" | "malformed" | "too_large" | "upstream_error" | "misconfigured" | "circuit_open" | "overloaded" | "cancelled" | "internal";
  /** What to do about it. */
  hint?: string | null;
  /** The argument at fault. */
  field?: string | null;
  /** Delay before the next attempt in seconds, as in `Retry-After`. */
  retry_after_s?: number | null;
  /** The id in `X-Request-Id`. */
  request_id: string;
  /** Structured result of a failed call, as MCP has it. */
  result?: Record<string, unknown> | null;
};

export type EvaluateContextResult = {
  profile?: string;
  intent?: string;
  now?: string;
  notes?: Array<string>;
  /** Label, meaning, action, summary */
  legend?: Record<string, unknown>;
  /** schemas/agent-context/bundle.json */
  records?: Record<string, unknown>;
  results?: Array<{
    /** Place from 1 */
    index: number;
    id?: string | number;
    /** In signals, from 0 */
    input_index?: number;
    title?: string;
    source?: string;
    source_type?: string;
    decision: "use_first" | "cite_as_primary" | "cite_as_supporting" | "use_as_background" | "needs_refresh" | "needs_verification" | "watch_only" | "exclude";
    label?: string;
    freshness_score?: number | null;
    /** 0 to 1, sets the order */
    rank_score: number;
    selection_rank?: number;
    relevance?: string;
    utility_score?: number | null;
    confidence?: string;
    why: Array<string>;
    warnings?: Array<string>;
    standing?: Record<string, unknown>;
    verdict_id: string;
    evaluated_at?: string;
    revalidate_after?: string | null;
    handoff?: {
      safe_for_agent_handoff?: boolean;
      reason?: string;
    };
    provenance_readiness?: {
      state?: string;
      source_identity?: {
        source_type?: string;
        result_id?: string | null;
        completeness?: string;
      };
      published_at?: string | null;
      retrieved_at?: string;
      timing_confidence?: string;
      timing_completeness?: string;
      canonical_content_sha256?: string | null;
      semantic_fingerprint_sha256?: string | null;
      warnings?: Array<string>;
    };
  }>;
  origins?: Record<string, unknown>;
  /** Under a budget: selected [{index, item_id, tokens, cut}], omitted [{index, reason, detail}], note */
  selection?: Record<string, unknown>;
  /** limits, actual_tokens, actual_bytes, actual_items, tokenizer, token_counts, overflow_strategy, require, truncation_records */
  budget?: Record<string, unknown>;
  /** text, blocks [{index, text, tokens}] */
  assembly?: Record<string, unknown>;
  /** Gaps, and the calls that fill them; pass missing_id in their _meta as freshcontext/missing_id */
  missing_context?: Array<Record<string, unknown>>;
};

export type RecheckResult = {
  verdict?: "current" | "changed" | "gone" | "could_not_check";
  answer_id?: string;
  tool?: string;
  answered_at?: string;
  answered_at_ahead?: string;
  checked_at?: string;
  compared?: string;
  not_rechecked?: Array<string>;
  /** Of a composite: each section, found as a whole answer is */
  sections?: Array<{
    tool: string;
    label: string;
    verdict: "current" | "changed" | "gone" | "could_not_check";
  }>;
  items?: Array<{
    id: string;
    verdict: "current" | "changed" | "gone" | "could_not_check";
    detail?: string;
    changed?: Array<string>;
    published_then?: string;
    published_now?: string;
    standing_then?: string;
    standing_now?: string;
    /** New values of what changed */
    now?: Record<string, unknown>;
  }>;
  added?: Array<string>;
  added_count?: number;
  changed?: Array<string>;
  now?: Record<string, unknown>;
  evidence?: Array<Record<string, unknown>>;
  answer_hash_now?: string;
  requests?: number;
  bytes?: number;
  code?: string;
  message?: string;
  retry_after_s?: number;
  hint?: string;
};

export type CheckReferencesResult = {
  /** References by verdict */
  counts?: Record<string, unknown>;
  /** References in all, of which these are one page */
  total?: number;
  /** What `text` was read as */
  format?: string;
  results?: Array<{
    ref: string;
    kind?: string;
    id?: string;
    verdict: "gone" | "withdrawn" | "superseded" | "moved" | "could_not_check" | "not_recognised" | "stands";
    standing?: Record<string, unknown>;
    date?: string;
    title?: string;
    title_differs?: boolean;
    confidence: "high" | "medium" | "low";
    evidence: Array<Record<string, unknown>>;
    replaced_by?: Record<string, unknown>;
    archived_copy?: Record<string, unknown>;
    checked_at: string;
    detail?: string;
    message?: string;
  }>;
  notes?: Array<string>;
  /** For those that are not settled yet: call again with the same arguments */
  cursor?: string;
};

export type DeliverableDiffResult = {
  name?: string;
  from?: number;
  compared_at?: string;
  same?: boolean;
  diff?: Record<string, unknown>;
};

export type DeliverableGenerateResult = {
  name?: string;
  version?: number;
  generated_at?: string;
  hash?: string;
  source_snapshots?: Array<Record<string, unknown>>;
  items?: Array<Record<string, unknown>>;
  markdown?: string;
  requests?: number;
};

export type DeliverableListResult = {
  deliverables?: Array<Record<string, unknown>>;
};

export type ExtractArxivResult = {
  freshcontext?: {
    source_url?: string;
    content_date?: string | null;
    retrieved_at?: string;
    freshness_confidence?: string;
    freshness_score?: number | null;
    adapter?: string;
    decay_rate?: number;
  };
  content?: string;
  content_age?: string | null;
  staleness?: string;
  revalidate_after?: string | null;
  content_is_external?: boolean;
  as_of?: string;
  standing?: Record<string, unknown>;
  standing_told?: string;
  status?: "success" | "partial" | "empty";
  route?: string;
  summary?: string;
  fields?: Record<string, unknown>;
  items?: Array<{
    n?: number;
    id?: string;
    title?: string;
    url?: string | null;
    source?: string;
    source_type?: string;
    retrieved_at?: string;
    published_at?: string | null;
    age?: string | null;
    date_confidence?: string;
    freshness_score?: number | null;
    standing?: Record<string, unknown>;
    summary?: string;
    fields?: Record<string, unknown>;
  }>;
  truncated?: number;
  skipped?: Array<{
    count?: number;
    reason?: string;
  }>;
  failures?: Array<{
    what?: string;
    code?: string;
    message?: string;
    standing?: Record<string, unknown>;
  }>;
  notes?: Array<string>;
  next_cursor?: string;
  records?: Record<string, unknown>;
  message?: string;
  code?: string;
  answer_id?: string;
  answer_hash?: string;
};

export type ExtractCompanyLandscapeResult = {
  generated_at?: string;
  query?: string;
  content_is_external?: boolean;
  partial?: boolean;
  coverage?: {
    sources?: number;
    answered?: number;
    stale?: number;
    undated?: number;
    skipped?: number;
    failed?: number;
    weakest?: Record<string, unknown> | null;
    missing?: Array<{
      adapter?: string;
      code?: string;
      tool?: string;
    }>;
  };
  sections?: Array<{
    adapter?: string;
    tool?: string;
    label?: string;
    status?: "success" | "partial" | "empty" | "stale" | "undated" | "skipped" | "failed";
    newest?: string | null;
    age?: string | null;
    score?: number | null;
    items?: number;
    taken_for?: string;
    looked_through?: string;
    arguments?: Record<string, unknown>;
    result?: Record<string, unknown>;
    stale?: Record<string, unknown>;
    undated?: Record<string, unknown>;
    skipped?: Record<string, unknown>;
    error?: Record<string, unknown>;
  }>;
  origins?: Record<string, unknown>;
  notes?: Array<string>;
  records?: Record<string, unknown>;
  message?: string;
  code?: string;
  answer_id?: string;
};

export type ExtractGdeltResult = {
  freshcontext?: {
    source_url?: string;
    content_date?: string | null;
    retrieved_at?: string;
    freshness_confidence?: string;
    freshness_score?: number | null;
    adapter?: string;
    decay_rate?: number;
  };
  content?: string;
  content_age?: string | null;
  staleness?: string;
  revalidate_after?: string | null;
  content_is_external?: boolean;
  as_of?: string;
  standing?: Record<string, unknown>;
  standing_told?: string;
  status?: "success" | "partial" | "empty";
  route?: string;
  summary?: string;
  fields?: Record<string, unknown>;
  items?: Array<{
    n?: number;
    id?: string;
    title?: string;
    url?: string | null;
    source?: string;
    source_type?: string;
    retrieved_at?: string;
    published_at?: string | null;
    age?: string | null;
    date_confidence?: string;
    freshness_score?: number | null;
    standing?: Record<string, unknown>;
    summary?: string;
    fields?: Record<string, unknown>;
  }>;
  truncated?: number;
  skipped?: Array<{
    count?: number;
    reason?: string;
  }>;
  failures?: Array<{
    what?: string;
    code?: string;
    message?: string;
    standing?: Record<string, unknown>;
  }>;
  notes?: Array<string>;
  next_cursor?: string;
  records?: Record<string, unknown>;
  message?: string;
  code?: string;
  answer_id?: string;
  answer_hash?: string;
  origins?: Record<string, unknown>;
};

export type EvaluateArguments = {
  /** Kind of sources */
  profile?: "official_docs" | "code_activity" | "social_pulse" | "academic_research" | "market_finance" | "jobs_opportunities" | "government_regulatory" | "company_intel" | "product_research" | "composite_landscape" | "multi_agent_handoff" | "local_custom";
  /** What it is for */
  intent?: "citation_check" | "student_research" | "developer_adoption" | "job_search" | "market_watch" | "business_due_diligence" | "medical_literature_triage";
  /** Up to 500 documents as you hold them (http_status, content_type, final_url, metadata too), or tool results */
  signals: Array<{
    /** URL or stable name */
    source?: string;
    /** Kind, e.g. arxiv, jobs */
    source_type?: string;
    /** Title */
    title?: string;
    /** Text */
    content?: string;
    /** E.g. 2026-01-31 */
    published_at?: string;
    /** Fetched at */
    retrieved_at?: string;
    /** Your relevance, 0 to 1 */
    semantic_score?: number;
    /** Of published_at */
    date_confidence?: "high" | "medium" | "low" | "unknown";
    /** Of retrieval */
    status?: "success" | "partial" | "stale" | "failed" | "unknown";
    /** Your id */
    id?: string;
  }>;
  /** Your question */
  query?: string;
  /** Default is now */
  now?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** What fits, to paste, and why the rest does not */
  budget?: {
    /** Tokens */
    max_tokens?: number;
    /** Items */
    max_items?: number;
    /** Of dates; default any */
    require?: "any" | "dated" | "fresh";
  };
};

export type RecheckAnswerArguments = {
  /** Id of the answer */
  answer_id?: string;
  /** Instead of an id: the tool */
  tool?: string;
  /** and what it was called with */
  arguments?: {
    url?: string;
    query?: string;
  };
  /** answer_hash of the answer */
  hash?: string;
  /** or what is newer than this */
  since?: string;
};

export type ReferencesArguments = {
  /** References as texts (npm:chalk@2.4.2, 10.1038/nature12373, RFC 793), or objects with ref, and title or company (of an SEC accession) */
  references?: Array<unknown>;
  /** A text, a bibliography (BibTeX, RIS, CSL JSON) or a lock file (package-lock.json, yarn.lock, pnpm-lock.yaml, Cargo.lock, requirements.txt, go.sum) that holds references */
  text?: string;
  /** Cursor of the previous answer, for the rest */
  cursor?: string;
};

export type StampArguments = Stamp;

export type VerifyArguments = Stamp;

export type ValidateArguments = Validated;

export type InspectArguments = Inspected;

export type ListToolsAnswer = {
  tools: Array<Record<string, unknown>>;
};

export type SpecAnswer = Record<string, unknown>;

export type SchemaAnswer = Record<string, unknown>;

export type DecayAnswer = Record<string, unknown>;

export type SourcesAnswer = {
  sources: Array<Record<string, unknown>>;
};

export type KeysAnswer = {
  keys: Array<Record<string, unknown>>;
};

export type OpenapiAnswer = Record<string, unknown>;

export type CheckReferencesArguments = {
  /** References as texts (npm:chalk@2.4.2, 10.1038/nature12373, RFC 793), or objects with ref, and title or company (of an SEC accession) */
  references?: Array<unknown>;
  /** A text, a bibliography (BibTeX, RIS, CSL JSON) or a lock file (package-lock.json, yarn.lock, pnpm-lock.yaml, Cargo.lock, requirements.txt, go.sum) that holds references */
  text?: string;
  /** Cursor of the previous answer, for the rest */
  cursor?: string;
};

export type DeliverableDiffArguments = {
  /** Name of the deliverable */
  name: string;
  /** Version */
  from: number;
  /** Version; left out: what is so now */
  to?: number;
};

export type DeliverableGenerateArguments = {
  /** Name of the deliverable */
  name: string;
  /** Keep a version without an item, too */
  allow_empty?: boolean;
};

export type DeliverableListArguments = {
};

export type EvaluateContextArguments = {
  /** Kind of sources */
  profile?: "official_docs" | "code_activity" | "social_pulse" | "academic_research" | "market_finance" | "jobs_opportunities" | "government_regulatory" | "company_intel" | "product_research" | "composite_landscape" | "multi_agent_handoff" | "local_custom";
  /** What it is for */
  intent?: "citation_check" | "student_research" | "developer_adoption" | "job_search" | "market_watch" | "business_due_diligence" | "medical_literature_triage";
  /** Up to 500 documents as you hold them (http_status, content_type, final_url, metadata too), or tool results */
  signals: Array<{
    /** URL or stable name */
    source?: string;
    /** Kind, e.g. arxiv, jobs */
    source_type?: string;
    /** Title */
    title?: string;
    /** Text */
    content?: string;
    /** E.g. 2026-01-31 */
    published_at?: string;
    /** Fetched at */
    retrieved_at?: string;
    /** Your relevance, 0 to 1 */
    semantic_score?: number;
    /** Of published_at */
    date_confidence?: "high" | "medium" | "low" | "unknown";
    /** Of retrieval */
    status?: "success" | "partial" | "stale" | "failed" | "unknown";
    /** Your id */
    id?: string;
  }>;
  /** Your question */
  query?: string;
  /** Default is now */
  now?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** What fits, to paste, and why the rest does not */
  budget?: {
    /** Tokens */
    max_tokens?: number;
    /** Items */
    max_items?: number;
    /** Of dates; default any */
    require?: "any" | "dated" | "fresh";
  };
};

export type ExtractArxivArguments = {
  /** Words (ti:, au:, cat:), ids, DOI or arXiv URL */
  url: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** Order */
  sort?: "relevance" | "newest" | "oldest";
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type ExtractChangelogArguments = {
  /** owner/repo, package (npm:express) or any URL */
  url: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type ExtractCompanyLandscapeArguments = {
  /** E.g. Palantir */
  company: string;
  /** E.g. PLTR */
  ticker?: string;
  /** Repository, for releases */
  github_url?: string;
  /** Characters */
  max_length?: number;
  /** Hide staler */
  min_freshness_score?: number;
  /** As of 2026-01-31 */
  as_of?: string;
};

export type ExtractFinanceArguments = {
  /** Up to 5 tickers, e.g. AAPL,^GSPC,BTC-USD */
  url: string;
  /** This provider only */
  provider?: "finnhub" | "twelvedata" | "cnbc" | "cboe" | "nasdaq" | "frankfurter" | "coinbase" | "yahoo";
  /** Characters */
  max_length?: number;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type ExtractFinanceLandscapeArguments = {
  /** Up to 5 tickers, e.g. NET,MSFT */
  tickers: string;
  /** Name to search */
  company_name?: string;
  /** owner/repo, or search words */
  github_query?: string;
  /** Characters */
  max_length?: number;
  /** Hide staler */
  min_freshness_score?: number;
  /** As of 2026-01-31 */
  as_of?: string;
};

export type ExtractGdeltArguments = {
  /** Words, quoted phrases, (a OR b), -word or a GDELT URL */
  url: string;
  /** Source language, e.g. spanish */
  language?: string;
  /** Source country, e.g. france */
  country?: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** Order */
  sort?: "newest" | "relevance" | "oldest";
  /** As of 2026-01-31 */
  as_of?: string;
};

export type ExtractGebizArguments = {
  /** Keyword, agency (MOH) or supplier; default all */
  url?: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** Order */
  sort?: "newest" | "oldest" | "top";
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
};

export type ExtractGithubArguments = {
  /** owner/name or its URL */
  url: string;
  /** Characters */
  max_length?: number;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type ExtractGovLandscapeArguments = {
  /** Company, topic or NAICS code */
  query: string;
  /** Repository, for releases */
  github_url?: string;
  /** Characters */
  max_length?: number;
  /** Hide staler */
  min_freshness_score?: number;
  /** As of 2026-01-31 */
  as_of?: string;
};

export type ExtractGovcontractsArguments = {
  /** Company, UEI, agency (NASA), topic, NAICS or award URL */
  url: string;
  /** Its date; default signed */
  by?: "signed" | "modified";
  /** Frameworks, not contracts */
  idv?: boolean;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** Order */
  sort?: "newest" | "oldest" | "top";
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
};

export type ExtractHackernewsArguments = {
  /** Words, an item id (8863) or a Hacker News URL */
  url: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** Order */
  sort?: "relevance" | "newest";
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type ExtractIdeaLandscapeArguments = {
  /** In a few words */
  idea: string;
  /** Characters */
  max_length?: number;
  /** Hide staler */
  min_freshness_score?: number;
  /** As of 2026-01-31 */
  as_of?: string;
};

export type ExtractLandscapeArguments = {
  /** E.g. vector database */
  topic: string;
  /** Characters */
  max_length?: number;
  /** Hide staler */
  min_freshness_score?: number;
  /** As of 2026-01-31 */
  as_of?: string;
};

export type ExtractProducthuntArguments = {
  /** Keyword or Product Hunt URL */
  url: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** Order */
  sort?: "relevance" | "newest" | "top";
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type ExtractRedditArguments = {
  /** Words, r/rust, r/rust words, u/name or URL */
  url: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** Order */
  sort?: "relevance" | "newest" | "top";
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type ExtractScholarArguments = {
  /** Words, author:"name" or a Scholar URL */
  url: string;
  /** false: ask Scholar alone */
  fallback?: boolean;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** Order */
  sort?: "relevance" | "newest";
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type ExtractSecFilingsArguments = {
  /** Ticker (PLTR), CIK, company, topic or EDGAR URL */
  url: string;
  /** Forms, e.g. 10-K,10-Q; or all */
  forms?: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type ExtractYcArguments = {
  /** Words, a batch (W26) or YC companies URL */
  url: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** Order */
  sort?: "relevance" | "newest";
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type PackageTrendsArguments = {
  /** Up to 10, e.g. npm:react,pypi:flask,crates:serde */
  packages: string;
  /** Characters */
  max_length?: number;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type RecheckArguments = {
  /** Id of the answer */
  answer_id?: string;
  /** Instead of an id: the tool */
  tool?: string;
  /** and what it was called with */
  arguments?: {
    url?: string;
    query?: string;
  };
  /** answer_hash of the answer */
  hash?: string;
  /** or what is newer than this */
  since?: string;
};

export type SearchJobsArguments = {
  /** Role or skill, e.g. rust engineer */
  query: string;
  /** E.g. Germany */
  location?: string;
  /** Remote jobs only */
  remote_only?: boolean;
  /** Oldest advert */
  max_age_days?: number;
  /** Words to point out */
  keywords?: Array<string>;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

export type SearchReposArguments = {
  /** Words, qualifiers: vector database language:rust */
  query: string;
  /** Characters */
  max_length?: number;
  /** Items */
  limit?: number;
  /** First day */
  since?: string;
  /** Last day */
  until?: string;
  /** Order */
  sort?: "relevance" | "newest" | "top";
  /** Next-Cursor */
  cursor?: string;
  /** As of 2026-01-31 */
  as_of?: string;
  /** Cache, seconds */
  max_age?: number;
};

/** A refused request or a failed call: the problem (RFC 9457), and the status of the response. */
export class FreshContextError extends Error {
  constructor(readonly status: number, readonly problem: Partial<Problem>) {
    super(problem.detail ?? `status ${status}`);
  }
}

/** One server. `token` is sent as a bearer token; `timeoutMs` ends a request. */
export class FreshContext {
  constructor(
    readonly base: string = "http://127.0.0.1:8787",
    readonly options: { token?: string; timeoutMs?: number } = {},
  ) {}

  private async send(method: string, path: string, body: unknown, accept: string): Promise<string> {
    const headers: Record<string, string> = { Accept: accept, "Content-Type": "application/json" };
    if (this.options.token !== undefined) headers.Authorization = `Bearer ${this.options.token}`;
    const response = await fetch(this.base.replace(/\/+$/, "") + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(this.options.timeoutMs ?? 120_000),
    });
    const text = await response.text();
    if (response.ok) return text;
    let problem: Partial<Problem>;
    try {
      problem = JSON.parse(text);
    } catch {
      problem = { status: response.status, detail: text };
    }
    throw new FreshContextError(response.status, problem);
  }

  private async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    return JSON.parse(await this.send(method, path, body, "application/json")) as T;
  }

  /** The answer of a tool as text, as a model reads it. */
  text(tool: string, body: unknown): Promise<string> {
    return this.send("POST", `/v1/tools/${tool}`, body, "text/plain");
  }

  /** Evaluates documents that the caller has. Its text: `text`. */
  evaluate(body: EvaluateArguments): Promise<EvaluateContextResult> {
    return this.json("POST", "/v1/evaluate", body);
  }

  /** Says whether an earlier answer still holds. Its text: `text`. */
  recheckAnswer(body: RecheckAnswerArguments): Promise<RecheckResult> {
    return this.json("POST", "/v1/recheck", body);
  }

  /** Says of each reference whether it still stands. Its text: `text`. */
  references(body: ReferencesArguments): Promise<CheckReferencesResult> {
    return this.json("POST", "/v1/references", body);
  }

  /** Stamps facts with a hash (Ha-Pri, version 2). */
  stamp(body: StampArguments): Promise<Stamp> {
    return this.json("POST", "/v1/stamp", body);
  }

  /** Checks the hash of stamped facts. */
  verify(body: VerifyArguments): Promise<Verified> {
    return this.json("POST", "/v1/verify", body);
  }

  /** Validates a FreshContext response: level, and what it lacks. */
  validate(body: ValidateArguments): Promise<Report> {
    return this.json("POST", "/v1/validate", body);
  }

  /** Says whether a text is content or a failed retrieval. */
  inspect(body: InspectArguments): Promise<Inspection> {
    return this.json("POST", "/v1/inspect", body);
  }

  /** The tools, as MCP lists them, each with an example. */
  listTools(): Promise<ListToolsAnswer> {
    return this.json("GET", "/v1/tools");
  }

  /** Whether the server takes new work, and its version. */
  health(): Promise<Health> {
    return this.json("GET", "/v1/health");
  }

  /** The implemented specification: version, levels, sentences. */
  spec(): Promise<SpecAnswer> {
    return this.json("GET", "/v1/spec");
  }

  /** The JSON Schema of an answer. */
  schema(): Promise<SchemaAnswer> {
    return this.json("GET", "/v1/schema");
  }

  /** Decay classes and the rates in force. */
  decay(): Promise<DecayAnswer> {
    return this.json("GET", "/v1/decay");
  }

  /** The sources: routes, keys, limits, terms, and the live state of each. */
  sources(): Promise<SourcesAnswer> {
    return this.json("GET", "/v1/sources");
  }

  /** Public keys of signatures (JWK Set), and what a signature says. */
  keys(): Promise<KeysAnswer> {
    return this.json("GET", "/v1/keys");
  }

  /** This description. */
  openapi(): Promise<OpenapiAnswer> {
    return this.json("GET", "/openapi.json");
  }

  /** Check references. Its text: `text`. */
  checkReferences(body: CheckReferencesArguments): Promise<CheckReferencesResult> {
    return this.json("POST", "/v1/tools/check_references", body);
  }

  /** Compare versions of a deliverable. Its text: `text`. */
  deliverableDiff(body: DeliverableDiffArguments): Promise<DeliverableDiffResult> {
    return this.json("POST", "/v1/tools/deliverable_diff", body);
  }

  /** Generate a deliverable. Its text: `text`. */
  deliverableGenerate(body: DeliverableGenerateArguments): Promise<DeliverableGenerateResult> {
    return this.json("POST", "/v1/tools/deliverable_generate", body);
  }

  /** List deliverables. Its text: `text`. */
  deliverableList(body: DeliverableListArguments): Promise<DeliverableListResult> {
    return this.json("POST", "/v1/tools/deliverable_list", body);
  }

  /** Evaluate context. Its text: `text`. */
  evaluateContext(body: EvaluateContextArguments): Promise<EvaluateContextResult> {
    return this.json("POST", "/v1/tools/evaluate_context", body);
  }

  /** arXiv. Its text: `text`. */
  extractArxiv(body: ExtractArxivArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_arxiv", body);
  }

  /** Changelog. Its text: `text`. */
  extractChangelog(body: ExtractChangelogArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_changelog", body);
  }

  /** Company landscape. Its text: `text`. */
  extractCompanyLandscape(body: ExtractCompanyLandscapeArguments): Promise<ExtractCompanyLandscapeResult> {
    return this.json("POST", "/v1/tools/extract_company_landscape", body);
  }

  /** Quotes. Its text: `text`. */
  extractFinance(body: ExtractFinanceArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_finance", body);
  }

  /** Finance landscape. Its text: `text`. */
  extractFinanceLandscape(body: ExtractFinanceLandscapeArguments): Promise<ExtractCompanyLandscapeResult> {
    return this.json("POST", "/v1/tools/extract_finance_landscape", body);
  }

  /** World news. Its text: `text`. */
  extractGdelt(body: ExtractGdeltArguments): Promise<ExtractGdeltResult> {
    return this.json("POST", "/v1/tools/extract_gdelt", body);
  }

  /** Singapore tenders. Its text: `text`. */
  extractGebiz(body: ExtractGebizArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_gebiz", body);
  }

  /** GitHub. Its text: `text`. */
  extractGithub(body: ExtractGithubArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_github", body);
  }

  /** Government landscape. Its text: `text`. */
  extractGovLandscape(body: ExtractGovLandscapeArguments): Promise<ExtractCompanyLandscapeResult> {
    return this.json("POST", "/v1/tools/extract_gov_landscape", body);
  }

  /** US contracts. Its text: `text`. */
  extractGovcontracts(body: ExtractGovcontractsArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_govcontracts", body);
  }

  /** Hacker News. Its text: `text`. */
  extractHackernews(body: ExtractHackernewsArguments): Promise<ExtractGdeltResult> {
    return this.json("POST", "/v1/tools/extract_hackernews", body);
  }

  /** Idea landscape. Its text: `text`. */
  extractIdeaLandscape(body: ExtractIdeaLandscapeArguments): Promise<ExtractCompanyLandscapeResult> {
    return this.json("POST", "/v1/tools/extract_idea_landscape", body);
  }

  /** Topic landscape. Its text: `text`. */
  extractLandscape(body: ExtractLandscapeArguments): Promise<ExtractCompanyLandscapeResult> {
    return this.json("POST", "/v1/tools/extract_landscape", body);
  }

  /** Product Hunt. Its text: `text`. */
  extractProducthunt(body: ExtractProducthuntArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_producthunt", body);
  }

  /** Reddit. Its text: `text`. */
  extractReddit(body: ExtractRedditArguments): Promise<ExtractGdeltResult> {
    return this.json("POST", "/v1/tools/extract_reddit", body);
  }

  /** Papers. Its text: `text`. */
  extractScholar(body: ExtractScholarArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_scholar", body);
  }

  /** SEC filings. Its text: `text`. */
  extractSecFilings(body: ExtractSecFilingsArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_sec_filings", body);
  }

  /** Y Combinator. Its text: `text`. */
  extractYc(body: ExtractYcArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/extract_yc", body);
  }

  /** Packages. Its text: `text`. */
  packageTrends(body: PackageTrendsArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/package_trends", body);
  }

  /** Recheck an answer. Its text: `text`. */
  recheck(body: RecheckArguments): Promise<RecheckResult> {
    return this.json("POST", "/v1/tools/recheck", body);
  }

  /** Job boards. Its text: `text`. */
  searchJobs(body: SearchJobsArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/search_jobs", body);
  }

  /** GitHub search. Its text: `text`. */
  searchRepos(body: SearchReposArguments): Promise<ExtractArxivResult> {
    return this.json("POST", "/v1/tools/search_repos", body);
  }
}
