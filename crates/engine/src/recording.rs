//! Records of a call, where its request asks for them.

use freshcontext_contract::SourceError;
use freshcontext_records::{Native, RecordOptions};
use serde_json::{Map, Value};

use crate::arguments::Arguments;
use crate::outcome::Answer;
use crate::records;
use crate::tool::{Tool, Work};
use crate::{CallContext, Engine};

/// Records that are to be made when the call has ended.
pub(super) struct Noting {
    options: RecordOptions,
    given: Map<String, Value>,
    native: Native,
}

/// The arguments to call with, and what is to be noted of the call. Of a judgement nothing is noted here: what its
/// records need is known inside it only, so the request becomes arguments of its own.
pub(super) fn prepare(
    tool: &Tool,
    arguments: Arguments,
    context: &CallContext,
) -> Result<(Arguments, Option<Noting>), SourceError> {
    let Some(asked) = context.records.as_deref().filter(|asked| asked.records.is_some()) else {
        return Ok((arguments, None));
    };
    let Some(options) = asked.options()? else {
        return Ok((arguments, None));
    };
    let mut given = arguments.read(&tool.example)?;
    if matches!(tool.work, Work::Evaluate) {
        for (name, value) in [("records", &asked.records), ("context", &asked.context)] {
            if let Some(value) = value
                && !given.contains_key(name)
            {
                given.insert(name.to_owned(), value.clone());
            }
        }
        return Ok((given.into(), None));
    }
    let noting = Noting {
        options,
        given: given.clone(),
        native: asked.native.clone(),
    };
    Ok((given.into(), Some(noting)))
}

impl Noting {
    /// Makes the records of the answer.
    pub(super) fn record(&self, engine: &Engine, tool: &Tool, answer: &mut Answer) {
        let call = records::Call {
            tool: &tool.name,
            arguments: Some(&self.given),
            now: engine.clock.now(),
            options: &self.options,
            native: &self.native,
        };
        answer.record(&call);
    }
}
