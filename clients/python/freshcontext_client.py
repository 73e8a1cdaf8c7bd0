# Generated from the server's description by `cargo xtask generate`; edits are lost.
"""A thin, typed client of FreshContext's REST interface. It needs Python 3.11 and nothing else."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, Literal, NotRequired, TypedDict, cast

Stamp = TypedDict(
    "Stamp",
    {
        # Signature scheme, made by [`stamped`](Self::stamped).
        "scheme": "NotRequired[Scheme | None]",
        # Identity of the result.
        "result_id": "NotRequired[str | None]",
        # The text as retrieved.
        "content": "str",
        # Meaning of the text, in the caller's words.
        "semantic_fingerprint": "NotRequired[str | None]",
        # The source.
        "adapter": "str",
        # Date of publication.
        "published_at": "NotRequired[str | None]",
        # Date of retrieval.
        "retrieved_at": "NotRequired[str | None]",
        # Version of what evaluated the text.
        "engine_version": "NotRequired[str | None]",
        # Id of the verdict; signed with a key only.
        "verdict_id": "NotRequired[str | None]",
        # Name of the decision; signed with a key only.
        "decision": "NotRequired[str | None]",
        # The signature, made by [`stamped`](Self::stamped).
        "signature": "NotRequired[str | None]",
    },
)

Scheme = Literal['FRESHCONTEXT_HA_PRI_V2', 'FRESHCONTEXT_HA_PRI_V3']

Verified = TypedDict(
    "Verified",
    {
        # `valid`, `invalid` or `unknown`.
        "verification": "str",
        # What that means.
        "detail": "str",
        # What the signature covers, if it is valid.
        "covers": "NotRequired[str | None]",
    },
)

Validated = TypedDict(
    "Validated",
    {
        # The response: its text, or the JSON itself.
        "response": "Any",
    },
)

Report = TypedDict(
    "Report",
    {
        # Version of the specification that defines the levels.
        "specification": "str",
        # The form that was found.
        "form": "Form",
        # The lowest level of all parts.
        "level": "Level",
        # What the response lacks for higher levels, the next level first.
        "lacks": "list[Lack]",
        # Observations that break no rule.
        "notes": "list[str]",
        # All checks, in order.
        "checks": "list[Check]",
    },
)

Form = Literal['text', 'json']

Level = Literal['fail', 'aware', 'compatible', 'scored']

Lack = TypedDict(
    "Lack",
    {
        # The lowest level that the response cannot reach because of it.
        "level": "Level",
        # The part concerned, with its position if there are several.
        "what": "str",
        # The problem: `missing`, or why a check failed.
        "problem": "str",
        # The sentence of the specification that requires it.
        "says": "str",
    },
)

Check = TypedDict(
    "Check",
    {
        # Name of the check, with its position if there are several: `envelope 2: source`.
        "name": "str",
        # Whether it passed.
        "passed": "bool",
        # What was found.
        "message": "str",
    },
)

Inspected = TypedDict(
    "Inspected",
    {
        # The text.
        "text": "str",
    },
)

Inspection = TypedDict(
    "Inspection",
    {
        # Whether the text is a failed retrieval rather than content.
        "failed": "bool",
        # Kind of failure; `None` for content.
        "kind": "NotRequired[FailureKind | None]",
        # Confidence of the classification, 0..=1. For a failure, 0.5..0.9 means weak evidence: worth a note, not an exclusion.
        "confidence": "float",
        # Reason in one line.
        "reason": "str",
        # Contributing facts, strongest first; at most eight.
        "evidence": "list[Evidence]",
    },
)

FailureKind = Literal['challenge', 'access_denied', 'rate_limited', 'login_required', 'not_found', 'unavailable', 'timeout', 'client_error', 'server_error', 'script_required', 'consent_wall', 'parked', 'empty', 'malformed', 'tool_error']

Evidence = TypedDict(
    "Evidence",
    {
        # Aspect of the text: `form`, `wall`, `wording`, `shape`, `value`, `residue`.
        "aspect": "str",
        # The observation, in a few words; quotations are shortened.
        "seen": "str",
    },
)

Health = TypedDict(
    "Health",
    {
        # `ready`, or `draining` where the server takes no new work.
        "status": "str",
        # Name of the server.
        "name": "str",
        # Version of the server.
        "version": "str",
        # Version of the implemented specification.
        "specification": "str",
    },
)

Problem = TypedDict(
    "Problem",
    {
        # `urn:freshcontext:` and the code.
        "type": "str",
        # The kind of problem in a few words.
        "title": "str",
        # The status of the response.
        "status": "int",
        # What happened, in one sentence.
        "detail": "str",
        # The error code; docs/rest.md lists them with their statuses.
        "code": "Literal['invalid_input', 'blocked_address', 'not_found', 'rate_limited', 'access_denied', 'challenge', 'timeout', 'unreachable', 'malformed', 'too_large', 'upstream_error', 'misconfigured', 'circuit_open', 'overloaded', 'cancelled', 'internal']",
        # What to do about it.
        "hint": "NotRequired[str | None]",
        # The argument at fault.
        "field": "NotRequired[str | None]",
        # Delay before the next attempt in seconds, as in `Retry-After`.
        "retry_after_s": "NotRequired[int | None]",
        # The id in `X-Request-Id`.
        "request_id": "str",
        # Structured result of a failed call, as MCP has it.
        "result": "NotRequired[dict[str, Any] | None]",
    },
)

EvaluateContextResultResultsItemHandoff = TypedDict(
    "EvaluateContextResultResultsItemHandoff",
    {
        "safe_for_agent_handoff": "NotRequired[bool]",
        "reason": "NotRequired[str]",
    },
)

EvaluateContextResultResultsItemProvenanceReadinessSourceIdentity = TypedDict(
    "EvaluateContextResultResultsItemProvenanceReadinessSourceIdentity",
    {
        "source_type": "NotRequired[str]",
        "result_id": "NotRequired[str | None]",
        "completeness": "NotRequired[str]",
    },
)

EvaluateContextResultResultsItemProvenanceReadiness = TypedDict(
    "EvaluateContextResultResultsItemProvenanceReadiness",
    {
        "state": "NotRequired[str]",
        "source_identity": "NotRequired[EvaluateContextResultResultsItemProvenanceReadinessSourceIdentity]",
        "published_at": "NotRequired[str | None]",
        "retrieved_at": "NotRequired[str]",
        "timing_confidence": "NotRequired[str]",
        "timing_completeness": "NotRequired[str]",
        "canonical_content_sha256": "NotRequired[str | None]",
        "semantic_fingerprint_sha256": "NotRequired[str | None]",
        "warnings": "NotRequired[list[str]]",
    },
)

EvaluateContextResultResultsItem = TypedDict(
    "EvaluateContextResultResultsItem",
    {
        # Place from 1
        "index": "int",
        "id": "NotRequired[str | float]",
        # In signals, from 0
        "input_index": "NotRequired[int]",
        "title": "NotRequired[str]",
        "source": "NotRequired[str]",
        "source_type": "NotRequired[str]",
        "decision": "Literal['use_first', 'cite_as_primary', 'cite_as_supporting', 'use_as_background', 'needs_refresh', 'needs_verification', 'watch_only', 'exclude']",
        "label": "NotRequired[str]",
        "freshness_score": "NotRequired[float | None]",
        # 0 to 1, sets the order
        "rank_score": "float",
        "selection_rank": "NotRequired[float]",
        "relevance": "NotRequired[str]",
        "utility_score": "NotRequired[float | None]",
        "confidence": "NotRequired[str]",
        "why": "list[str]",
        "warnings": "NotRequired[list[str]]",
        "standing": "NotRequired[dict[str, Any]]",
        "verdict_id": "str",
        "evaluated_at": "NotRequired[str]",
        "revalidate_after": "NotRequired[str | None]",
        "handoff": "NotRequired[EvaluateContextResultResultsItemHandoff]",
        "provenance_readiness": "NotRequired[EvaluateContextResultResultsItemProvenanceReadiness]",
    },
)

EvaluateContextResult = TypedDict(
    "EvaluateContextResult",
    {
        "profile": "NotRequired[str]",
        "intent": "NotRequired[str]",
        "now": "NotRequired[str]",
        "notes": "NotRequired[list[str]]",
        # Label, meaning, action, summary
        "legend": "NotRequired[dict[str, Any]]",
        # schemas/agent-context/bundle.json
        "records": "NotRequired[dict[str, Any]]",
        "results": "NotRequired[list[EvaluateContextResultResultsItem]]",
        "origins": "NotRequired[dict[str, Any]]",
        # Under a budget: selected [{index, item_id, tokens, cut}], omitted [{index, reason, detail}], note
        "selection": "NotRequired[dict[str, Any]]",
        # limits, actual_tokens, actual_bytes, actual_items, tokenizer, token_counts, overflow_strategy, require, truncation_records
        "budget": "NotRequired[dict[str, Any]]",
        # text, blocks [{index, text, tokens}]
        "assembly": "NotRequired[dict[str, Any]]",
        # Gaps, and the calls that fill them; pass missing_id in their _meta as freshcontext/missing_id
        "missing_context": "NotRequired[list[dict[str, Any]]]",
    },
)

RecheckResultSectionsItem = TypedDict(
    "RecheckResultSectionsItem",
    {
        "tool": "str",
        "label": "str",
        "verdict": "Literal['current', 'changed', 'gone', 'could_not_check']",
    },
)

RecheckResultItemsItem = TypedDict(
    "RecheckResultItemsItem",
    {
        "id": "str",
        "verdict": "Literal['current', 'changed', 'gone', 'could_not_check']",
        "detail": "NotRequired[str]",
        "changed": "NotRequired[list[str]]",
        "published_then": "NotRequired[str]",
        "published_now": "NotRequired[str]",
        "standing_then": "NotRequired[str]",
        "standing_now": "NotRequired[str]",
        # New values of what changed
        "now": "NotRequired[dict[str, Any]]",
    },
)

RecheckResult = TypedDict(
    "RecheckResult",
    {
        "verdict": "NotRequired[Literal['current', 'changed', 'gone', 'could_not_check']]",
        "answer_id": "NotRequired[str]",
        "tool": "NotRequired[str]",
        "answered_at": "NotRequired[str]",
        "answered_at_ahead": "NotRequired[str]",
        "checked_at": "NotRequired[str]",
        "compared": "NotRequired[str]",
        "not_rechecked": "NotRequired[list[str]]",
        # Of a composite: each section, found as a whole answer is
        "sections": "NotRequired[list[RecheckResultSectionsItem]]",
        "items": "NotRequired[list[RecheckResultItemsItem]]",
        "added": "NotRequired[list[str]]",
        "added_count": "NotRequired[int]",
        "changed": "NotRequired[list[str]]",
        "now": "NotRequired[dict[str, Any]]",
        "evidence": "NotRequired[list[dict[str, Any]]]",
        "answer_hash_now": "NotRequired[str]",
        "requests": "NotRequired[int]",
        "bytes": "NotRequired[int]",
        "code": "NotRequired[str]",
        "message": "NotRequired[str]",
        "retry_after_s": "NotRequired[int]",
        "hint": "NotRequired[str]",
    },
)

CheckReferencesResultResultsItem = TypedDict(
    "CheckReferencesResultResultsItem",
    {
        "ref": "str",
        "kind": "NotRequired[str]",
        "id": "NotRequired[str]",
        "verdict": "Literal['gone', 'withdrawn', 'superseded', 'moved', 'could_not_check', 'not_recognised', 'stands']",
        "standing": "NotRequired[dict[str, Any]]",
        "date": "NotRequired[str]",
        "title": "NotRequired[str]",
        "title_differs": "NotRequired[bool]",
        "confidence": "Literal['high', 'medium', 'low']",
        "evidence": "list[dict[str, Any]]",
        "replaced_by": "NotRequired[dict[str, Any]]",
        "archived_copy": "NotRequired[dict[str, Any]]",
        "checked_at": "str",
        "detail": "NotRequired[str]",
        "message": "NotRequired[str]",
    },
)

CheckReferencesResult = TypedDict(
    "CheckReferencesResult",
    {
        # References by verdict
        "counts": "NotRequired[dict[str, Any]]",
        # References in all, of which these are one page
        "total": "NotRequired[int]",
        # What `text` was read as
        "format": "NotRequired[str]",
        "results": "NotRequired[list[CheckReferencesResultResultsItem]]",
        "notes": "NotRequired[list[str]]",
        # For those that are not settled yet: call again with the same arguments
        "cursor": "NotRequired[str]",
    },
)

DeliverableDiffResult = TypedDict(
    "DeliverableDiffResult",
    {
        "name": "NotRequired[str]",
        "from": "NotRequired[int]",
        "compared_at": "NotRequired[str]",
        "same": "NotRequired[bool]",
        "diff": "NotRequired[dict[str, Any]]",
    },
)

DeliverableGenerateResult = TypedDict(
    "DeliverableGenerateResult",
    {
        "name": "NotRequired[str]",
        "version": "NotRequired[int]",
        "generated_at": "NotRequired[str]",
        "hash": "NotRequired[str]",
        "source_snapshots": "NotRequired[list[dict[str, Any]]]",
        "items": "NotRequired[list[dict[str, Any]]]",
        "markdown": "NotRequired[str]",
        "requests": "NotRequired[int]",
    },
)

DeliverableListResult = TypedDict(
    "DeliverableListResult",
    {
        "deliverables": "NotRequired[list[dict[str, Any]]]",
    },
)

ExtractArxivResultFreshcontext = TypedDict(
    "ExtractArxivResultFreshcontext",
    {
        "source_url": "NotRequired[str]",
        "content_date": "NotRequired[str | None]",
        "retrieved_at": "NotRequired[str]",
        "freshness_confidence": "NotRequired[str]",
        "freshness_score": "NotRequired[float | None]",
        "adapter": "NotRequired[str]",
        "decay_rate": "NotRequired[float]",
    },
)

ExtractArxivResultItemsItem = TypedDict(
    "ExtractArxivResultItemsItem",
    {
        "n": "NotRequired[int]",
        "id": "NotRequired[str]",
        "title": "NotRequired[str]",
        "url": "NotRequired[str | None]",
        "source": "NotRequired[str]",
        "source_type": "NotRequired[str]",
        "retrieved_at": "NotRequired[str]",
        "published_at": "NotRequired[str | None]",
        "age": "NotRequired[str | None]",
        "date_confidence": "NotRequired[str]",
        "freshness_score": "NotRequired[float | None]",
        "standing": "NotRequired[dict[str, Any]]",
        "summary": "NotRequired[str]",
        "fields": "NotRequired[dict[str, Any]]",
    },
)

ExtractArxivResultSkippedItem = TypedDict(
    "ExtractArxivResultSkippedItem",
    {
        "count": "NotRequired[int]",
        "reason": "NotRequired[str]",
    },
)

ExtractArxivResultFailuresItem = TypedDict(
    "ExtractArxivResultFailuresItem",
    {
        "what": "NotRequired[str]",
        "code": "NotRequired[str]",
        "message": "NotRequired[str]",
        "standing": "NotRequired[dict[str, Any]]",
    },
)

ExtractArxivResult = TypedDict(
    "ExtractArxivResult",
    {
        "freshcontext": "NotRequired[ExtractArxivResultFreshcontext]",
        "content": "NotRequired[str]",
        "content_age": "NotRequired[str | None]",
        "staleness": "NotRequired[str]",
        "revalidate_after": "NotRequired[str | None]",
        "content_is_external": "NotRequired[bool]",
        "as_of": "NotRequired[str]",
        "standing": "NotRequired[dict[str, Any]]",
        "standing_told": "NotRequired[str]",
        "status": "NotRequired[Literal['success', 'partial', 'empty']]",
        "route": "NotRequired[str]",
        "summary": "NotRequired[str]",
        "fields": "NotRequired[dict[str, Any]]",
        "items": "NotRequired[list[ExtractArxivResultItemsItem]]",
        "truncated": "NotRequired[int]",
        "skipped": "NotRequired[list[ExtractArxivResultSkippedItem]]",
        "failures": "NotRequired[list[ExtractArxivResultFailuresItem]]",
        "notes": "NotRequired[list[str]]",
        "next_cursor": "NotRequired[str]",
        "records": "NotRequired[dict[str, Any]]",
        "message": "NotRequired[str]",
        "code": "NotRequired[str]",
        "answer_id": "NotRequired[str]",
        "answer_hash": "NotRequired[str]",
    },
)

ExtractCompanyLandscapeResultCoverageMissingItem = TypedDict(
    "ExtractCompanyLandscapeResultCoverageMissingItem",
    {
        "adapter": "NotRequired[str]",
        "code": "NotRequired[str]",
        "tool": "NotRequired[str]",
    },
)

ExtractCompanyLandscapeResultCoverage = TypedDict(
    "ExtractCompanyLandscapeResultCoverage",
    {
        "sources": "NotRequired[int]",
        "answered": "NotRequired[int]",
        "stale": "NotRequired[int]",
        "undated": "NotRequired[int]",
        "skipped": "NotRequired[int]",
        "failed": "NotRequired[int]",
        "weakest": "NotRequired[dict[str, Any] | None]",
        "missing": "NotRequired[list[ExtractCompanyLandscapeResultCoverageMissingItem]]",
    },
)

ExtractCompanyLandscapeResultSectionsItem = TypedDict(
    "ExtractCompanyLandscapeResultSectionsItem",
    {
        "adapter": "NotRequired[str]",
        "tool": "NotRequired[str]",
        "label": "NotRequired[str]",
        "status": "NotRequired[Literal['success', 'partial', 'empty', 'stale', 'undated', 'skipped', 'failed']]",
        "newest": "NotRequired[str | None]",
        "age": "NotRequired[str | None]",
        "score": "NotRequired[float | None]",
        "items": "NotRequired[int]",
        "taken_for": "NotRequired[str]",
        "looked_through": "NotRequired[str]",
        "arguments": "NotRequired[dict[str, Any]]",
        "result": "NotRequired[dict[str, Any]]",
        "stale": "NotRequired[dict[str, Any]]",
        "undated": "NotRequired[dict[str, Any]]",
        "skipped": "NotRequired[dict[str, Any]]",
        "error": "NotRequired[dict[str, Any]]",
    },
)

ExtractCompanyLandscapeResult = TypedDict(
    "ExtractCompanyLandscapeResult",
    {
        "generated_at": "NotRequired[str]",
        "query": "NotRequired[str]",
        "content_is_external": "NotRequired[bool]",
        "partial": "NotRequired[bool]",
        "coverage": "NotRequired[ExtractCompanyLandscapeResultCoverage]",
        "sections": "NotRequired[list[ExtractCompanyLandscapeResultSectionsItem]]",
        "origins": "NotRequired[dict[str, Any]]",
        "notes": "NotRequired[list[str]]",
        "records": "NotRequired[dict[str, Any]]",
        "message": "NotRequired[str]",
        "code": "NotRequired[str]",
        "answer_id": "NotRequired[str]",
    },
)

ExtractGdeltResultFreshcontext = TypedDict(
    "ExtractGdeltResultFreshcontext",
    {
        "source_url": "NotRequired[str]",
        "content_date": "NotRequired[str | None]",
        "retrieved_at": "NotRequired[str]",
        "freshness_confidence": "NotRequired[str]",
        "freshness_score": "NotRequired[float | None]",
        "adapter": "NotRequired[str]",
        "decay_rate": "NotRequired[float]",
    },
)

ExtractGdeltResultItemsItem = TypedDict(
    "ExtractGdeltResultItemsItem",
    {
        "n": "NotRequired[int]",
        "id": "NotRequired[str]",
        "title": "NotRequired[str]",
        "url": "NotRequired[str | None]",
        "source": "NotRequired[str]",
        "source_type": "NotRequired[str]",
        "retrieved_at": "NotRequired[str]",
        "published_at": "NotRequired[str | None]",
        "age": "NotRequired[str | None]",
        "date_confidence": "NotRequired[str]",
        "freshness_score": "NotRequired[float | None]",
        "standing": "NotRequired[dict[str, Any]]",
        "summary": "NotRequired[str]",
        "fields": "NotRequired[dict[str, Any]]",
    },
)

ExtractGdeltResultSkippedItem = TypedDict(
    "ExtractGdeltResultSkippedItem",
    {
        "count": "NotRequired[int]",
        "reason": "NotRequired[str]",
    },
)

ExtractGdeltResultFailuresItem = TypedDict(
    "ExtractGdeltResultFailuresItem",
    {
        "what": "NotRequired[str]",
        "code": "NotRequired[str]",
        "message": "NotRequired[str]",
        "standing": "NotRequired[dict[str, Any]]",
    },
)

ExtractGdeltResult = TypedDict(
    "ExtractGdeltResult",
    {
        "freshcontext": "NotRequired[ExtractGdeltResultFreshcontext]",
        "content": "NotRequired[str]",
        "content_age": "NotRequired[str | None]",
        "staleness": "NotRequired[str]",
        "revalidate_after": "NotRequired[str | None]",
        "content_is_external": "NotRequired[bool]",
        "as_of": "NotRequired[str]",
        "standing": "NotRequired[dict[str, Any]]",
        "standing_told": "NotRequired[str]",
        "status": "NotRequired[Literal['success', 'partial', 'empty']]",
        "route": "NotRequired[str]",
        "summary": "NotRequired[str]",
        "fields": "NotRequired[dict[str, Any]]",
        "items": "NotRequired[list[ExtractGdeltResultItemsItem]]",
        "truncated": "NotRequired[int]",
        "skipped": "NotRequired[list[ExtractGdeltResultSkippedItem]]",
        "failures": "NotRequired[list[ExtractGdeltResultFailuresItem]]",
        "notes": "NotRequired[list[str]]",
        "next_cursor": "NotRequired[str]",
        "records": "NotRequired[dict[str, Any]]",
        "message": "NotRequired[str]",
        "code": "NotRequired[str]",
        "answer_id": "NotRequired[str]",
        "answer_hash": "NotRequired[str]",
        "origins": "NotRequired[dict[str, Any]]",
    },
)

EvaluateArgumentsSignalsItem = TypedDict(
    "EvaluateArgumentsSignalsItem",
    {
        # URL or stable name
        "source": "NotRequired[str]",
        # Kind, e.g. arxiv, jobs
        "source_type": "NotRequired[str]",
        # Title
        "title": "NotRequired[str]",
        # Text
        "content": "NotRequired[str]",
        # E.g. 2026-01-31
        "published_at": "NotRequired[str]",
        # Fetched at
        "retrieved_at": "NotRequired[str]",
        # Your relevance, 0 to 1
        "semantic_score": "NotRequired[float]",
        # Of published_at
        "date_confidence": "NotRequired[Literal['high', 'medium', 'low', 'unknown']]",
        # Of retrieval
        "status": "NotRequired[Literal['success', 'partial', 'stale', 'failed', 'unknown']]",
        # Your id
        "id": "NotRequired[str]",
    },
)

EvaluateArgumentsBudget = TypedDict(
    "EvaluateArgumentsBudget",
    {
        # Tokens
        "max_tokens": "NotRequired[int]",
        # Items
        "max_items": "NotRequired[int]",
        # Of dates; default any
        "require": "NotRequired[Literal['any', 'dated', 'fresh']]",
    },
)

EvaluateArguments = TypedDict(
    "EvaluateArguments",
    {
        # Kind of sources
        "profile": "NotRequired[Literal['official_docs', 'code_activity', 'social_pulse', 'academic_research', 'market_finance', 'jobs_opportunities', 'government_regulatory', 'company_intel', 'product_research', 'composite_landscape', 'multi_agent_handoff', 'local_custom']]",
        # What it is for
        "intent": "NotRequired[Literal['citation_check', 'student_research', 'developer_adoption', 'job_search', 'market_watch', 'business_due_diligence', 'medical_literature_triage']]",
        # Up to 500 documents as you hold them (http_status, content_type, final_url, metadata too), or tool results
        "signals": "list[EvaluateArgumentsSignalsItem]",
        # Your question
        "query": "NotRequired[str]",
        # Default is now
        "now": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # What fits, to paste, and why the rest does not
        "budget": "NotRequired[EvaluateArgumentsBudget]",
    },
)

RecheckAnswerArgumentsArguments = TypedDict(
    "RecheckAnswerArgumentsArguments",
    {
        "url": "NotRequired[str]",
        "query": "NotRequired[str]",
    },
)

RecheckAnswerArguments = TypedDict(
    "RecheckAnswerArguments",
    {
        # Id of the answer
        "answer_id": "NotRequired[str]",
        # Instead of an id: the tool
        "tool": "NotRequired[str]",
        # and what it was called with
        "arguments": "NotRequired[RecheckAnswerArgumentsArguments]",
        # answer_hash of the answer
        "hash": "NotRequired[str]",
        # or what is newer than this
        "since": "NotRequired[str]",
    },
)

ReferencesArguments = TypedDict(
    "ReferencesArguments",
    {
        # References as texts (npm:chalk@2.4.2, 10.1038/nature12373, RFC 793), or objects with ref, and title or company (of an SEC accession)
        "references": "NotRequired[list[Any]]",
        # A text, a bibliography (BibTeX, RIS, CSL JSON) or a lock file (package-lock.json, yarn.lock, pnpm-lock.yaml, Cargo.lock, requirements.txt, go.sum) that holds references
        "text": "NotRequired[str]",
        # Cursor of the previous answer, for the rest
        "cursor": "NotRequired[str]",
    },
)

ListToolsAnswer = TypedDict(
    "ListToolsAnswer",
    {
        "tools": "list[dict[str, Any]]",
    },
)

SourcesAnswer = TypedDict(
    "SourcesAnswer",
    {
        "sources": "list[dict[str, Any]]",
    },
)

KeysAnswer = TypedDict(
    "KeysAnswer",
    {
        "keys": "list[dict[str, Any]]",
    },
)

CheckReferencesArguments = TypedDict(
    "CheckReferencesArguments",
    {
        # References as texts (npm:chalk@2.4.2, 10.1038/nature12373, RFC 793), or objects with ref, and title or company (of an SEC accession)
        "references": "NotRequired[list[Any]]",
        # A text, a bibliography (BibTeX, RIS, CSL JSON) or a lock file (package-lock.json, yarn.lock, pnpm-lock.yaml, Cargo.lock, requirements.txt, go.sum) that holds references
        "text": "NotRequired[str]",
        # Cursor of the previous answer, for the rest
        "cursor": "NotRequired[str]",
    },
)

DeliverableDiffArguments = TypedDict(
    "DeliverableDiffArguments",
    {
        # Name of the deliverable
        "name": "str",
        # Version
        "from": "int",
        # Version; left out: what is so now
        "to": "NotRequired[int]",
    },
)

DeliverableGenerateArguments = TypedDict(
    "DeliverableGenerateArguments",
    {
        # Name of the deliverable
        "name": "str",
        # Keep a version without an item, too
        "allow_empty": "NotRequired[bool]",
    },
)

DeliverableListArguments = TypedDict(
    "DeliverableListArguments",
    {
    },
)

EvaluateContextArgumentsSignalsItem = TypedDict(
    "EvaluateContextArgumentsSignalsItem",
    {
        # URL or stable name
        "source": "NotRequired[str]",
        # Kind, e.g. arxiv, jobs
        "source_type": "NotRequired[str]",
        # Title
        "title": "NotRequired[str]",
        # Text
        "content": "NotRequired[str]",
        # E.g. 2026-01-31
        "published_at": "NotRequired[str]",
        # Fetched at
        "retrieved_at": "NotRequired[str]",
        # Your relevance, 0 to 1
        "semantic_score": "NotRequired[float]",
        # Of published_at
        "date_confidence": "NotRequired[Literal['high', 'medium', 'low', 'unknown']]",
        # Of retrieval
        "status": "NotRequired[Literal['success', 'partial', 'stale', 'failed', 'unknown']]",
        # Your id
        "id": "NotRequired[str]",
    },
)

EvaluateContextArgumentsBudget = TypedDict(
    "EvaluateContextArgumentsBudget",
    {
        # Tokens
        "max_tokens": "NotRequired[int]",
        # Items
        "max_items": "NotRequired[int]",
        # Of dates; default any
        "require": "NotRequired[Literal['any', 'dated', 'fresh']]",
    },
)

EvaluateContextArguments = TypedDict(
    "EvaluateContextArguments",
    {
        # Kind of sources
        "profile": "NotRequired[Literal['official_docs', 'code_activity', 'social_pulse', 'academic_research', 'market_finance', 'jobs_opportunities', 'government_regulatory', 'company_intel', 'product_research', 'composite_landscape', 'multi_agent_handoff', 'local_custom']]",
        # What it is for
        "intent": "NotRequired[Literal['citation_check', 'student_research', 'developer_adoption', 'job_search', 'market_watch', 'business_due_diligence', 'medical_literature_triage']]",
        # Up to 500 documents as you hold them (http_status, content_type, final_url, metadata too), or tool results
        "signals": "list[EvaluateContextArgumentsSignalsItem]",
        # Your question
        "query": "NotRequired[str]",
        # Default is now
        "now": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # What fits, to paste, and why the rest does not
        "budget": "NotRequired[EvaluateContextArgumentsBudget]",
    },
)

ExtractArxivArguments = TypedDict(
    "ExtractArxivArguments",
    {
        # Words (ti:, au:, cat:), ids, DOI or arXiv URL
        "url": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # Order
        "sort": "NotRequired[Literal['relevance', 'newest', 'oldest']]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

ExtractChangelogArguments = TypedDict(
    "ExtractChangelogArguments",
    {
        # owner/repo, package (npm:express) or any URL
        "url": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

ExtractCompanyLandscapeArguments = TypedDict(
    "ExtractCompanyLandscapeArguments",
    {
        # E.g. Palantir
        "company": "str",
        # E.g. PLTR
        "ticker": "NotRequired[str]",
        # Repository, for releases
        "github_url": "NotRequired[str]",
        # Characters
        "max_length": "NotRequired[int]",
        # Hide staler
        "min_freshness_score": "NotRequired[float]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
    },
)

ExtractFinanceArguments = TypedDict(
    "ExtractFinanceArguments",
    {
        # Up to 5 tickers, e.g. AAPL,^GSPC,BTC-USD
        "url": "str",
        # This provider only
        "provider": "NotRequired[Literal['finnhub', 'twelvedata', 'cnbc', 'cboe', 'nasdaq', 'frankfurter', 'coinbase', 'yahoo']]",
        # Characters
        "max_length": "NotRequired[int]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

ExtractFinanceLandscapeArguments = TypedDict(
    "ExtractFinanceLandscapeArguments",
    {
        # Up to 5 tickers, e.g. NET,MSFT
        "tickers": "str",
        # Name to search
        "company_name": "NotRequired[str]",
        # owner/repo, or search words
        "github_query": "NotRequired[str]",
        # Characters
        "max_length": "NotRequired[int]",
        # Hide staler
        "min_freshness_score": "NotRequired[float]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
    },
)

ExtractGdeltArguments = TypedDict(
    "ExtractGdeltArguments",
    {
        # Words, quoted phrases, (a OR b), -word or a GDELT URL
        "url": "str",
        # Source language, e.g. spanish
        "language": "NotRequired[str]",
        # Source country, e.g. france
        "country": "NotRequired[str]",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # Order
        "sort": "NotRequired[Literal['newest', 'relevance', 'oldest']]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
    },
)

ExtractGebizArguments = TypedDict(
    "ExtractGebizArguments",
    {
        # Keyword, agency (MOH) or supplier; default all
        "url": "NotRequired[str]",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # Order
        "sort": "NotRequired[Literal['newest', 'oldest', 'top']]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
    },
)

ExtractGithubArguments = TypedDict(
    "ExtractGithubArguments",
    {
        # owner/name or its URL
        "url": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

ExtractGovLandscapeArguments = TypedDict(
    "ExtractGovLandscapeArguments",
    {
        # Company, topic or NAICS code
        "query": "str",
        # Repository, for releases
        "github_url": "NotRequired[str]",
        # Characters
        "max_length": "NotRequired[int]",
        # Hide staler
        "min_freshness_score": "NotRequired[float]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
    },
)

ExtractGovcontractsArguments = TypedDict(
    "ExtractGovcontractsArguments",
    {
        # Company, UEI, agency (NASA), topic, NAICS or award URL
        "url": "str",
        # Its date; default signed
        "by": "NotRequired[Literal['signed', 'modified']]",
        # Frameworks, not contracts
        "idv": "NotRequired[bool]",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # Order
        "sort": "NotRequired[Literal['newest', 'oldest', 'top']]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
    },
)

ExtractHackernewsArguments = TypedDict(
    "ExtractHackernewsArguments",
    {
        # Words, an item id (8863) or a Hacker News URL
        "url": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # Order
        "sort": "NotRequired[Literal['relevance', 'newest']]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

ExtractIdeaLandscapeArguments = TypedDict(
    "ExtractIdeaLandscapeArguments",
    {
        # In a few words
        "idea": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # Hide staler
        "min_freshness_score": "NotRequired[float]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
    },
)

ExtractLandscapeArguments = TypedDict(
    "ExtractLandscapeArguments",
    {
        # E.g. vector database
        "topic": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # Hide staler
        "min_freshness_score": "NotRequired[float]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
    },
)

ExtractProducthuntArguments = TypedDict(
    "ExtractProducthuntArguments",
    {
        # Keyword or Product Hunt URL
        "url": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # Order
        "sort": "NotRequired[Literal['relevance', 'newest', 'top']]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

ExtractRedditArguments = TypedDict(
    "ExtractRedditArguments",
    {
        # Words, r/rust, r/rust words, u/name or URL
        "url": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # Order
        "sort": "NotRequired[Literal['relevance', 'newest', 'top']]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

ExtractScholarArguments = TypedDict(
    "ExtractScholarArguments",
    {
        # Words, author:"name" or a Scholar URL
        "url": "str",
        # false: ask Scholar alone
        "fallback": "NotRequired[bool]",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # Order
        "sort": "NotRequired[Literal['relevance', 'newest']]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

ExtractSecFilingsArguments = TypedDict(
    "ExtractSecFilingsArguments",
    {
        # Ticker (PLTR), CIK, company, topic or EDGAR URL
        "url": "str",
        # Forms, e.g. 10-K,10-Q; or all
        "forms": "NotRequired[str]",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

ExtractYcArguments = TypedDict(
    "ExtractYcArguments",
    {
        # Words, a batch (W26) or YC companies URL
        "url": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # Order
        "sort": "NotRequired[Literal['relevance', 'newest']]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

PackageTrendsArguments = TypedDict(
    "PackageTrendsArguments",
    {
        # Up to 10, e.g. npm:react,pypi:flask,crates:serde
        "packages": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

RecheckArgumentsArguments = TypedDict(
    "RecheckArgumentsArguments",
    {
        "url": "NotRequired[str]",
        "query": "NotRequired[str]",
    },
)

RecheckArguments = TypedDict(
    "RecheckArguments",
    {
        # Id of the answer
        "answer_id": "NotRequired[str]",
        # Instead of an id: the tool
        "tool": "NotRequired[str]",
        # and what it was called with
        "arguments": "NotRequired[RecheckArgumentsArguments]",
        # answer_hash of the answer
        "hash": "NotRequired[str]",
        # or what is newer than this
        "since": "NotRequired[str]",
    },
)

SearchJobsArguments = TypedDict(
    "SearchJobsArguments",
    {
        # Role or skill, e.g. rust engineer
        "query": "str",
        # E.g. Germany
        "location": "NotRequired[str]",
        # Remote jobs only
        "remote_only": "NotRequired[bool]",
        # Oldest advert
        "max_age_days": "NotRequired[float]",
        # Words to point out
        "keywords": "NotRequired[list[str]]",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)

SearchReposArguments = TypedDict(
    "SearchReposArguments",
    {
        # Words, qualifiers: vector database language:rust
        "query": "str",
        # Characters
        "max_length": "NotRequired[int]",
        # Items
        "limit": "NotRequired[int]",
        # First day
        "since": "NotRequired[str]",
        # Last day
        "until": "NotRequired[str]",
        # Order
        "sort": "NotRequired[Literal['relevance', 'newest', 'top']]",
        # Next-Cursor
        "cursor": "NotRequired[str]",
        # As of 2026-01-31
        "as_of": "NotRequired[str]",
        # Cache, seconds
        "max_age": "NotRequired[int]",
    },
)


class FreshContextError(Exception):
    """A refused request or a failed call: the problem (RFC 9457), and the status of the response."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail") or f"status {status}")
        self.status = status
        self.problem = problem

    @property
    def code(self) -> str | None:
        """The error code, for example `rate_limited`."""
        return self.problem.get("code")


