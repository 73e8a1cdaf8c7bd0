//! Configuration: one table of settings, four layers.

mod clock;
mod error;
mod host_rule;
mod limits;
mod load;
mod oauth;
mod settings;
mod table;
mod tokens;

pub use clock::SystemClock;
pub use error::ConfigError;
pub use host_rule::{HostRule, authority};
pub use load::{Loaded, Sources, default_file, load};
pub use oauth::{OAuthSettings, is_on_this_machine};
pub use settings::{HttpSettings, LogFormat, OtelSettings, Secret, Settings, StoreMode, WebhookSettings};
pub use table::{Kind, LONG_SECRET, Setting, settings, settings_markdown};
