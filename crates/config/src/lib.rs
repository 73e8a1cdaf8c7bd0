//! Configuration: one table of settings, four layers.

mod clock;
mod limits;
mod load;
mod settings;
mod table;

pub use clock::SystemClock;
pub use load::{ConfigError, Loaded, Sources, default_file, load};
pub use settings::{HttpSettings, Secret, Settings, StoreMode};
pub use table::{Kind, LONG_SECRET, Setting, settings, settings_markdown};
