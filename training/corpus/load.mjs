// Prints the texts of message files as JSON, one {"file", "said": {path: text}} per line. Used by registries.py.
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const flat = (node, at, said, depth = 0) => {
  if (typeof node === "string") said[at] = node;
  else if (node && typeof node === "object" && depth < 9)
    for (const [key, value] of Object.entries(node)) flat(value, at ? `${at}.${key}` : key, said, depth + 1);
  return said;
};

// evaluates a module that registers its texts with a library, for which stubs stand in
const registered = (source) => {
  let kept = {};
  const jquery = { fn: { fileinputLocales: new Proxy({}, { set: (_, __, texts) => ((kept = texts), true) }) } };
  new Function("window", "tinymce", source)({ jQuery: jquery }, { addI18n: (_, texts) => (kept = texts) });
  return kept;
};

for (const file of process.argv.slice(2)) {
  try {
    const source = readFileSync(file, "utf8");
    let said;
    if (file.endsWith(".json")) said = JSON.parse(source);
    else if (/tinymce|fileinput/.test(file)) said = registered(source);
    else if (file.endsWith(".ts")) said = new Function(`${source.replace(/\/\* spell.*\*\//, "").replace(/export default.*/s, "")}; return messages`)();
    else {
      const module = await import(pathToFileURL(file).href);
      said = module.default?.default ?? module.default ?? module;
    }
    console.log(JSON.stringify({ file, said: flat(said, "", {}) }));
  } catch (error) {
    console.error(`${file}: ${error.message}`);
  }
}