class FreshContext:
    """One server. `token` is sent as a bearer token; `timeout` is in seconds."""

    def __init__(
        self, base: str = "http://127.0.0.1:8787", token: str | None = None, timeout: float = 120
    ) -> None:
        self.base = base.rstrip("/")
        self.token = token
        self.timeout = timeout

    def _send(self, method: str, path: str, body: Any, accept: str) -> str:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": accept, "Content-Type": "application/json"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                return cast(bytes, response.read()).decode()
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            try:
                problem = json.loads(text)
            except ValueError:
                problem = {"status": error.code, "detail": text}
            raise FreshContextError(error.code, problem) from None

    def _json(self, method: str, path: str, body: Any = None) -> Any:
        return json.loads(self._send(method, path, body, "application/json"))

    def text(self, tool: str, arguments: Any) -> str:
        """The answer of a tool as text, as a model reads it."""
        return self._send("POST", f"/v1/tools/{tool}", arguments, "text/plain")

    def evaluate(self, arguments: EvaluateArguments) -> EvaluateContextResult:
        """Evaluates documents that the caller has. Its text: `text`."""
        return cast("EvaluateContextResult", self._json("POST", "/v1/evaluate", arguments))

    def recheck_answer(self, arguments: RecheckAnswerArguments) -> RecheckResult:
        """Says whether an earlier answer still holds. Its text: `text`."""
        return cast("RecheckResult", self._json("POST", "/v1/recheck", arguments))

    def references(self, arguments: ReferencesArguments) -> CheckReferencesResult:
        """Says of each reference whether it still stands. Its text: `text`."""
        return cast("CheckReferencesResult", self._json("POST", "/v1/references", arguments))

    def stamp(self, arguments: Stamp) -> Stamp:
        """Stamps facts with a hash (Ha-Pri, version 2)."""
        return cast("Stamp", self._json("POST", "/v1/stamp", arguments))

    def verify(self, arguments: Stamp) -> Verified:
        """Checks the hash of stamped facts."""
        return cast("Verified", self._json("POST", "/v1/verify", arguments))

    def validate(self, arguments: Validated) -> Report:
        """Validates a FreshContext response: level, and what it lacks."""
        return cast("Report", self._json("POST", "/v1/validate", arguments))

    def inspect(self, arguments: Inspected) -> Inspection:
        """Says whether a text is content or a failed retrieval."""
        return cast("Inspection", self._json("POST", "/v1/inspect", arguments))

    def list_tools(self) -> ListToolsAnswer:
        """The tools, as MCP lists them, each with an example."""
        return cast("ListToolsAnswer", self._json("GET", "/v1/tools"))

    def health(self) -> Health:
        """Whether the server takes new work, and its version."""
        return cast("Health", self._json("GET", "/v1/health"))

    def spec(self) -> dict[str, Any]:
        """The implemented specification: version, levels, sentences."""
        return cast("dict[str, Any]", self._json("GET", "/v1/spec"))

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of an answer."""
        return cast("dict[str, Any]", self._json("GET", "/v1/schema"))

    def decay(self) -> dict[str, Any]:
        """Decay classes and the rates in force."""
        return cast("dict[str, Any]", self._json("GET", "/v1/decay"))

    def sources(self) -> SourcesAnswer:
        """The sources: routes, keys, limits, terms, and the live state of each."""
        return cast("SourcesAnswer", self._json("GET", "/v1/sources"))

    def keys(self) -> KeysAnswer:
        """Public keys of signatures (JWK Set), and what a signature says."""
        return cast("KeysAnswer", self._json("GET", "/v1/keys"))

    def openapi(self) -> dict[str, Any]:
        """This description."""
        return cast("dict[str, Any]", self._json("GET", "/openapi.json"))

    def check_references(self, arguments: CheckReferencesArguments) -> CheckReferencesResult:
        """Check references. Its text: `text`."""
        return cast("CheckReferencesResult", self._json("POST", "/v1/tools/check_references", arguments))

    def deliverable_diff(self, arguments: DeliverableDiffArguments) -> DeliverableDiffResult:
        """Compare versions of a deliverable. Its text: `text`."""
        return cast("DeliverableDiffResult", self._json("POST", "/v1/tools/deliverable_diff", arguments))

    def deliverable_generate(self, arguments: DeliverableGenerateArguments) -> DeliverableGenerateResult:
        """Generate a deliverable. Its text: `text`."""
        return cast("DeliverableGenerateResult", self._json("POST", "/v1/tools/deliverable_generate", arguments))

    def deliverable_list(self, arguments: DeliverableListArguments) -> DeliverableListResult:
        """List deliverables. Its text: `text`."""
        return cast("DeliverableListResult", self._json("POST", "/v1/tools/deliverable_list", arguments))

    def evaluate_context(self, arguments: EvaluateContextArguments) -> EvaluateContextResult:
        """Evaluate context. Its text: `text`."""
        return cast("EvaluateContextResult", self._json("POST", "/v1/tools/evaluate_context", arguments))

    def extract_arxiv(self, arguments: ExtractArxivArguments) -> ExtractArxivResult:
        """arXiv. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_arxiv", arguments))

    def extract_changelog(self, arguments: ExtractChangelogArguments) -> ExtractArxivResult:
        """Changelog. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_changelog", arguments))

    def extract_company_landscape(self, arguments: ExtractCompanyLandscapeArguments) -> ExtractCompanyLandscapeResult:
        """Company landscape. Its text: `text`."""
        return cast("ExtractCompanyLandscapeResult", self._json("POST", "/v1/tools/extract_company_landscape", arguments))

    def extract_finance(self, arguments: ExtractFinanceArguments) -> ExtractArxivResult:
        """Quotes. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_finance", arguments))

    def extract_finance_landscape(self, arguments: ExtractFinanceLandscapeArguments) -> ExtractCompanyLandscapeResult:
        """Finance landscape. Its text: `text`."""
        return cast("ExtractCompanyLandscapeResult", self._json("POST", "/v1/tools/extract_finance_landscape", arguments))

    def extract_gdelt(self, arguments: ExtractGdeltArguments) -> ExtractGdeltResult:
        """World news. Its text: `text`."""
        return cast("ExtractGdeltResult", self._json("POST", "/v1/tools/extract_gdelt", arguments))

    def extract_gebiz(self, arguments: ExtractGebizArguments) -> ExtractArxivResult:
        """Singapore tenders. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_gebiz", arguments))

    def extract_github(self, arguments: ExtractGithubArguments) -> ExtractArxivResult:
        """GitHub. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_github", arguments))

    def extract_gov_landscape(self, arguments: ExtractGovLandscapeArguments) -> ExtractCompanyLandscapeResult:
        """Government landscape. Its text: `text`."""
        return cast("ExtractCompanyLandscapeResult", self._json("POST", "/v1/tools/extract_gov_landscape", arguments))

    def extract_govcontracts(self, arguments: ExtractGovcontractsArguments) -> ExtractArxivResult:
        """US contracts. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_govcontracts", arguments))

    def extract_hackernews(self, arguments: ExtractHackernewsArguments) -> ExtractGdeltResult:
        """Hacker News. Its text: `text`."""
        return cast("ExtractGdeltResult", self._json("POST", "/v1/tools/extract_hackernews", arguments))

    def extract_idea_landscape(self, arguments: ExtractIdeaLandscapeArguments) -> ExtractCompanyLandscapeResult:
        """Idea landscape. Its text: `text`."""
        return cast("ExtractCompanyLandscapeResult", self._json("POST", "/v1/tools/extract_idea_landscape", arguments))

    def extract_landscape(self, arguments: ExtractLandscapeArguments) -> ExtractCompanyLandscapeResult:
        """Topic landscape. Its text: `text`."""
        return cast("ExtractCompanyLandscapeResult", self._json("POST", "/v1/tools/extract_landscape", arguments))

    def extract_producthunt(self, arguments: ExtractProducthuntArguments) -> ExtractArxivResult:
        """Product Hunt. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_producthunt", arguments))

    def extract_reddit(self, arguments: ExtractRedditArguments) -> ExtractGdeltResult:
        """Reddit. Its text: `text`."""
        return cast("ExtractGdeltResult", self._json("POST", "/v1/tools/extract_reddit", arguments))

    def extract_scholar(self, arguments: ExtractScholarArguments) -> ExtractArxivResult:
        """Papers. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_scholar", arguments))

    def extract_sec_filings(self, arguments: ExtractSecFilingsArguments) -> ExtractArxivResult:
        """SEC filings. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_sec_filings", arguments))

    def extract_yc(self, arguments: ExtractYcArguments) -> ExtractArxivResult:
        """Y Combinator. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/extract_yc", arguments))

    def package_trends(self, arguments: PackageTrendsArguments) -> ExtractArxivResult:
        """Packages. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/package_trends", arguments))

    def recheck(self, arguments: RecheckArguments) -> RecheckResult:
        """Recheck an answer. Its text: `text`."""
        return cast("RecheckResult", self._json("POST", "/v1/tools/recheck", arguments))

    def search_jobs(self, arguments: SearchJobsArguments) -> ExtractArxivResult:
        """Job boards. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/search_jobs", arguments))

    def search_repos(self, arguments: SearchReposArguments) -> ExtractArxivResult:
        """GitHub search. Its text: `text`."""
        return cast("ExtractArxivResult", self._json("POST", "/v1/tools/search_repos", arguments))
