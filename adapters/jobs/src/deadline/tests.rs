use super::*;
use proptest::prelude::*;

fn now() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn found(text: &str) -> Option<String> {
    find(text, None, now()).map(|found| found.day.to_string())
}

#[test]
fn plain_dates_behind_the_phrase_are_found() {
    for (text, day) in [
        ("Application deadline: 2026-12-01.", "2026-12-01"),
        ("Apply by December 1st, 2026!", "2026-12-01"),
        (
            "Please apply by Friday, 4 December 2026 at the latest",
            "2026-12-04",
        ),
        ("Closing date 3 Dec 2026", "2026-12-03"),
        ("Closing date: 17:00 GMT on 3rd of December 2026", "2026-12-03"),
        ("Applications close on 12/31/2026", "2026-12-31"),
        ("Applications are accepted until 31/12/26.", "2026-12-31"),
        ("The deadline for applications is 15-Dec-2026", "2026-12-15"),
        ("Bewerbungsfrist: 31.12.2026", "2026-12-31"),
        ("Bewerbungsfrist 01.11.2026", "2026-11-01"),
        ("Bewerbungsschluss ist der 15.12.26", "2026-12-15"),
        ("Bewerbungsschluss ist der 15. Dezember 2026", "2026-12-15"),
        ("Bewerbungen bis zum 5. 1. 2027 an", "2027-01-05"),
        ("Date limite de candidature : le 5 décembre 2026", "2026-12-05"),
        ("Fecha límite: 5 de enero de 2027", "2027-01-05"),
        ("Encerramento das inscrições: 21/12/2026", "2026-12-21"),
        ("Termin składania aplikacji: 18.12.2026", "2026-12-18"),
        ("Uzávěrka přihlášek: 18. 12. 2026", "2026-12-18"),
        ("Son başvuru tarihi: 18.12.2026", "2026-12-18"),
        ("Срок подачи заявок: 18.12.2026", "2026-12-18"),
        (
            "Applications close: 8 December 2026. UPDATE: reopened until 22 December 2026.",
            "2026-12-22",
        ),
        (
            "Apply by email.\nApplication deadline: 5 January 2027",
            "2027-01-05",
        ),
        (
            "Application deadline: 1 December 2026 (extended to 15 December 2026)",
            "2026-12-15",
        ),
        (
            "Application deadline: 2026-12-01. We close: apply by 1 December 2026.",
            "2026-12-01",
        ),
    ] {
        assert_eq!(found(text).as_deref(), Some(day), "{text}");
    }
}

