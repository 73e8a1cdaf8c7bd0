//! Named figures of a text's shape, which n-grams cannot express.

use freshcontext_contract::block_pages::{self, Fingerprint, Strength};

use crate::features::CLASSES;
use crate::form::Form;
use crate::json::Json;
use crate::segment::Segments;
use crate::text::head;

/// Most visible bytes of a text that is searched for vendors' marks: a block page is short, and a longer text
/// may quote one.
const MARKED: usize = 1200;

/// How much of the text is searched for marks, in bytes.
const SEARCHED: usize = 16 << 10;

/// Bounds between the figures of the highest sentence sum.
const PEAKS: [f32; 5] = [0.3, 0.8, 1.4, 2.1, 3.0];

/// How much of the lead is measured character by character, in bytes.
const MEASURED: usize = 400;

macro_rules! figures {
    ($($name:ident: $what:literal,)*) => {
        /// One named figure with a value in 0..=1.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(usize)]
        #[expect(missing_docs, reason = "each is described by `Figure::describe`, which the report prints")]
        pub enum Figure { $($name,)* }

        impl Figure {
            /// All figures, in the order of their weights.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Describes the figure in words.
            pub const fn describe(self) -> &'static str {
                match self { $(Self::$name => $what,)* }
            }
        }
    };
}

figures! {
    Always: "every text",
    UpTo16: "at most 16 bytes are seen",
    UpTo32: "at most 32 bytes are seen",
    UpTo512: "at most 512 bytes are seen",
    UpTo1024: "at most 1,024 bytes are seen",
    UpTo2048: "at most 2,048 bytes are seen",
    UpTo4096: "at most 4,096 bytes are seen",
    Longer: "more than 4,096 bytes are seen",
    OneLine: "it is a single line",
    FewLines: "it has two to five lines",
    SomeLines: "it has six to twenty lines",
    ManyLines: "it has more than twenty lines",
    Html: "it is HTML",
    Xml: "it is XML",
    Json: "it is JSON",
    Beyond: "share of letters beyond those of English",
    Asks: "it asks a question",
    Scripts: "the page is mostly scripts",
    Form: "the page has a form",
    Password: "the page asks for a password",
    Thin: "little is seen of much markup",
    Blocks: "the page has many paragraphs",
    Hint: "a vendor's mark that good pages carry too",
    Proof: "a vendor's mark of a block page",
    JsonError: "a key names an error",
    JsonDenied: "a value says that it did not succeed",
    JsonRefused: "a status code refuses",
    JsonHollow: "a list or an object holds nothing",
    JsonFine: "it says that there was no error",
    JsonContent: "share of values that are content",
    JsonFew: "few values",
    WordsOfFailure: "share of words that failures use",
    WordsOfContent: "share of words that content uses",
    WordsUnknown: "share of words that were never seen",
    NoFailing: "no word of failures",
    OneFailing: "one word of failures",
    TwoFailing: "two words of failures",
    MoreFailing: "more than two words of failures",
    Peak0: "none of its sentences is like a failure",
    Peak1: "hardly one of its sentences is like a failure",
    Peak2: "one of its sentences is a little like a failure",
    Peak3: "one of its sentences is like a failure",
    Peak4: "one of its sentences is much like a failure",
    Peak5: "one of its sentences is what a failure says",
    LongPeak0: "none of its sentences is like a failure",
    LongPeak1: "hardly one of its sentences is like a failure",
    LongPeak2: "one of its sentences is a little like a failure",
    LongPeak3: "one of its sentences is like a failure",
    LongPeak4: "one of its sentences is much like a failure",
    LongPeak5: "one of its sentences is what a failure says",
}

/// The values of all figures for one text.
#[derive(Debug, Clone)]
pub struct Figures {
    values: [f32; Figure::ALL.len()],
    /// The most significant vendor's mark.
    pub mark: Option<&'static Fingerprint>,
}

impl Figures {
    /// Returns the value of one figure.
    pub fn value(&self, figure: Figure) -> f32 {
        self.values.get(figure as usize).copied().unwrap_or_default()
    }

    fn set(&mut self, figure: Figure, value: f32) {
        if let Some(place) = self.values.get_mut(figure as usize) {
            *place = value.clamp(0.0, 1.0);
        }
    }

    fn flag(&mut self, figure: Figure, holds: bool) {
        self.set(figure, f32::from(u8::from(holds)));
    }

