//! Batches, in both spellings that are in use.

use std::fmt;

/// A season. The order is the order within a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Season {
    /// `W`
    Winter,
    /// `X`
    Spring,
    /// `S`
    Summer,
    /// `F`
    Fall,
}

impl Season {
    const ALL: [(Self, &'static str, char); 4] = [
        (Self::Winter, "Winter", 'W'),
        (Self::Spring, "Spring", 'X'),
        (Self::Summer, "Summer", 'S'),
        (Self::Fall, "Fall", 'F'),
    ];

    fn name(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find(|(season, ..)| *season == self)
            .map_or("", |(_, name, _)| name)
    }
}

/// A batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Batch {
    /// Its year.
    pub year: i32,
    /// Its season.
    pub season: Season,
}

impl Batch {
    /// Reads `Winter 2026`, `winter-2026`, `W26` or `w26`. `IK12` and `Unspecified` have no season.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((season, year)) = text.split_once([' ', '-', '_']) {
            let (season, ..) = Season::ALL
                .into_iter()
                .find(|(_, name, _)| name.eq_ignore_ascii_case(season))?;
            let year = year
                .trim()
                .parse()
                .ok()
                .filter(|year| (2005..=2100).contains(year))?;
            return Some(Self { year, season });
        }
        let mut chars = text.chars();
        let letter = chars.next()?.to_ascii_uppercase();
        let digits = chars.as_str();
        let (season, ..) = Season::ALL.into_iter().find(|(.., code)| *code == letter)?;
        let two = digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit());
        let year = digits.parse::<i32>().ok().filter(|year| two && *year >= 5)?;
        Some(Self {
            year: 2000 + year,
            season,
        })
    }

    /// The mirror's file name.
    pub fn slug(self) -> String {
        self.to_string().to_lowercase().replace(' ', "-")
    }
}

impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.season.name(), self.year)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_one_batch() {
        for (text, want) in [
            ("W26", "Winter 2026"),
            ("winter-2026", "Winter 2026"),
            ("Spring 2025", "Spring 2025"),
            ("x25", "Spring 2025"),
            ("S05", "Summer 2005"),
            ("F24", "Fall 2024"),
        ] {
            assert_eq!(Batch::read(text).unwrap().to_string(), want);
        }
        assert_eq!(Batch::read("X25").unwrap().slug(), "spring-2025");
        for text in [
            "IK12",
            "Unspecified",
            "W2",
            "W2026",
            "S04",
            "",
            "x",
            "é12",
            "winter",
        ] {
            assert_eq!(Batch::read(text), None, "{text}");
        }
    }

    #[test]
    fn batches_are_in_order_of_time() {
        let read = |text| Batch::read(text).unwrap();
        assert!(read("W25") < read("X25") && read("X25") < read("S25") && read("F25") < read("W26"));
    }
}
