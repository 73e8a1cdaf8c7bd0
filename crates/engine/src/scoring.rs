//! Where the core's evaluation becomes an outcome. The only module of the engine that knows the
//! core's types.

use chrono::{DateTime, Utc};
use freshcontext_contract::{Descriptor, SourceError};
use freshcontext_core::answer::{self, Failure, ScoreInput, Scored};
use freshcontext_core::composite::{CompositeInput, Section, assemble};
use freshcontext_core::decay::DecayTable;
use freshcontext_core::evaluate::{self, Options};
use freshcontext_records::{Native, RecordOptions};
use freshcontext_sources::{Composite, Plan};
use serde_json::Value;

use crate::arguments::Arguments;
use crate::outcome::Signing;
use crate::outcome::{Answer, Evaluated, Outcome};
use crate::reading::Collected;
use crate::records::Call;
use crate::tool::{Tool, Work};

/// Judges what a source brought. `cursor` is the sealed way to the next page.
pub(super) fn score(
    descriptor: &'static Descriptor,
    collected: Collected,
    cursor: Option<String>,
    now: DateTime<Utc>,
    decay: &DecayTable,
) -> Result<Scored, SourceError> {
    answer::score(ScoreInput {
        descriptor,
        result: collected.result,
        args: &collected.common,
        seen: &collected.seen,
        now,
        decay,
        cursor,
    })
}

/// A failure.
pub(super) fn failure(tool: &Tool, error: &SourceError, now: DateTime<Utc>) -> Outcome {
    Outcome::Failure(Box::new(Failure::new(error, tool.id(), &tool.name, now)))
}

/// A composite's answer.
pub(super) fn composite(
    composite: &'static Composite,
    plan: Plan,
    sections: Vec<Section>,
    begun: DateTime<Utc>,
) -> Outcome {
    Outcome::Composite(Box::new(assemble(CompositeInput {
        tool: composite.tool,
        title: composite.title.to_owned(),
        query: plan.query,
        company: plan.company,
        says_subjects: plan.says_subjects,
        generated_at: begun,
        min_score: plan.min_score,
        max_length: plan.max_length,
        sections,
        notes: plan.notes,
    })))
}

/// The evaluation of what the caller brought, with its records where the arguments ask for them.
pub(super) fn evaluate(
    arguments: Arguments,
    now: DateTime<Utc>,
    options: &Options,
    native: &Native,
    signing: Signing<'_>,
) -> Result<Answer, SourceError> {
    let (records, context) = (arguments.get("records"), arguments.get("context"));
    let evaluation = match arguments {
        Arguments::Borrowed(arguments) => evaluate::evaluate_borrowed(arguments.value(), now, options),
        Arguments::Owned(arguments) => evaluate::evaluate(&Value::Object(arguments), now, options),
    };
    let evaluation = evaluation?;
    let asked = RecordOptions::of_arguments(records.as_ref(), context.as_ref())?;
    let mut answer = Answer::from(Outcome::Evaluation(Box::new(Evaluated::new(
        evaluation, signing,
    )?)));
    if let Some(options) = asked {
        answer.record(&Call {
            tool: evaluate::TOOL,
            arguments: None,
            now,
            options: &options,
            native,
        });
    }
    Ok(answer)
}

/// Schema of a source's structured answer.
pub(super) fn answer_schema() -> Value {
    answer::admitting_failure(answer::answer_schema())
}

/// The same of a source whose lists say how many origins they have.
pub(super) fn with_origins(schema: Value) -> Value {
    answer::with_origins(schema)
}

/// Whether lists of this source say how many origins they have.
pub(super) fn tells_origins(descriptor: &Descriptor) -> bool {
    freshcontext_core::origins::is_told_by(descriptor.id)
}

/// Schema of a composite's structured answer.
pub(super) fn composite_schema() -> Value {
    answer::admitting_failure(freshcontext_core::composite::composite_schema())
}

/// The tool that judges what the caller brings.
pub(super) fn evaluate_tool() -> Tool {
    Tool {
        name: evaluate::TOOL.to_owned(),
        title: evaluate::TITLE.to_owned(),
        description: evaluate::DESCRIPTION.to_owned(),
        example: r#"{"profile": "official_docs", "intent": "citation_check", "signals": [{"source": "https://docs.example.org/", "content": "text"}]}"#.to_owned(),
        input_schema: evaluate::input_schema(),
        output_schema: answer::admitting_failure(evaluate::output_schema()).into(),
        work: Work::Evaluate,
    }
}
