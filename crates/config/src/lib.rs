//! Configuration: one table of settings, four layers.

mod clock;
mod host_rule;
mod limits;
mod load;
mod settings;
mod table;

pub use clock::SystemClock;
pub use host_rule::{HostRule, authority};
pub use load::{ConfigError, Loaded, Sources, default_file, load};
pub use settings::{HttpSettings, LogFormat, Secret, Settings, StoreMode, WebhookSettings};
pub use table::{Kind, LONG_SECRET, Setting, settings, settings_markdown};
