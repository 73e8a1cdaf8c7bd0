//! The client in TypeScript: one module over `fetch`.

use std::fmt::Write as _;

use super::shapes::{Field, Shape, camel};
use super::{GENERATED, Interface};

const CLIENT: &str = r#"
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
"#;

/// Writes the module.
pub(super) fn module(interface: &Interface) -> String {
    let mut out = format!(
        "// {GENERATED}\n\n/** A thin, typed client of FreshContext's REST interface. It needs `fetch`: Node 18, Deno, Bun or a browser. */\n"
    );
    // Writing to a String cannot fail.
    for (name, shape) in &interface.types {
        let _ = writeln!(out, "\nexport type {name} = {};", word(shape, 0));
    }
    let mut methods = String::new();
    for call in &interface.calls {
        let name = camel(&call.id);
        let mut parameter = String::new();
        let mut argument = "";
        if let Some(input) = &call.input {
            let _ = writeln!(out, "\nexport type {name}Arguments = {};", word(input, 0));
            parameter = format!("body: {name}Arguments");
            argument = ", body";
        }
        let output = match &call.output {
            Shape::Named(name) => name.clone(),
            other => {
                let _ = writeln!(out, "\nexport type {name}Answer = {};", word(other, 0));
                format!("{name}Answer")
            }
        };
        let text = if call.has_text { " Its text: `text`." } else { "" };
        let _ = write!(
            methods,
            "\n  /** {}.{text} */\n  {}({parameter}): Promise<{output}> {{\n    return this.json({:?}, {:?}{argument});\n  }}\n",
            call.summary,
            lower_camel(&name),
            call.method,
            call.path
        );
    }
    out.push_str(CLIENT);
    out.push_str(&methods);
    out.push_str("}\n");
    out
}

fn lower_camel(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .chain(letters)
        .collect()
}

fn word(shape: &Shape, depth: usize) -> String {
    match shape {
        Shape::Any => "unknown".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Integer | Shape::Number => "number".to_owned(),
        Shape::Text => "string".to_owned(),
        Shape::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            words.join(" | ")
        }
        Shape::List(item) => format!("Array<{}>", word(item, depth)),
        Shape::Fields(fields) => object(fields, depth),
        Shape::Map => "Record<string, unknown>".to_owned(),
        Shape::Named(name) => name.clone(),
        Shape::Either(branches) => {
            let words: Vec<String> = branches.iter().map(|branch| word(branch, depth)).collect();
            words.join(" | ")
        }
    }
}

fn object(fields: &[Field], depth: usize) -> String {
    let pad = "  ".repeat(depth + 1);
    let mut out = "{\n".to_owned();
    for field in fields {
        if let Some(about) = &field.about {
            let _ = writeln!(out, "{pad}/** {about} */");
        }
        let optional = if field.is_required { "" } else { "?" };
        let _ = writeln!(
            out,
            "{pad}{}{optional}: {};",
            field.name,
            word(&field.shape, depth + 1)
        );
    }
    let _ = write!(out, "{}}}", "  ".repeat(depth));
    out
}