    /// Measures a text and its segments, except for its words.
    pub fn of(text: &str, segments: &Segments<'_>) -> Self {
        let mut figures = Self {
            values: [0.0; Figure::ALL.len()],
            mark: None,
        };
        figures.set(Figure::Always, 1.0);
        let lengths = [16, 32, 512, 1024, 2048, 4096];
        figures.step(Figure::UpTo16, &lengths, segments.shape.visible);
        figures.characters(segments);
        // A JSON document is content whatever marks it quotes.
        if segments.shape.visible <= MARKED && !segments.json.is_some_and(|json| json.is_document()) {
            figures.search(text);
        }
        if let Some(json) = segments.json {
            figures.json(json);
        } else if segments.form != Form::Plain {
            figures.page(segments);
        }
        figures
    }

    /// Searches for vendors' marks if the visible text is short.
    fn search(&mut self, text: &str) {
        let marks = block_pages::fingerprints_in(head(text, SEARCHED).as_bytes());
        self.mark = block_pages::best(&marks);
        let strength = self.mark.map(|mark| mark.strength);
        self.flag(Figure::Hint, strength == Some(Strength::Hint));
        self.flag(Figure::Proof, strength == Some(Strength::Proof));
    }

    /// Adds the figures of the word counts per class.
    pub fn count_words(&mut self, words: [u32; CLASSES]) {
        let [unknown, failing, both, content] = words;
        let all = (unknown + failing + both + content).max(1) as f32;
        self.set(Figure::WordsOfFailure, failing as f32 / all);
        self.set(Figure::WordsOfContent, content as f32 / all);
        self.set(Figure::WordsUnknown, unknown as f32 / all);
        self.step(Figure::NoFailing, &[0, 1, 2], failing as usize);
    }

    /// Adds the highest sum of a sentence, for a medium-length or a `long` text: in a long explanation of a
    /// failure, most sentences read as content.
    pub fn set_peak(&mut self, most: f32, long: bool) {
        let first = if long { Figure::LongPeak0 } else { Figure::Peak0 };
        let reached = PEAKS.iter().take_while(|step| most > **step).count();
        for step in 0..=PEAKS.len() {
            if let Some(figure) = Figure::ALL.get(first as usize + step) {
                self.flag(*figure, step == reached);
            }
        }
    }

    /// Sets one of several consecutive figures, starting with `first`, by the interval that a number falls
    /// into. Intervals end at `bounds`; the last is open.
    fn step(&mut self, first: Figure, bounds: &[usize], number: usize) {
        let step = bounds.iter().take_while(|bound| number > **bound).count();
        if let Some(figure) = Figure::ALL.get(first as usize + step) {
            self.flag(*figure, true);
        }
    }

    fn characters(&mut self, segments: &Segments<'_>) {
        let lead = head(segments.lead.as_ref(), MEASURED);
        let bytes = lead.as_bytes();
        let asks = memchr::memchr_iter(b'?', bytes).count();
        let lines = memchr::memchr_iter(b'\n', bytes).count() + 1;
        let beyond = bytes.iter().filter(|byte| !byte.is_ascii()).count();
        self.step(Figure::OneLine, &[1, 5, 20], lines);
        self.set(Figure::Beyond, beyond as f32 * 5.0 / bytes.len().max(1) as f32);
        self.set(Figure::Asks, asks as f32 / 2.0);
    }

    fn page(&mut self, segments: &Segments<'_>) {
        let shape = &segments.shape;
        self.flag(Figure::Html, segments.form == Form::Html);
        self.flag(Figure::Xml, segments.form == Form::Xml);
        self.flag(Figure::Scripts, shape.scripts > 0 && shape.visible < 400);
        self.flag(Figure::Form, shape.forms > 0);
        self.flag(Figure::Password, shape.passwords > 0);
        let little = shape.visible * 20 < shape.bytes.min(48 << 10);
        self.flag(Figure::Thin, shape.bytes > 1000 && little);
        self.set(Figure::Blocks, shape.blocks as f32 / 30.0);
    }

    fn json(&mut self, json: Json) {
        let values = json.errors + json.envelope + json.content;
        self.set(Figure::Json, 1.0);
        self.flag(Figure::JsonError, json.errors + json.under_error > 0);
        self.flag(Figure::JsonDenied, json.denials > 0);
        self.flag(Figure::JsonRefused, json.refusals > 0);
        self.flag(Figure::JsonHollow, json.hollow > 0);
        self.flag(Figure::JsonFine, json.says_no_error());
        self.set(Figure::JsonContent, json.content as f32 / values.max(1) as f32);
        self.flag(Figure::JsonFew, values < 8);
    }
}
