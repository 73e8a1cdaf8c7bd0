//! Relevance to a query by words.

use super::*;

fn given<'a>(title: &'a str, content: &'a str) -> Given<'a> {
    Given {
        title: Some(title),
        content: Some(content),
        ..Given::default()
    }
}

/// The share of each; -1 for another script.
fn shares(query: &str, signals: &[Given<'_>]) -> Vec<f64> {
    let query = Query::new(query, signals, false).unwrap();
    let share = |place| match query.of(place) {
        Match::Words { share, .. } => share,
        Match::OtherScript => -1.0,
    };
    (0..signals.len()).map(share).collect()
}

#[test]
fn a_call_of_one_text_works_and_no_shared_word_is_none() {
    assert_eq!(shares("rust parser", &[given("A rust parser", "text")]), [1.0]);
    assert_eq!(shares("rust parser", &[given("A garden", "of roses")]), [0.0]);
    let half = shares("rust parser", &[given("A Parser", "in C")]);
    assert!((half[0] - 0.5).abs() < 1e-12);
    assert!(Query::new(" ?! ", &[given("a", "b")], false).is_none());
}

#[test]
fn of_a_text_that_is_ten_times_as_long_spelled_out_the_beginning_is_read() {
    let phrase = "\u{fdfa} ";
    let (short, long) = (phrase.repeat(400), phrase.repeat(25_000));
    let shares = shares("\u{fdfa}", &[given("x", &short), given("x", &long)]);
    assert!(shares.iter().all(|share| *share > 0.5), "{shares:?}");
}

#[test]
fn rare_words_weigh_more_than_those_that_all_texts_have() {
    let signals = [
        given("guide", "about borrow checker"),
        given("guide", "about weather today"),
        given("guide", "about garden today"),
    ];
    let shares = shares("borrow guide", &signals);
    assert!(
        shares[0] > 0.99 && shares[1] < 0.5 && shares[1] > 0.0,
        "{shares:?}"
    );
}

#[test]
fn words_are_found_in_their_other_forms_and_function_words_weigh_nothing() {
    let signals = [
        given("Setup", "Install the package, then configure certificates."),
        given("Roses", "How do I plant the roses? It is how I do it."),
    ];
    let shares = shares(
        "how do I go about installing and configuring the certificate",
        &signals,
    );
    assert!(shares[0] > 0.7, "{shares:?}");
    assert!(shares[1].abs() < 1e-12, "{shares:?}");
}

#[test]
fn a_text_in_another_script_is_not_judged_by_words() {
    let japanese = "\u{8a2d}\u{5b9a}\u{65b9}\u{6cd5}\u{306e}\u{8aac}\u{660e} TLS";
    let signals = [
        given("\u{8aac}\u{660e}", japanese),
        given("Setup", "of the garden"),
        given("\u{8aac}\u{660e}", "\u{8a2d}\u{5b9a}\u{65b9}\u{6cd5}"),
    ];
    let shares = shares("TLS certificate", &signals);
    assert!(shares[0] > 0.0, "a shared term counts: {shares:?}");
    assert_eq!(&shares[1..], [0.0, -1.0]);
}

/// Each query finds the first text and not the second.
#[test]
fn words_are_found_as_people_write_them() {
    for (query, found, other) in [
        // A single ideograph, and a Korean word with another particle.
        (
            "\u{7a0e}",
            "\u{6d88}\u{8cbb}\u{7a0e}\u{306e}\u{8aac}\u{660e}",
            "\u{5929}\u{6c17}\u{4e88}\u{5831}",
        ),
        (
            "\u{d734}\u{ac00}\u{b97c}",
            "\u{d734}\u{ac00}\u{b294} 15\u{c77c}",
            "\u{c810}\u{c2ec} \u{c2dc}\u{ac04}",
        ),
        // Names of code, in both directions.
        (
            "max connections",
            "Set max_connections to 100.",
            "The weather today",
        ),
        (
            "max_connections",
            "The most connections, as a max.",
            "The weather today",
        ),
        (
            "find a user by id",
            "Call getUserById first.",
            "The weather today",
        ),
        ("getUserById", "How to get a user", "The weather today"),
        // Signs, hyphens and units.
        ("C# async", "C# has async methods", "C has none; use C++"),
        ("wifi", "The Wi-Fi is upstairs", "The weather today"),
        ("e-mail", "Email is on", "The weather today"),
        ("limit 5 GB", "5GB is the limit", "The weather today"),
        ("1,500", "The fee is 1500 EUR", "The fee is 1 EUR or 500 EUR"),
        // Typed without accents, and with those of a keyboard.
        ("cafe hours", "Le caf\u{e9} ouvre", "The weather today"),
        ("caf\u{e9}", "The cafe opens", "The weather today"),
        ("istanbul", "\u{130}stanbul'da 15", "Ankara"),
        ("opinion", "Voici l'opinion", "La pluie"),
        // "The leave" in Hebrew.
        (
            "\u{5d7}\u{5d5}\u{5e4}\u{5e9}\u{5d4}",
            "\u{5d4}\u{5d7}\u{5d5}\u{5e4}\u{5e9}\u{5d4} \u{5e9}\u{5dc}\u{5d9}",
            "\u{5de}\u{5d6}\u{5d2} \u{5d0}\u{5d5}\u{5d5}\u{5d9}\u{5e8}",
        ),
    ] {
        let shares = shares(query, &[given("1", found), given("2", other)]);
        assert!(shares[0] > 0.0 && shares[1] <= 0.0, "{query}: {shares:?}");
    }
    // A name of two words is one word.
    let java = shares(
        "java streams",
        &[given("1", "JavaScript closures"), given("2", "Java streams")],
    );
    assert!(java[0] <= 0.0, "{java:?}");
}

/// A hyphen in the query costs nothing where the text has none.
#[test]
fn what_a_hyphen_joins_is_not_missed() {
    let whole = shares(
        "follow-up meeting",
        &[given("1", "We will follow up on the meeting.")],
    );
    assert!(whole[0] > 0.99, "{whole:?}");
    assert!(
        shares("l'avion", &[given("1", "Rain")])
            .iter()
            .all(|share| share.is_finite())
    );
}
