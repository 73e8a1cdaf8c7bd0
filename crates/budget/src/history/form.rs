//! The formats in which messages are written.

use serde::Serialize;

/// A format of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Anthropic's messages.
    AnthropicMessages,
    /// OpenAI's chat completions, and whatever is compatible with them.
    OpenaiChat,
    /// Items of OpenAI's Responses.
    OpenaiResponses,
    /// Messages of MCP's sampling.
    McpSampling,
    /// Amazon Bedrock's Converse.
    BedrockConverse,
    /// Contents of Gemini's `generateContent`.
    Gemini,
    /// `ModelMessage` of the Vercel AI SDK.
    VercelModel,
    /// `UIMessage` of the Vercel AI SDK.
    VercelUi,
    /// Mistral's chat completions.
    Mistral,
    /// Ollama's chat.
    Ollama,
    /// LangChain's messages: `messages_to_dict`, its serialisation (`lc`), and messages as LangGraph sends them.
    Langchain,
}

/// Whether what is kept begins with a message of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// The vendor refuses anything else.
    Required,
    /// Where the user said something before: some vendors, to whom such messages may go, refuse anything else.
    Preferred,
    /// The vendor takes any beginning.
    Free,
}

impl Form {
    /// All of them. Where messages fit several, the first of these.
    pub const ALL: [Self; 11] = [
        Self::OpenaiChat,
        Self::AnthropicMessages,
        Self::OpenaiResponses,
        Self::McpSampling,
        Self::BedrockConverse,
        Self::Gemini,
        Self::VercelModel,
        Self::VercelUi,
        Self::Mistral,
        Self::Ollama,
        Self::Langchain,
    ];

    /// The name in records and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic_messages",
            Self::OpenaiChat => "openai_chat",
            Self::OpenaiResponses => "openai_responses",
            Self::McpSampling => "mcp_sampling",
            Self::BedrockConverse => "bedrock_converse",
            Self::Gemini => "gemini",
            Self::VercelModel => "vercel_model",
            Self::VercelUi => "vercel_ui",
            Self::Mistral => "mistral",
            Self::Ollama => "ollama",
            Self::Langchain => "langchain",
        }
    }

    /// Whether what is kept begins with a message of the user. Anthropic ("Messages": the first message is the
    /// user's), Bedrock ("A conversation must start with a user message") and Gemini (a function call comes
    /// after a turn of the user's) refuse anything else.
    pub(super) const fn opening(self) -> Opening {
        match self {
            Self::AnthropicMessages | Self::BedrockConverse | Self::Gemini => Opening::Required,
            Self::OpenaiChat | Self::OpenaiResponses => Opening::Free,
            _ => Opening::Preferred,
        }
    }

    /// Whether results stand directly after the message with their calls. Items of Responses may stand in any
    /// order after it.
    pub(super) const fn results_follow(self) -> bool {
        !matches!(self, Self::OpenaiResponses | Self::VercelUi)
    }
}
