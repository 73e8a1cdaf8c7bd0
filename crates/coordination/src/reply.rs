//! Answers of the scripts: a word, then Redis' time in milliseconds, then what belongs to the word.

use redis::Value;

#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) word: String,
    /// Redis' time in milliseconds since 1970.
    pub(crate) now: i64,
    pub(crate) numbers: Vec<i64>,
    pub(crate) texts: Vec<String>,
}

impl Reply {
    pub(crate) fn of(value: Value) -> Self {
        let Value::Array(values) = value else {
            return Self::default();
        };
        let mut reply = Self::default();
        for (at, value) in values.into_iter().enumerate() {
            match value {
                Value::Int(now) if at == 1 => reply.now = now,
                Value::Int(number) => reply.numbers.push(number),
                Value::BulkString(bytes) => {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    if at == 0 {
                        reply.word = text;
                    } else {
                        reply.texts.push(text);
                    }
                }
                _ => {}
            }
        }
        reply
    }

    pub(crate) fn number(&self, at: usize) -> i64 {
        self.numbers.get(at).copied().unwrap_or_default()
    }
}
