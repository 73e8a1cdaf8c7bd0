//! Size limit of one operation. A statement selects the texts of an entry only if they are within the limit, and
//! always selects their size, so that an omitted text cannot be mistaken for an absent one.

use crate::error::{StoreError, Trouble};

/// Name of the setting for this limit.
pub(crate) const LIMIT: &str = "limits.store_read_bytes";
/// Bytes that an entry counts in addition to its texts, for its memory overhead.
const ENTRY: usize = 64;

/// Remaining bytes for one operation on one table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    table: &'static str,
    most: usize,
    left: usize,
    started: bool,
}

impl Room {
    pub(crate) const fn new(table: &'static str, most: usize) -> Self {
        Self {
            table,
            most,
            left: most,
            started: false,
        }
    }

    /// Returns the limit as a parameter of a statement.
    pub(crate) fn most(&self) -> i64 {
        i64::try_from(self.most).unwrap_or(i64::MAX)
    }

    /// Returns whether at least one entry was counted.
    pub(crate) const fn is_started(&self) -> bool {
        self.started
    }

    /// Counts an entry whose texts have this many bytes.
    pub(crate) fn take(&mut self, bytes: i64) -> Result<(), StoreError> {
        let (table, most) = (self.table, self.most);
        let known = usize::try_from(bytes).unwrap_or(usize::MAX);
        if known > most {
            let message = format!("an entry of the table `{table}` has {bytes} bytes, over {LIMIT} ({most})");
            return Err(StoreError::new(Trouble::TooLarge, message));
        }
        let left = self.left.checked_sub(known.saturating_add(ENTRY));
        self.left = left.ok_or_else(|| {
            let message =
                format!("the entries of the table `{table}` have more bytes in all than {LIMIT} ({most})");
            StoreError::new(Trouble::TooLarge, message)
        })?;
        self.started = true;
        Ok(())
    }

    /// Counts an entry that is to be written. It must be small enough to be read again.
    pub(crate) fn take_texts<'t>(
        &mut self,
        texts: impl IntoIterator<Item = Option<&'t str>>,
    ) -> Result<(), StoreError> {
        let bytes: usize = texts.into_iter().flatten().map(str::len).sum();
        self.take(i64::try_from(bytes).unwrap_or(i64::MAX))
    }
}

/// Expands to the total size of an entry's texts in bytes; an absent text counts 0.
macro_rules! bytes_of {
    ($prefix:literal, [$($column:literal),+]) => {
        concat!(
            "CAST(0",
            $(" + COALESCE(octet_length(", $prefix, $column, "), 0)",)+
            " AS BIGINT)"
        )
    };
}

/// Selects the texts of an entry, unless their total size exceeds the parameter `$most`, and their size as `bytes`.
macro_rules! sized {
    ($most:literal, $prefix:literal, $($column:literal),+) => {
        sized!(@ $most, $prefix, [$($column),+], $($column),+)
    };
    (@ $most:literal, $prefix:literal, $all:tt, $($column:literal),+) => {
        concat!(
            $(
                "CASE WHEN ", bytes_of!($prefix, $all), " <= ", $most, " THEN ", $prefix, $column, " END AS ",
                $column, ", ",
            )+
            bytes_of!($prefix, $all),
            " AS bytes"
        )
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_and_all_of_them_are_bounded() {
        let mut room = Room::new("t", 1_000);
        assert!(!room.is_started());
        assert_eq!(room.take(600), Ok(()));
        assert!(room.is_started());
        for bytes in [1_001, i64::MAX, -1] {
            let error = room.take(bytes).map_err(|error| error.message);
            let said = format!("an entry of the table `t` has {bytes} bytes, over {LIMIT} (1000)");
            assert_eq!(error, Err(said));
        }
        let error = room.take(600).map_err(|error| error.trouble);
        assert_eq!(error, Err(Trouble::TooLarge));
        assert_eq!(room.take_texts([Some("abc"), None]), Ok(()));
    }

    #[test]
    fn entries_without_texts_are_bounded() {
        let mut room = Room::new("t", 1_000);
        let taken = (0..1_000).take_while(|_| room.take(0).is_ok()).count();
        assert_eq!(taken, 1_000 / ENTRY);
    }

    #[test]
    fn statements_select_texts_by_their_size() {
        assert_eq!(
            sized!("$2", "a.", "b", "c"),
            "CASE WHEN CAST(0 + COALESCE(octet_length(a.b), 0) + COALESCE(octet_length(a.c), 0) AS BIGINT) <= $2 \
             THEN a.b END AS b, \
             CASE WHEN CAST(0 + COALESCE(octet_length(a.b), 0) + COALESCE(octet_length(a.c), 0) AS BIGINT) <= $2 \
             THEN a.c END AS c, \
             CAST(0 + COALESCE(octet_length(a.b), 0) + COALESCE(octet_length(a.c), 0) AS BIGINT) AS bytes"
        );
    }
}
