//! The whole pipeline, against scripted servers on loopback. Test names begin with the row of the fault matrix that
//! they verify.

mod egress;
mod holding;
mod kept;
mod keys;
mod limiters;
mod pace;
mod post;
mod reading;
mod shared;
mod tls;
mod wire;