#[test]
fn people_apply_and_so_do_rules() {
    for text in [
        "Apply by 1 December 2026.",
        "Interested? Please apply by 1 December 2026.",
        "You must apply no later than 1 December 2026.",
        "Candidates should apply before 1 December 2026",
        "To apply by 1 December 2026, write to us.",
        "Send your CV and apply by 1 December 2026",
        "Qualified candidates apply by 1 December 2026",
        "Bewerben Sie sich bis zum 1. Dezember 2026.",
        "Bitte bewerben Sie sich bis 01.12.2026 online.",
        "Fecha límite de solicitud: 1 de diciembre de 2026",
        "Prazo de candidatura: 1 de dezembro de 2026",
        "Ansök senast 1 december 2026.",
        "Closing date, 1 December 2026.",
        "Closing date, 1 December 2026 at 17:00",
    ] {
        assert_eq!(found(text).as_deref(), Some("2026-12-01"), "{text}");
    }
    for text in [
        "Changes in pay apply by 1 December 2026.",
        "The new limits apply no later than 1 December 2026.",
        "Conditions apply until 1 December 2026.",
        "Higher rates apply before 1 December 2026",
        "vi tillsätter tjänsten innan sista ansökningsdag, 1 december 2026 flyttar vi kontoret",
        "Read of the closing date, 1 December 2026 was a good day",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test]
fn vague_ones_are_not() {
    for text in [
        "Apply by Friday",
        "deadline: 03/04/2026",
        "Application deadline: 03/04/2026",
        "apply by 1 December",
        "founded on 2026-12-01",
        "apply by 2026-13-40",
        "Apply by email. Start date: 2026-12-01",
        "Apply by email before our start on 1 December 2026",
        "Application deadline: ongoing. Posted 2026-10-01",
        "Application deadline: rolling, start 1 January 2027",
        "Application deadline: none. The project ends 2027-01-01",
        "Application deadline. 1 January 2027 is the first day of work",
        "Bewerbungsfrist: keine, Start ab 01.01.2027",
        "Apply by 15.10.0026",
        "Application deadline: 1 December 1926",
        "Application deadline: 1 December 2036",
        "Application deadline: 1 December 2026. Application deadline: 5 December 2026",
        "We met tight deadlines in 2026",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test]
fn what_cannot_be_read_for_certain_is_quoted() {
    for (text, quoted) in [
        (
            "We build.\nApplication deadline: 03/04/2026\nBerlin",
            vec!["Application deadline: 03/04/2026"],
        ),
        (
            "Please apply by 1 December. We are ten.",
            vec!["Please apply by 1 December."],
        ),
        (
            "Application deadline: 1 December 2026. Application deadline: 5 December 2026",
            vec![
                "Application deadline: 1 December 2026.",
                "Application deadline: 5 December 2026",
            ],
        ),
        (
            "Application deadline: 1 December 2036",
            vec!["Application deadline: 1 December 2036"],
        ),
        (
            "Bewerbungen werden bis zum 20. Dezember 2026 entgegengenommen. Wir sind zehn.",
            vec!["Bewerbungen werden bis zum 20. Dezember 2026 entgegengenommen."],
        ),
        (
            "All applications received by June 15th, 2014 will be reviewed!",
            vec!["All applications received by June 15th, 2014 will be reviewed!"],
        ),
        (
            "Send your CV to us by Dec. 5, 2026 | Remote",
            vec!["Send your CV to us by Dec. 5, 2026"],
        ),
    ] {
        if find(text, None, now()).is_none() {
            assert_eq!(sentences(text), quoted, "{text}");
        }
    }
    for text in [
        "Apply by Friday",
        "Apply by email. Start date: 2026-12-01",
        "Apply by email before our start on 1 December 2026",
        "Application deadline: rolling, start 1 January 2027",
        "Application deadline. 1 January 2027 is the first day of work",
        "These rates apply until 31 December 2026",
        "founded on 2026-12-01",
        "We met tight deadlines in 2026",
        "Application deadline: ongoing. Posted 2026-10-01",
        "Apply now! Our office moves on 1 December 2026",
    ] {
        assert_eq!(sentences(text), Vec::<&str>::new(), "{text}");
    }
}

/// Sentences as public repositories have them in tests and pages of adverts and programmes (a golden table of dates in
/// four languages, a reader of bund.de, lists of vacancies), read on a day near them: the day that is meant, or none
/// where the year is not written.
#[test]
fn sentences_of_public_tables() {
    let table = [
        (
            "2026-10-06",
            "Deadline: 1st November 2026. We review applications on a rolling basis.",
            Some("2026-11-01"),
        ),
        (
            "2026-10-06",
            "Scadenza candidature: 31/10/2026. Il programma si svolge dal 13 aprile 2027.",
            Some("2026-10-31"),
        ),
        (
            "2026-10-06",
            "Bewerbungsschluss ist der 18.10.2026.",
            Some("2026-10-18"),
        ),
        ("2026-10-06", "Date limite : 30 novembre 2026", Some("2026-11-30")),
        (
            "2026-10-06",
            "Applications close October 31st, 2026",
            Some("2026-10-31"),
        ),
        (
            "2026-10-06",
            "Applications close on 15 November 2026 and are reviewed on a rolling basis.",
            Some("2026-11-15"),
        ),
        ("2026-10-06", "Deadline 31/06/2027", None),
        ("2026-10-06", "Deadline 10/25/2026", Some("2026-10-25")),
        ("2026-10-06", "Apply by 15 Nov", None),
        ("2026-10-06", "Applications close on 5 October.", None),
        (
            "2026-04-23",
            "Veröffentlicht 23.04.26 Bewerbungsfrist 24.05.26",
            Some("2026-05-24"),
        ),
        (
            "2022-02-01",
            "Bewerbungsschluss ist der 24.02.2022, trotzdem möchten wir euch dazu aufrufen",
            Some("2022-02-24"),
        ),
        (
            "2023-12-01",
            "Bewerbungsfrist\n28. Januar 2024",
            Some("2024-01-28"),
        ),
        (
            "2022-07-01",
            "Submission Email: work@example.com\nApplication Deadline: July 29, 2022\nCompany",
            Some("2022-07-29"),
        ),
        (
            "2026-11-01",
            "LOCATION: Mwanza | APPLICATION DEADLINE: 15 Dec 2026 | RESPONSIBILITIES:",
            Some("2026-12-15"),
        ),
        (
            "2026-11-01",
            "Application Deadline: Rolling basis, apply 3-6 months before intended start date",
            None,
        ),
        ("2026-11-01", "Application deadline: Aug 01", None),
        (
            "2024-03-01",
            "$20,000 - $30,000 | Part-Time\nApplication Deadline: March 19, 2024",
            Some("2024-03-19"),
        ),
        (
            "2025-03-01",
            "Application deadline is April 30, 2025. The following",
            Some("2025-04-30"),
        ),
        (
            "2026-09-01",
            "The application deadline is September 30, 2026.",
            Some("2026-09-30"),
        ),
        (
            "2026-09-01",
            "the application deadline is the 1st of September, while the one for summer is the 1st of March.",
            None,
        ),
        (
            "2026-09-01",
            "The application deadline is 31 May. IELTS is accepted",
            None,
        ),
        (
            "2024-08-01",
            "Deadline for applications is August 31, 2024.",
            Some("2024-08-31"),
        ),
        (
            "2017-01-01",
            "Deadline for applications is January 15, 2017.",
            Some("2017-01-15"),
        ),
        (
            "2024-01-01",
            "The deadline for applications is the 14th January, and we will be inviting candidates",
            None,
        ),
        ("2024-01-01", "The deadline for applications is Friday.", None),
        (
            "2026-11-01",
            "Two years if you apply by 31 December 2026, 18 months from 1 January 2027",
            Some("2026-12-31"),
        ),
        (
            "2026-11-01",
            "USA-Austausch: Bewerbungsschluss Mi, 8.03.! AJ",
            None,
        ),
    ];
    for (today, text, day) in table {
        let now = format!("{today}T12:00:00Z").parse().unwrap();
        assert_eq!(
            find(text, None, now)
                .map(|found| found.day.to_string())
                .as_deref(),
            day,
            "{text}"
        );
    }
}

#[test]
fn wordings_of_public_adverts_are_read() {
    for (text, day) in [
        (
            "The deadline for this position is December 16, 2026, at 11:59 PM",
            Some("2026-12-16"),
        ),
        (
            "The application deadline for the PhD program is December 1, 2026 at 11:59pm PST.",
            Some("2026-12-01"),
        ),
        (
            "Die Bewerbungsfrist für das Wintersemester endet am 15. Dezember 2026.",
            Some("2026-12-15"),
        ),
        (
            "Applications close at 5pm on 15 December 2026",
            Some("2026-12-15"),
        ),
        (
            "Closing Date: 11:59 p.m. on Wednesday, December 16, 2026",
            Some("2026-12-16"),
        ),
        (
            "Some text about the team.\nCloses: 4 Dec 2026",
            Some("2026-12-04"),
        ),
        (
            "Job Competition closes at 7:00 p.m. EST on December 14, 2026",
            Some("2026-12-14"),
        ),
        (
            "This competition will close on December 2, 2026",
            Some("2026-12-02"),
        ),
        (
            "Applications for this role close on 2 December 2026",
            Some("2026-12-02"),
        ),
        ("Closing: 15 December 2026, 12:00", Some("2026-12-15")),
        (
            "Applications open on 17 November 2026 and close on 16 December 2026.",
            Some("2026-12-16"),
        ),
        ("Application Close: December 15, 2026", Some("2026-12-15")),
        ("Application due Dec 12, 2026", Some("2026-12-12")),
        (
            "Close date: apply online by December 12, 2026",
            Some("2026-12-12"),
        ),
        ("Job Closing Date (YYYY-MM-DD): 2026-12-31", Some("2026-12-31")),
        ("Posting End Date: December 15, 2026", Some("2026-12-15")),
        (
            "Please send your CV and cover letter by 15 December 2026",
            Some("2026-12-15"),
        ),
        (
            "Bitte senden Sie Ihre vollständigen Bewerbungsunterlagen bis zum 30.12.2026 an die Personalstelle.",
            Some("2026-12-30"),
        ),
        (
            "Ihre Bewerbung senden Sie bitte bis spätestens 15. Dezember 2026 an uns",
            Some("2026-12-15"),
        ),
        ("Bewerbungen gerne bis zum 20.12.2026", Some("2026-12-20")),
        ("Bewerbungsschluss Mi, 16.12.2026!", Some("2026-12-16")),
        ("Bewerbungsfrist vom 1.12.2026 bis 15.12.2026", Some("2026-12-15")),
        ("Candidatures jusqu'au 1er décembre 2026", Some("2026-12-01")),
        (
            "Merci d'envoyer votre CV avant le 15 décembre 2026.",
            Some("2026-12-15"),
        ),
        (
            "La date limite de réception des candidatures est fixée au 15 décembre 2026",
            Some("2026-12-15"),
        ),
        (
            "Date limite de dépôt des candidatures : 15 décembre 2026",
            Some("2026-12-15"),
        ),
        ("Candidatures ouvertes du 1er au 15 décembre 2026", None),
        ("Date de clôture: 2026-12-20", Some("2026-12-20")),
        ("Candidature entro il 31 dicembre 2026", Some("2026-12-31")),
        ("Scadenza: 31 ottobre 2026", Some("2026-10-31")),
        ("Fecha límite de postulación: 20/12/2026", Some("2026-12-20")),
        (
            "Fin del plazo de presentación de solicitudes: Domingo, 13 Diciembre, 2026",
            Some("2026-12-13"),
        ),
        (
            "Plazo de solicitud del 20/11/2026 al 31/12/2026",
            Some("2026-12-31"),
        ),
        ("Inscrições até 15 de outubro de 2027", Some("2027-10-15")),
        (
            "Solliciteren kan tot uiterlijk 24 december 2026.",
            Some("2026-12-24"),
        ),
        ("Reageren kan tot en met 15 december 2026.", Some("2026-12-15")),
        ("Solliciteer vóór 15 december 2026", Some("2026-12-15")),
        ("Sista ansökningsdatum 2026-12-22", Some("2026-12-22")),
        ("Sista dag att ansöka är 22 december 2026", Some("2026-12-22")),
        ("Søknadsfrist: 15. desember 2026", Some("2026-12-15")),
        // Other things close, are kept and are wanted until a day.
        ("The project closes on 31 December 2026", None),
        (
            "Our office closes on 24 December 2026 and reopens in January.",
            None,
        ),
        ("Close 5 deals by 15 December 2026", None),
        ("Poste à pourvoir avant le 1er décembre 2026.", None),
        ("CDD jusqu'au 31 décembre 2026", None),
        (
            "Wir freuen uns auf deine Bewerbung! Die Stelle ist bis 31.12.2026 befristet.",
            None,
        ),
        (
            "Ihre Bewerbungsunterlagen werden bis zum 31.12.2026 aufbewahrt.",
            None,
        ),
        ("Ihre Bewerbung: bis 31.12.2026 befristete Stelle", None),
        ("Bewerbungsunterlagen bis 5 MB, Start am 01.12.2026", None),
        ("The deadline for your first report is 15 December 2026", None),
        ("Reageren kan tot vrijdag.", None),
        ("Closing Date: Open until filled Posted Date: 12/31/2026", None),
    ] {
        assert_eq!(found(text).as_deref(), day, "{text}");
    }
}

/// Sentences that public adverts, and the tests of readers of adverts, have beside those above.
#[test]
fn further_wordings_of_public_adverts_are_read() {
    for text in [
        "Reageren op deze vacature kan tot 15 december 2026.",
        "Solliciteren op deze functie kan tot en met 15 december 2026.",
        "Stuur je sollicitatie uiterlijk 15 december 2026 naar ons.",
        "De vacature sluit op 15 december 2026.",
        "Send din ansøgning senest 15. december 2026.",
        "Indsend din ansøgning senest 15/12/2026.",
        "Inoltro candidature entro martedì 15 dicembre 2026 alle ore 16:00.",
        "Candidature entro le 17.00 del 15 dicembre 2026.",
        "Le domande dovranno pervenire entro le ore 12:00 del 15/12/2026. Supplenza dal 20/12/2026 al 30/12/2026.",
        "Scadenza per la presentazione delle domande: 15/12/2026",
        "El plazo de presentación de solicitudes expirará el 15 de diciembre de 2026, estando sujeto a cambios",
        "Fecha límite para apuntarse: 2026-12-15",
        "Plazo de postulación: 2026-12-15",
        "The deadline to submit your application is 15 December 2026 at 5:00 PM",
        "Stage 1 deadline for applications: Tuesday 15 th December 2026.",
        "Job Posting End Date:December-15-2026",
        "Recruiting for this role ends on 12/15/2026.",
        "Application expected to close: 12/15/2026",
        "This position will be open through December 15, 2026.",
        "Feel free to send in your application today, but no later than 15th of December, 2026.",
        "Please submit it before the end of the day on (dd.mm.yyyy): 15.12.2026 We encourage candidates to apply.",
        "Send your CV to jobs@example.org by December 15, 2026.",
        "We are accepting applications until: 12/15/2026.",
        "Job posting expires on 15 December 2026",
        "Submit a résumé by Tuesday, December 15, 2026",
        "Submit your application via our careers' website by 15 December 2026",
        "This posting will close at 11:59 pm MST on December 15, 2026",
        "Application window is expected to close on 15-DEC-2026",
        "Job posting expiration date: 2026-12-15",
        "Fin de l'affichage : 2026-12-15",
        "Fermeture du concours : 15 décembre 2026",
        "Candidatures reçues jusqu'au 15 décembre 2026",
        "Candidatures jusqu’au 15 décembre 2026",
        "Les candidatures doivent être déposées avant le 15 décembre 2026.",
        "The closing date for applications is strictly 15th December 2026. All will be contacted by 23rd December 2026.",
        "Postulez au plus tard le 15 décembre 2026",
        "Cette offre expirera le 15 décembre 2026",
        "Offre valide jusqu'au 15 décembre 2026",
        "Data limite para candidaturas: 15/12/2026",
    ] {
        assert_eq!(found(text).as_deref(), Some("2026-12-15"), "{text}");
    }
    for text in [
        "Reageren op deze vacature is niet meer mogelijk sinds 15 november 2026.",
        "De winkel sluit op 15 december 2026.",
        "This position will be open until filled. Start: 15 December 2026",
        "Send in your application today. We start on 15 December 2026",
        "Send your CV to jobs@example.org. We start on 15 December 2026",
        "Le domande dovranno pervenire per email. Supplenza dal 20/12/2026 al 30/12/2026.",
        "Candidature entro 15.12",
        "The certificate expires on 15 December 2026",
        "This position expires on 15 December 2026 and may be extended",
        "Submit your application via our website. The work ends by 15 December 2026",
        "We are accepting applications from 15 December 2026",
        "Les candidatures doivent être traitées avant le 15 décembre 2026.",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

#[test]
fn only_a_closing_word_makes_a_deadline() {
    for (text, day) in [
        ("Applications are open from 1 December 2026.", None),
        ("Applications open from 1 December 2026", None),
        ("Applications are accepted as of 1 December 2026", None),
        ("Applications accepted starting 1 December 2026", None),
        ("Applications will be accepted on 1 December 2026", None),
        ("Please apply not before 1 December 2026", None),
        ("Do not apply before 1 December 2026", None),
        ("Please don't apply before 1 December 2026", None),
        ("Applications are accepted after 1 December 2026", None),
        ("Application deadline: from 1 December 2026", None),
        (
            "Applications are accepted from 1 November 2026 until 15 December 2026",
            Some("2026-12-15"),
        ),
        (
            "Applications are open from 1 November to 15 December 2026.",
            Some("2026-12-15"),
        ),
        ("Applications are open until 15 December 2026", Some("2026-12-15")),
        (
            "Applications are open from now until 15 December 2026",
            Some("2026-12-15"),
        ),
        ("Please apply no later than 15 December 2026", Some("2026-12-15")),
    ] {
        assert_eq!(found(text).as_deref(), day, "{text}");
    }
}

#[test]
fn an_extended_day_counts_in_every_wording() {
    for (text, day) in [
        (
            "The application deadline has been extended from 1 December 2026 to 15 December 2026.",
            Some("2026-12-15"),
        ),
        (
            "The deadline for applications has been moved from December 1 to December 15, 2026",
            Some("2026-12-15"),
        ),
        (
            "Application deadline: 1 December 2026, extended to 15 December 2026",
            Some("2026-12-15"),
        ),
        (
            "Application deadline: 1 December 2026. Extended until 15 December 2026.",
            Some("2026-12-15"),
        ),
        (
            "CLOSING DATE: Extended until Tuesday 15th December 2026.",
            Some("2026-12-15"),
        ),
        (
            "The application deadline has been extended to December 15, 2026.",
            Some("2026-12-15"),
        ),
        (
            "Bewerbungsfrist: 01.12.2026, verlängert bis 15.12.2026",
            Some("2026-12-15"),
        ),
        (
            "Die Bewerbungsfrist wurde bis zum 1.12.2026 gesetzt und verlängert bis zum 15. Dezember 2026",
            Some("2026-12-15"),
        ),
        (
            "Date limite de candidature : 1er décembre 2026, prolongée jusqu'au 15 décembre 2026",
            Some("2026-12-15"),
        ),
        (
            "Candidatures : le délai est prolongé jusqu'au 15 décembre 2026",
            Some("2026-12-15"),
        ),
        (
            "Scadenza: 01/12/2026 - prorogata al 15/12/2026",
            Some("2026-12-15"),
        ),
        (
            "Closing date: 1 December 2026. This vacancy now closes on 15 December 2026.",
            Some("2026-12-15"),
        ),
        (
            "Apply by 1 December 2026. New deadline: 15 December 2026",
            Some("2026-12-15"),
        ),
        (
            "Neue Bewerbungsfrist: 15.12.2026 (alte Bewerbungsfrist: 1.12.2026)",
            Some("2026-12-15"),
        ),
        ("Deadline extended! Apply by 15 December 2026", Some("2026-12-15")),
        (
            "Application deadline: 15 November 2026, extended to 1 May 2027. It was 3 May 2026, extended to 15 November 2026",
            Some("2027-05-01"),
        ),
        (
            "Die Bewerbungsfrist wurde auf den 15.12.2026 verschoben",
            Some("2026-12-15"),
        ),
        (
            "Bewerbungsfrist: 1.12.2026. Die Frist wurde bis zum 15. Dezember 2026 verlängert.",
            Some("2026-12-15"),
        ),
        ("Bewerbungsfrist: 1.12.2026. Die Frist wurde verlängert.", None),
        ("Bewerbungsfrist verlängert auf 15.12.2026", Some("2026-12-15")),
        (
            "The closing date has been moved to 15 December 2026",
            Some("2026-12-15"),
        ),
        (
            "Plazo de solicitud ampliado hasta el 15 de diciembre de 2026",
            Some("2026-12-15"),
        ),
        ("Prazo prorrogado até 15 de dezembro de 2026", Some("2026-12-15")),
        (
            "Apply by 1 December 2026. Extended parental leave from day one.",
            Some("2026-12-01"),
        ),
        // The old day is over, and the new one is not said.
        (
            "Application deadline: 1 December 2026, extended by two weeks",
            None,
        ),
        // Something else is extended, or nothing is yet.
        (
            "Apply by 1 December 2026. The contract may be extended until 31 December 2027",
            Some("2026-12-01"),
        ),
        (
            "Application deadline 1 December 2026, contract extended until 31 December 2027",
            Some("2026-12-01"),
        ),
        (
            "Application deadline 1 December 2026; it may be extended to 15 December 2026",
            Some("2026-12-01"),
        ),
        (
            "Der Vertrag wird verlängert bis 31.12.2027. Bewerbungsfrist: 1.12.2026",
            Some("2026-12-01"),
        ),
    ] {
        assert_eq!(found(text).as_deref(), day, "{text}");
    }
}

#[test]
fn a_year_is_of_the_same_phrase_or_of_the_posting() {
    let posted: DateTime<Utc> = "2026-11-19T08:00:00Z".parse().unwrap();
    for (text, alone, with_posting) in [
        (
            "Apply by 15 December. 2027 is our year.",
            None,
            Some("2026-12-15"),
        ),
        ("Apply by 15 December (2027 intake)", None, Some("2026-12-15")),
        (
            "Apply by December 15. 2027 will be great",
            None,
            Some("2026-12-15"),
        ),
        (
            "Application deadline: 15 December\n2027 budget: large",
            None,
            Some("2026-12-15"),
        ),
        ("Apply by 15 Dec. 2026", Some("2026-12-15"), Some("2026-12-15")),
        ("Apply by 15 December", None, Some("2026-12-15")),
        ("Apply by January 9th", None, Some("2027-01-09")),
        ("Bewerbungsfrist: 15.12.", None, Some("2026-12-15")),
        ("Apply by 15 December 12:00", None, Some("2026-12-15")),
        // A year away: the advert was posted again, more likely.
        ("Apply by 15 November", None, None),
        ("Apply by 30 February", None, None),
        ("Apply by 15 December 1926", None, None),
        ("Apply by 15 December 26", None, None),
        // Two days.
        (
            "Apply by 15 December. Application deadline: 15 December 2027",
            Some("2027-12-15"),
            None,
        ),
    ] {
        assert_eq!(found(text).as_deref(), alone, "{text}");
        let found = find(text, Some(posted), now());
        assert_eq!(
            found.map(|found| found.day.to_string()).as_deref(),
            with_posting,
            "{text}"
        );
        assert_eq!(
            found.is_some_and(|found| found.year_inferred),
            alone.is_none() && with_posting.is_some()
        );
    }
}

#[test]
fn a_day_has_passed_when_it_is_over_everywhere() {
    let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
    assert!(!passed(day, "2026-11-21T11:00:00Z".parse().unwrap()));
    assert!(passed(day, "2026-11-21T12:00:00Z".parse().unwrap()));
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC{0,80}") {
        let _ = sentences(&text);
        let _ = find(&format!("apply by {text}"), Some(now()), now());
        let _ = find(&format!("deadline extended {text} verlängert bis {text}"), Some(now()), now());
    }

    // Every form that says a day plainly gives that day.
    #[test]
    fn every_plain_form_of_a_day_is_read(days in -300_i64..700, form in 0_usize..9) {
        let day = now().date_naive() + TimeDelta::days(days);
        let forms = ["%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%-d.%-m.%Y", "%-d %B %Y", "%B %-d, %Y", "%b %-d, %Y", "%-d. %B %Y", "%d-%b-%Y"];
        let text = format!("Application deadline: {}", day.format(forms[form]));
        let found = find(&text, None, now());
        prop_assert_eq!(found, Some(Deadline { day, year_inferred: false }));
    }
}
