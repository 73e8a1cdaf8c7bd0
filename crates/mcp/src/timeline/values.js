// Words for values. They are those of the text, which `freshcontext_core::answer::value_words` writes; a page made by the
// server holds them already, and reading them again changes nothing. tests/timeline compares both.
const MINUTE = 60000, HOUR = 3600000, DAY = 86400000, MONTH_HOURS = 730.485;
// Controls, marks of direction and other characters that are not seen, which could make a text look like another.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
const word = (value) => value == null ? "" : (typeof value === "object" ? JSON.stringify(value) : String(value)).replace(UNSEEN, "");
const list = (value) => Array.isArray(value) ? value : [];
const cut = (text, length) => text.length > length ? text.slice(0, Math.max(1, length - 1)) + "\u2026" : text;
const counted = (count, one, many) => `${count} ${count === 1 ? one : many || one + "s"}`;
const and = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
const web = (url) => { try { return /^https?:$/.test(new URL(url).protocol) ? String(url) : null; } catch { return null; } };
const host = (url) => { try { return new URL(url).host.replace(/^www\./, ""); } catch { return ""; } };

const DATE = /^\d{4}-\d\d-\d\d(T[0-9:.,+\-Z]{4,26})?$/;
const moment = (text) => {
  const given = word(text), zoned = /T.*(Z|[+-]\d\d:?\d\d)$/.test(given) || !given.includes("T") ? given : given + "Z";
  const at = given ? Date.parse(zoned) : NaN;
  return Number.isNaN(at) ? null : at;
};
// A date without a time, or at midnight to the millisecond, is a day (or a month, or a year) and stays one.
const isDay = (text) => /^\d{4}(-\d\d(-\d\d)?)?$/.test(text) || /^\d{4}-\d\d-\d\dT00:00(:00(\.0+)?)?(Z|[+-]00:?00)$/.test(text);
const span = (text) => text.length === 4 ? 365 * DAY : text.length === 7 ? 30 * DAY : DAY;
const day = (text) => text.slice(0, 10);
const when = (text) => {
  const given = word(text);
  if (moment(given) == null) return given;
  return isDay(given) ? day(given) : new Date(moment(given)).toISOString().slice(0, 16).replace("T", " ") + " UTC";
};
const duration = (time) => {
  const minutes = Math.max(0, Math.trunc(time / MINUTE)), hours = Math.trunc(minutes / 60), months = Math.trunc(hours / MONTH_HOURS);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return counted(minutes, "minute");
  if (hours < 48) return counted(hours, "hour");
  if (hours / 24 < 60) return counted(Math.trunc(hours / 24), "day");
  return months < 24 ? counted(months, "month") : counted(Math.trunc(months / 12), "year");
};
const days = (time) => time < DAY ? "less than a day" : time < 2 * DAY ? "1 day" : duration(time);
const age = (text, now) => (isDay(text) ? days : duration)(now - moment(text));
const relative = (text, now) => {
  // A whole day to come is counted from the day of that moment in UTC.
  const ahead = isDay(text) && text.length >= 10 ? moment(text) - Math.floor(now / DAY) * DAY : -1;
  if (ahead === 0) return "today";
  if (ahead > 0) return `in ${days(ahead)}`;
  return moment(text) > now ? `in ${duration(moment(text) - now)}` : `${age(text, now)} ago`;
};

const values = (value, now) => {
  if (value == null) return "none";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.map((one) => values(one, now)).join(", ");
  if (typeof value === "object") return `(${Object.entries(value).map(([name, one]) => `${word(name)} ${values(one, now)}`).join(", ")})`;
  if (typeof value === "number") {
    const plain = String(value);
    return plain.includes("e-") ? value.toFixed(20).replace(/0+$/, "") : plain;
  }
  const text = word(value), ending = /^(.*\()([^()]*)\)$/s.exec(text);
  if (now != null && DATE.test(text) && moment(text) != null) return `${text.replace(/\.000Z$/, "Z")} (${relative(text, now)})`;
  if (now != null && ending && DATE.test(ending[2]) && moment(ending[2]) != null) return `${ending[1]}${ending[2]}, ${relative(ending[2], now)})`;
  return text.replace(/\s+/g, " ").trim();
};
