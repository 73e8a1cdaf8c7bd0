//! What matters of a message, whatever its format.

use serde_json::Value;

/// Whose a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Role {
    /// Instructions, which stay.
    System,
    User,
    #[default]
    Other,
}

/// A call, or the result of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Call {
    /// Its ids; a few formats have two.
    pub ids: Vec<String>,
    /// The function, for formats that name calls by it.
    pub name: Option<String>,
    /// Whether a call may stay without a result: its vendor executes it, or nobody needs to answer.
    pub is_optional: bool,
    /// Whether its result stands in the same message.
    pub is_settled: bool,
}

impl Call {
    /// A call by its id.
    pub(super) fn id(id: &str) -> Self {
        Self {
            ids: vec![id.to_owned()],
            ..Self::default()
        }
    }

    /// A call of a function, by its id where it has one.
    pub(super) fn named(id: Option<&str>, name: Option<&str>) -> Self {
        Self {
            ids: id.map(str::to_owned).into_iter().collect(),
            name: name.map(str::to_owned),
            ..Self::default()
        }
    }

    /// The same, which may stay without a result.
    pub(super) fn optional(self) -> Self {
        Self {
            is_optional: true,
            ..self
        }
    }

    /// How it is called in records.
    pub(super) fn label(&self) -> String {
        match (self.ids.first(), &self.name) {
            (Some(id), _) => id.clone(),
            (None, Some(name)) => format!("function {name}"),
            (None, None) => "a call without an id".to_owned(),
        }
    }
}

/// What matters of a message.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub role: Role,
    /// The calls in it.
    pub calls: Vec<Call>,
    /// The results in it.
    pub results: Vec<Call>,
    /// Ids of calls that this continues, beside what answers them: a call that was approved.
    pub continues: Vec<String>,
    /// Whether it stays with the one after it.
    pub leads_on: bool,
}

impl Message {
    pub(super) fn of(role: Role) -> Self {
        Self {
            role,
            ..Self::default()
        }
    }

    /// Takes out the results whose calls stand in the same message: of tools that the vendor executes.
    pub(super) fn settle(mut self) -> Self {
        let calls = &mut self.calls;
        self.results.retain(|result| {
            let is_its = |call: &&mut Call| {
                let by_id = call.ids.iter().any(|id| result.ids.contains(id));
                !call.is_settled && (by_id || result.ids.is_empty() && call.name == result.name)
            };
            let own = calls.iter_mut().find(is_its);
            let is_elsewhere = own.is_none();
            if let Some(call) = own {
                call.is_settled = true;
            }
            is_elsewhere
        });
        self
    }

    /// Whether a conversation can begin with it: the user's own words.
    pub(super) fn opens(&self) -> bool {
        self.role == Role::User && self.results.is_empty()
    }
}

/// A field's text.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// The `type` of a block or an item.
pub(super) fn kind(value: &Value) -> &str {
    text(value, "type").unwrap_or_default()
}

/// Whether a field holds something: absent, null and an empty list hold nothing.
pub(super) fn holds(value: &Value, name: &str) -> bool {
    match value.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::Array(values)) => !values.is_empty(),
        Some(_) => true,
    }
}
