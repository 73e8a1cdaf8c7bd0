//! The tool as clients see it.

use freshcontext_core::answer::admitting_failure;
use freshcontext_core::references::output_schema;
use freshcontext_engine::{Tool, Work};
use serde_json::json;

use crate::input::EXAMPLE;

/// Name of the tool.
pub const CHECK_REFERENCES: &str = "check_references";

/// The tool.
pub fn check_references_tool() -> Tool {
    Tool {
        name: CHECK_REFERENCES.to_owned(),
        title: "Check references".to_owned(),
        description: "Says of up to 50 references whether each still stands: stands, moved, superseded, withdrawn, gone, \
                      could_not_check or not_recognised, with evidence. DOIs, arXiv ids, addresses, package@version, \
                      owner/repo@tag, CVE, GHSA, Hacker News and Reddit links, SEC accessions, awards, RFCs, ISBNs. Finds them \
                      in a text, a bibliography or a lock file, too."
            .to_owned(),
        example: EXAMPLE.to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "references": {
                    "type": "array",
                    "description": "References as texts (npm:chalk@2.4.2, 10.1038/nature12373, RFC 793), or objects with ref, \
                                    and title or company (of an SEC accession)",
                    "items": {}
                },
                "text": {
                    "type": "string",
                    "description": "A text, a bibliography (BibTeX, RIS, CSL JSON) or a lock file (package-lock.json, yarn.lock, \
                                    pnpm-lock.yaml, Cargo.lock, requirements.txt, go.sum) that holds references"
                },
                "cursor": {"type": "string", "description": "Cursor of the previous answer, for the rest"}
            }
        }),
        output_schema: admitting_failure(output_schema()).into(),
        work: Work::Toolset { id: CHECK_REFERENCES, open_world: true, writes: false },
    }
}
