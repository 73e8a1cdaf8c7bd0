//! Configuration: one table of settings, four layers.

mod limits;
mod load;
mod settings;
mod table;

pub use load::{ConfigError, Loaded, Sources, default_file, load};
pub use settings::{HttpSettings, Secret, Settings, StoreMode};
pub(crate) use table::LONG_SECRET;
pub use table::{Kind, Setting, settings, settings_markdown};
