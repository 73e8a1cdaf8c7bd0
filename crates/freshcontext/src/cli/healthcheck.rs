//! `freshcontext healthcheck`: checks whether the service of this configuration is ready. Container images contain no
//! other program that could check it.

use super::{FAILED, local, with_runtime};
use crate::output;
use freshcontext_config::{ConfigError, HttpSettings};
use freshcontext_serve::http::READY_PATH;

pub(super) fn run(settings: &HttpSettings) -> Result<u8, ConfigError> {
    let address = local::address(settings)?;
    let asked = with_runtime(1, local::get(address, &address.to_string(), READY_PATH, None))?;
    let problem = match asked {
        Ok((status, _)) if status.is_success() => {
            output::line(&format!("ready: http://{address}{READY_PATH}"));
            return Ok(0);
        }
        Ok((status, _)) => format!("status {}", status.as_u16()),
        Err(error) => error.to_string(),
    };
    output::error(
        &format!("not ready: http://{address}{READY_PATH}: {problem}"),
        None,
    );
    Ok(FAILED)
}
