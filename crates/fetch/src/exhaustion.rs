//! Errors of a machine that has nothing left to open a connection with.

/// Whether the operating system had no descriptor or buffer for a socket: `EMFILE`, `ENFILE`, `ENOBUFS` (POSIX,
/// `socket` and `connect`). `EADDRNOTAVAIL` is no such sign: it also stands for an address family that is missing.
#[cfg(unix)]
pub(crate) fn is_exhaustion(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::MFILE, Errno::NFILE, Errno::NOBUFS]
        .iter()
        .any(|exhausted| error.raw_os_error() == Some(exhausted.raw_os_error()))
}

/// Whether the operating system had no descriptor or buffer for a socket: `WSAEMFILE`, `WSAENOBUFS` (Windows Sockets
/// error codes).
#[cfg(not(unix))]
pub(crate) fn is_exhaustion(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(10_024 | 10_055))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use std::io::Error;

    #[test]
    fn only_a_machine_without_descriptors_or_buffers_is_exhausted() {
        for (errno, exhausted) in [
            (Errno::MFILE, true),
            (Errno::NFILE, true),
            (Errno::NOBUFS, true),
            (Errno::ADDRNOTAVAIL, false),
            (Errno::CONNREFUSED, false),
            (Errno::NETUNREACH, false),
        ] {
            let error = Error::from_raw_os_error(errno.raw_os_error());
            assert_eq!(is_exhaustion(&error), exhausted, "{error}");
        }
        assert!(!is_exhaustion(&Error::other("too many open files")));
    }
}
