// Communication with a host that shows this page in a frame.
let tell = () => {};
const hosted = () => {
  let next = 0, given = { structured: null };
  const waiting = new Map();
  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params, then) => { waiting.set(++next, then || (() => {})); send({ id: next, method, params }); };
  const themed = (context) => { if (context && /^(dark|light)$/.test(context.theme)) document.documentElement.dataset.theme = context.theme; };
  open = (url) => ask("ui/open-link", { url });
  tell = () => {
    const box = document.documentElement.getBoundingClientRect();
    send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(box.width), height: Math.ceil(page.getBoundingClientRect().height) } });
  };
  addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== parent || !message || message.jsonrpc !== "2.0") return;
    const params = message.params || {};
    if (message.method === "ui/notifications/tool-input") given.arguments = params.arguments;
    else if (message.method === "ui/notifications/tool-result") {
      const text = list(params.content).map((part) => part && part.type === "text" ? word(part.text) : "").join("\n");
      show(read({ ...given, structured: params.structuredContent, is_error: params.isError === true, text }));
    } else if (message.method === "ui/notifications/host-context-changed") themed(params);
    else if (message.id != null && message.method) send({ id: message.id, result: {} });
    else if (waiting.has(message.id)) { waiting.get(message.id)(message.result || {}); waiting.delete(message.id); }
  });
  ask("ui/initialize", { appInfo: { name: "freshcontext-timeline", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" }, (result) => {
    const context = result.hostContext || {};
    themed(context);
    const tool = (context.toolInfo || {}).tool || {};
    given.tool = tool.name;
    given.title = tool.title;
    send({ method: "ui/notifications/initialized", params: {} });
  });
};

const own = JSON.parse(document.getElementById("answer").textContent);
if (own) show(read(own));
else if (parent !== window) hosted();
new ResizeObserver(() => { if (shown && Math.max(280, page.clientWidth - 2 * PADDING) !== width) show(shown); }).observe(page);
