//! CSV with a header row, read by column name.

use freshcontext_contract::SourceError;
use freshcontext_contract::limits::TABLE_COLUMNS;

/// Rows of a CSV body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Column names as sent, trimmed.
    pub columns: Vec<String>,
    /// Cells by row; a short row lacks its last cells.
    pub rows: Vec<Vec<String>>,
    /// Rows left out: beyond the cap, or unreadable.
    pub omitted: usize,
}

impl Table {
    /// The position of a column, ASCII case ignored.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| column.eq_ignore_ascii_case(name))
    }

    /// A cell's text, `None` where it is missing, blank or `N/D`.
    pub fn cell(row: &[String], column: Option<usize>) -> Option<&str> {
        let cell = row.get(column?)?.trim();
        (!cell.is_empty() && cell != "N/D").then_some(cell)
    }
}

/// Reads at most `cap` rows; quotes and line breaks inside cells are honoured.
pub fn read(text: &str, cap: usize, what: &str) -> Result<Table, SourceError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| {
        SourceError::malformed(format!("{what}: no readable header row")).caused_by(error)
    })?;
    if header.len() > TABLE_COLUMNS {
        let message = format!("{what}: the table has more than {TABLE_COLUMNS} columns");
        return Err(SourceError::malformed(message));
    }
    let columns: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    if columns.iter().all(String::is_empty) {
        return Err(SourceError::malformed(format!("{what}: the answer is empty")));
    }
    let mut table = Table {
        columns,
        ..Table::default()
    };
    for record in reader.records() {
        match record {
            // Cells beyond the last column have no name, so they cannot be looked up.
            Ok(record) if table.rows.len() < cap => {
                let cells = record.iter().take(table.columns.len());
                table.rows.push(cells.map(str::to_owned).collect());
            }
            _ => table.omitted += 1,
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_quotes_breaks_and_short_rows() {
        let table = read(
            "Symbol,Close\r\n\"A,B\",\"1\r\n2\"\r\nC\r\nD,N/D\r\n",
            10,
            "quotes",
        )
        .unwrap();
        assert_eq!(table.rows.len(), 3);
        let close = table.column("close");
        assert_eq!(Table::cell(&table.rows[0], close), Some("1\r\n2"));
        assert_eq!(Table::cell(&table.rows[1], close), None);
        assert_eq!(Table::cell(&table.rows[2], close), None);
    }

    #[test]
    fn columns_are_bounded() {
        assert!(read(&",".repeat(TABLE_COLUMNS), 5, "t").is_err());
        assert!(read(&format!("a{}", ",".repeat(TABLE_COLUMNS - 1)), 5, "t").is_ok());
        let table = read(&format!("a,b\n{}", "x,".repeat(100_000)), 5, "t").unwrap();
        assert_eq!(table.rows[0], ["x", "x"]);
    }

    #[test]
    fn rows_beyond_the_cap_are_counted() {
        let body = format!("a\n{}", "x\n".repeat(50));
        let table = read(&body, 20, "t").unwrap();
        assert_eq!((table.rows.len(), table.omitted), (20, 30));
        assert!(read("", 5, "t").is_err());
    }
}
