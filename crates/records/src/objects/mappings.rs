//! Ids of other protocols, under the names of the specification. What this server sees it fills in; the rest is taken
//! from the caller as it is.

use serde_json::Value;

use super::record::{is_empty, record};

record! {
    /// Ids of other protocols.
    Mappings
    may {
        /// Model Context Protocol.
        mcp: Mcp,
        /// Agent2Agent.
        a2a: A2a,
        /// OpenTelemetry.
        opentelemetry: OpenTelemetry,
        /// The API of a model.
        model_api: ModelApi,
        /// W3C Web Annotation.
        web_annotation: WebAnnotation,
        /// W3C PROV.
        w3c_prov: WebProv,
        /// CloudEvents.
        cloudevents: CloudEvents,
        /// JSON Schema.
        json_schema: JsonSchemaIds,
    }
}

record! {
    /// Of the Model Context Protocol.
    Mcp
    may {
        /// The server.
        server_id: String,
        /// The session.
        mcp_session_id: String,
        /// A resource.
        resource_uri: String,
        /// A template of resources.
        resource_template: String,
        /// A prompt.
        prompt_name: String,
        /// A root.
        root_uri: String,
        /// Id of the request: a text or a number.
        jsonrpc_request_id: Value,
    }
}

record! {
    /// Of Agent2Agent.
    A2a
    may {
        /// The agent's card.
        agent_card_url: String,
        /// The task.
        task_id: String,
        /// The context.
        context_id: String,
        /// The message.
        message_id: String,
        /// The part.
        part_id: String,
        /// The artifact.
        artifact_id: String,
        /// The skill.
        skill_id: String,
    }
}

record! {
    /// Of OpenTelemetry.
    OpenTelemetry
    may {
        /// The trace.
        trace_id: String,
        /// The span.
        span_id: String,
        /// The event.
        event_name: String,
        /// The conversation.
        conversation_id: String,
        /// The system.
        system: String,
        /// The operation.
        operation_name: String,
        /// Tokens used: a number or an object.
        token_usage: Value,
    }
}

record! {
    /// Of a model's API.
    ModelApi
    may {
        /// The response.
        response_id: String,
        /// The message.
        message_id: String,
        /// The cache of prompts.
        prompt_cache_key: String,
        /// The call of a tool.
        tool_call_id: String,
        /// Tokens read.
        input_tokens: u64,
        /// Tokens of these that came from a cache.
        cached_input_tokens: u64,
    }
}

record! {
    /// Of the W3C's annotations.
    WebAnnotation
    may {
        /// What is annotated.
        target: String,
        /// `TextPositionSelector` and the like.
        selector_type: String,
        /// From.
        start: u64,
        /// To.
        end: u64,
        /// The words.
        exact: String,
        /// The words before.
        prefix: String,
        /// The words after.
        suffix: String,
    }
}

record! {
    /// Of the W3C's provenance, by the names of its relations.
    WebProv
    may {
        /// The entity.
        entity: String,
        /// The activity.
        activity: String,
        /// The agent.
        agent: String,
        /// What it was derived from.
        #[serde(rename = "wasDerivedFrom")]
        was_derived_from: String,
        /// Who answers for it.
        #[serde(rename = "wasAttributedTo")]
        was_attributed_to: String,
        /// What made it.
        #[serde(rename = "wasGeneratedBy")]
        was_generated_by: String,
    }
}

record! {
    /// Of CloudEvents.
    CloudEvents
    may {
        /// The event.
        id: String,
        /// Where it is from.
        source: String,
        /// Its type.
        #[serde(rename = "type")]
        kind: String,
        /// What it is about.
        subject: String,
        /// When.
        time: String,
        /// Media type of its data.
        datacontenttype: String,
    }
}

record! {
    /// Of JSON Schema.
    JsonSchemaIds
    may {
        /// Id of the schema.
        #[serde(rename = "$id")]
        id: String,
        /// Its dialect.
        #[serde(rename = "$schema")]
        dialect: String,
        /// A reference.
        #[serde(rename = "$ref")]
        reference: String,
        /// The type.
        #[serde(rename = "type")]
        kind: String,
        /// The properties.
        properties: Value,
        /// Whether others are allowed.
        #[serde(rename = "additionalProperties")]
        additional_properties: Value,
    }
    lists {
        /// Names that are required.
        required: Vec<String>,
    }
}
