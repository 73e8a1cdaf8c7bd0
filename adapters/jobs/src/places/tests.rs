use super::names::{areas, countries};
use super::stated::LONGEST_NAME;
use super::*;
use proptest::prelude::*;

#[test]
fn a_place_is_more_than_a_word() {
    for (place, stated, fit) in [
        ("Germany", "Germany", Fit::Yes),
        ("Germany", "Nürnberg", Fit::ByTown),
        ("germany", "Nuernberg", Fit::ByTown),
        ("Deutschland", "Munich; Berlin", Fit::ByTown),
        ("Germany", "Frankfurt am Main", Fit::ByTown),
        ("Germany", "Berlin, DE", Fit::ByTown),
        ("Germany", "Berlin, CT", Fit::No),
        ("Germany", "Berlin; London, UK", Fit::ByTown),
        ("Germany", "Vienna", Fit::No),
        ("Germany", "Deutschlandweit", Fit::Unclear),
        ("Germany", "Europe", Fit::Unclear),
        ("Germany", "Remote", Fit::Unclear),
        ("Europe", "Germany", Fit::Yes),
        ("Europe", "Lisbon", Fit::ByTown),
        ("EU", "London, UK", Fit::No),
        ("DACH", "Zürich", Fit::ByTown),
        // Towns of the same name.
        ("France", "Paris, Texas, USA", Fit::No),
        ("France", "Paris, TX", Fit::No),
        ("France", "Paris", Fit::ByTown),
        ("UK", "Cambridge, MA", Fit::No),
        ("USA", "Cambridge, MA", Fit::ByTown),
        ("UK", "Cambridge", Fit::Unclear),
        ("UK", "London", Fit::ByTown),
        ("UK", "London, Ontario, Canada", Fit::No),
        // A pronoun is no country; the code is one.
        ("US", "join us in Berlin", Fit::No),
        ("USA", "work with us", Fit::Unclear),
        ("US", "Remote (US)", Fit::Yes),
        ("us", "United States", Fit::Yes),
        ("USA", "us", Fit::Yes),
        ("USA", "Austin, TX", Fit::Yes),
        ("USA", "Mexico City", Fit::No),
        ("USA", "Latin America", Fit::No),
        ("Mexico", "New Mexico", Fit::No),
        // A country or a state: what stands beside it decides, and the other states are elsewhere.
        ("Georgia", "Atlanta, Georgia", Fit::Yes),
        ("Georgia", "Atlanta, GA", Fit::Yes),
        ("Georgia", "Tbilisi, Georgia", Fit::ByTown),
        ("Georgia", "Tbilisi", Fit::ByTown),
        ("Georgia", "Georgia", Fit::Yes),
        ("Georgia", "Austin, TX", Fit::No),
        ("Georgia", "Boise, Idaho", Fit::No),
        ("Georgia", "Remote (US)", Fit::Unclear),
        ("Georgia", "Atlanta", Fit::Unclear),
        ("Georgia", "Berlin", Fit::No),
        ("Georgia, USA", "Tbilisi, Georgia", Fit::No),
        ("Georgia, USA", "Atlanta, GA", Fit::Yes),
        ("USA", "Georgia", Fit::Unclear),
        // States and provinces by their names, codes and other spellings.
        ("California", "San Francisco, CA", Fit::Yes),
        ("California", "San Jose, California, USA", Fit::Yes),
        ("California", "Austin, TX", Fit::No),
        ("California", "United States", Fit::Unclear),
        ("California", "Los Angeles", Fit::Unclear),
        ("California", "Los Angeles; Austin, TX", Fit::Unclear),
        ("California", "Toronto, Canada", Fit::No),
        ("California", "Remote", Fit::Unclear),
        ("Bavaria", "München, Bayern", Fit::Yes),
        ("Bayern", "Munich, Bavaria, Germany", Fit::Yes),
        ("Bavaria", "Hamburg, Germany", Fit::Unclear),
        ("Bavaria", "Wien", Fit::No),
        ("NRW", "Köln, Nordrhein-Westfalen", Fit::Yes),
        ("Ontario", "Toronto, ON", Fit::Yes),
        ("Ontario, Canada", "Vancouver, BC", Fit::No),
        ("Catalonia", "Barcelona, Catalunya", Fit::Yes),
        ("Scotland", "London, England", Fit::No),
        ("Scotland", "Edinburgh, Scotland", Fit::Yes),
        ("UK", "Edinburgh, Scotland", Fit::Yes),
        ("New York", "Buffalo, NY", Fit::Unclear),
        ("New York", "New York, NY", Fit::Yes),
        ("Portland, OR", "Portland, ME", Fit::No),
        ("Portland, OR", "Portland, Oregon", Fit::Yes),
        // A continent has its countries and no others.
        ("South America", "Brazil", Fit::Yes),
        ("South America", "Bogotá", Fit::ByTown),
        ("South America", "Guyana", Fit::Yes),
        ("South America", "Mexico", Fit::No),
        ("South America", "Costa Rica", Fit::No),
        ("South America", "Latin America", Fit::Unclear),
        ("Latin America", "South America", Fit::Unclear),
        ("EMEA", "Germany", Fit::Yes),
        ("EMEA", "Dubai, UAE", Fit::Yes),
        ("EMEA", "Austin, TX", Fit::No),
        ("APAC", "Singapore", Fit::Yes),
        ("Americas", "Toronto, ON", Fit::Yes),
        ("Germany", "Remote (EMEA)", Fit::Unclear),
        ("USA", "Remote (EMEA)", Fit::No),
        ("Central America", "Panama", Fit::Yes),
        ("Central America", "Chile", Fit::No),
        // Codes of two places decide nothing by themselves.
        ("USA", "Remote, CA", Fit::Unclear),
        ("Canada", "Remote, CA", Fit::Unclear),
        ("Canada", "Toronto, CA", Fit::ByTown),
        ("Canada", "San Francisco, CA", Fit::No),
        ("Singapore", "St. Gallen, SG", Fit::No),
        ("Switzerland", "St. Gallen, SG", Fit::Yes),
        ("Singapore", "Singapore, SG", Fit::Yes),
        ("Switzerland", "Bern, BE", Fit::ByTown),
        ("Belgium", "Bern, BE", Fit::No),
        ("Belgium", "Brussels, BE", Fit::ByTown),
        ("Germany", "Berlin, BE", Fit::ByTown),
        ("Belgium", "Kleinwinzigdorf, BE", Fit::Unclear),
        ("Germany", "Kleinwinzigdorf, BE", Fit::Unclear),
        ("France", "Kleinwinzigdorf, BE", Fit::No),
        ("Europe", "Kleinwinzigdorf, BE", Fit::Yes),
        ("Germany", "Kleinwinzigdorf, DE", Fit::Unclear),
        ("USA", "Milano, MI", Fit::No),
        ("Italy", "Milano, MI", Fit::ByTown),
        ("USA", "Detroit, MI", Fit::ByTown),
        ("USA", "Perth, WA", Fit::No),
        ("Canada", "Toronto, ON", Fit::Yes),
        // Also where the caller writes them.
        ("CA", "San Jose, CA", Fit::Yes),
        ("CA", "Toronto, Canada", Fit::Unclear),
        ("CA", "Berlin", Fit::No),
        ("TX", "Austin, Texas", Fit::Yes),
        ("DE", "Hamburg", Fit::Unclear),
        ("DE", "Rio de Janeiro", Fit::No),
        ("IN", "Work in Berlin", Fit::No),
        ("UK", "Remote, New England", Fit::No),
        ("USA", "Boston, New England", Fit::ByTown),
        ("PL", "Warsaw, Poland", Fit::Yes),
        // Towns.
        ("Berlin", "Berlin", Fit::Yes),
        ("Berlin", "Berlin, Germany", Fit::Yes),
        ("Berlin", "Berlin; Boston, MA", Fit::Yes),
        // A namesake, as its own state says.
        ("Berlin", "Berlin, CT", Fit::Unclear),
        ("Paris", "Paris, TX", Fit::Unclear),
        ("Paris", "Paris, France", Fit::Yes),
        ("Netherlands", "Utrecht, The Netherlands", Fit::Yes),
        ("The Netherlands", "Utrecht, Netherlands", Fit::Yes),
        ("Netherlands", "Eindhoven", Fit::ByTown),
        ("The Philippines", "Remote, Philippines", Fit::Yes),
        ("Philippines", "the Philippines", Fit::Yes),
        ("DR Congo", "Kinshasa, Democratic Republic of the Congo", Fit::Yes),
        ("NYC", "Brooklyn, NY", Fit::Yes),
        ("NYC", "Albany, NY", Fit::No),
        ("Brooklyn", "New York, NY", Fit::No),
        ("San Francisco", "SF", Fit::Yes),
        ("SF", "San Francisco, CA", Fit::Yes),
        ("Munich", "München", Fit::Yes),
        ("Berlin, Germany", "Hamburg, Berlin", Fit::Yes),
        ("Berlin, Germany", "Berlingen", Fit::No),
        ("Paris, France", "Paris, Texas, USA", Fit::No),
        ("Berlin, Germany", "Berlin, CT", Fit::No),
        ("Kleinstadt", "Kleinstadt am See", Fit::Yes),
        // Several places, of which one is enough.
        ("UK and Ireland", "Dublin, Ireland", Fit::Yes),
        ("UK & Ireland", "London", Fit::ByTown),
        ("UK or Germany", "Berlin", Fit::ByTown),
        ("US/Canada", "Austin, TX", Fit::Yes),
        ("USA or Canada", "Berlin", Fit::No),
        ("Germany, Austria", "Wien", Fit::ByTown),
        ("Berlin, Munich", "Munich, Germany", Fit::Yes),
        ("Berlin oder München", "Hamburg", Fit::No),
        ("Austin, TX; Denver, CO", "Denver, CO", Fit::Yes),
        ("Remote or Berlin", "Berlin", Fit::Yes),
        (
            "Trinidad and Tobago",
            "Port of Spain, Trinidad and Tobago",
            Fit::Yes,
        ),
        ("Vancouver, Washington", "Seattle, WA", Fit::No),
        ("Hong Kong, China", "Shanghai, China", Fit::No),
        ("LA", "Los Angeles, CA", Fit::Yes),
        ("LA", "New Orleans, LA", Fit::Yes),
        // Regions of recruiters.
        ("EEA", "Oslo, Norway", Fit::Yes),
        ("ANZ", "Auckland", Fit::ByTown),
        ("MENA", "Cairo, Egypt", Fit::Yes),
        ("Southeast Asia", "Berlin", Fit::No),
        // A metropolitan area is found by its town.
        ("Greater London", "London, UK", Fit::Yes),
        ("San Francisco Bay Area", "San Francisco, CA", Fit::Yes),
        ("San Francisco Bay Area", "San Francisco Bay Area", Fit::Yes),
        // A name within a longer name, and a town with the name of a state or country.
        ("York", "New York, NY", Fit::No),
        ("York", "York, UK", Fit::Yes),
        ("London", "New London, CT", Fit::No),
        ("UK", "Join our new London office", Fit::ByTown),
        ("Washington, DC", "Seattle, Washington", Fit::No),
        ("Washington, DC", "Washington, DC", Fit::Yes),
        ("WA", "Seattle, Washington, United States", Fit::Unclear),
        ("Washington", "Seattle, Washington, United States", Fit::Yes),
        ("Lebanon", "Lebanon, NH", Fit::No),
        ("Lebanon", "Beirut, Lebanon", Fit::Yes),
        ("USA", "Lebanon, NH, United States", Fit::Yes),
        ("Delaware", "Delaware, OH", Fit::No),
        ("Indiana", "Indiana, PA", Fit::No),
        ("USA", "United States, TX", Fit::Yes),
        ("Peru", "Peru, IN", Fit::Unclear),
        ("Peru", "Peru, IN, USA", Fit::No),
        ("Peru", "Lima, Peru", Fit::Yes),
        ("Canada", "Ontario, CA, USA", Fit::No),
        ("Canada", "Ontario, CA, Canada", Fit::Yes),
        ("Spain", "Port of Spain", Fit::No),
        ("Washington State", "Seattle, Washington", Fit::Yes),
        ("Canada", "Ontario, CA", Fit::Unclear),
        ("California", "Ontario, CA", Fit::Unclear),
        ("Ontario", "Ontario, CA", Fit::Unclear),
        // Spellings and former names.
        ("St. Petersburg", "Saint Petersburg, Russia", Fit::Yes),
        ("St. Louis", "Saint Louis, MO", Fit::Yes),
        ("Venice", "Venezia", Fit::Yes),
        ("Mumbai", "Bombay", Fit::Yes),
        ("USA", "US-Remote", Fit::Yes),
        ("California", "San Diego - CA", Fit::Yes),
        // A caller's town with the name of a country or of another state.
        ("Lebanon, NH", "Lebanon, NH", Fit::Yes),
        ("Lebanon, NH", "Beirut, Lebanon", Fit::No),
        ("Holland, MI", "Holland, MI", Fit::Yes),
        ("Holland, MI", "Amsterdam, Netherlands", Fit::No),
        ("Peru, IN", "Lima, Peru", Fit::No),
        ("Delaware, OH", "Wilmington, DE", Fit::No),
        ("Indiana, PA", "Indiana, PA", Fit::Yes),
        ("Indiana, PA", "Indianapolis, IN", Fit::No),
        ("Jamaica, NY", "Kingston, Jamaica", Fit::No),
        ("Victoria, BC", "Victoria, BC", Fit::Yes),
        ("Victoria, BC", "Melbourne, Victoria", Fit::No),
        ("Australia", "Victoria, BC", Fit::No),
        ("Liverpool, UK", "Liverpool, IL", Fit::Unclear),
        // The beginning of a longer name.
        ("Kingston", "Kingston upon Hull", Fit::Unclear),
        ("Kingston", "Kingston-upon-Thames, Surrey", Fit::Unclear),
        ("Kingston", "Kingston, Jamaica", Fit::Yes),
        ("Santiago", "Santiago de Compostela, Spain", Fit::Unclear),
        ("Santiago", "Santiago, Chile", Fit::Yes),
        ("San Francisco", "San Francisco de Macoris", Fit::Unclear),
        ("Frankfurt", "Frankfurt am Main", Fit::Yes),
        ("Berlin", "Berlin Köpenick", Fit::Yes),
        ("Newcastle upon Tyne", "Newcastle upon Tyne, UK", Fit::Yes),
        // Spellings of towns that Ukraine has changed.
        ("Odesa", "Odessa, Ukraine", Fit::Yes),
        ("Odessa", "Odesa, Ukraine", Fit::Yes),
        ("Odessa, Ukraine", "Odesa", Fit::Yes),
        ("Odessa, TX", "Odesa, Ukraine", Fit::No),
        ("Odessa, Ukraine", "Odessa, TX", Fit::No),
        ("USA", "Odessa, TX", Fit::Yes),
        ("Lviv", "Lvov", Fit::Yes),
        // A town may lie in a place that holds it, or anywhere.
        ("Berlin", "Germany", Fit::Unclear),
        ("Berlin", "Remote, EMEA", Fit::Unclear),
        ("Berlin", "Remote", Fit::Unclear),
        ("Berlin", "Remote - US", Fit::No),
        ("Berlin", "Kleinwinzigdorf, Germany", Fit::No),
        ("Berlin", "Austin, Texas", Fit::No),
        ("Munich", "Bavaria", Fit::Unclear),
        ("Austin, TX", "United States", Fit::Unclear),
        ("Austin, TX", "California", Fit::No),
        // Remote work as an alternative has no place of its own.
        ("Germany", "London, Boston, or Remote", Fit::Unclear),
        (
            "Germany",
            "San Francisco, CA or Remote within California",
            Fit::No,
        ),
        ("Texas", "Austin, TX or Remote", Fit::Yes),
        ("Ohio", "Worthington, OH and Riva del Garda, Italy", Fit::Yes),
        ("Italy", "Worthington, OH and Riva del Garda, Italy", Fit::Yes),
        ("Washington", "Portland, OR", Fit::No),
        ("USA", "Remote - AMER or EMEA", Fit::Unclear),
        ("USA", "Remote (NA)", Fit::Unclear),
        ("Namibia", "Windhoek, Namibia", Fit::Yes),
        // Metropolitan areas: by their towns, and perhaps by a place in their states.
        ("Silicon Valley", "San Jose, CA", Fit::Yes),
        ("Silicon Valley", "Palo Alto, CA", Fit::Unclear),
        ("Silicon Valley", "Silicon Valley", Fit::Yes),
        ("Silicon Valley", "New York, NY", Fit::No),
        ("Silicon Valley", "San José, Costa Rica", Fit::No),
        ("San Francisco Bay Area", "Palo Alto, CA", Fit::Unclear),
        ("San Francisco Bay Area", "Austin, TX", Fit::No),
        ("Greater Boston", "Boston, MA", Fit::Yes),
        ("Greater Boston Area", "Cambridge, MA", Fit::Unclear),
        ("DC metro area", "Arlington, VA", Fit::Unclear),
        ("Seattle metro", "Kirkland, WA", Fit::Unclear),
        ("GTA", "Toronto, Canada", Fit::Yes),
        ("GTA", "Mississauga, ON", Fit::Unclear),
        ("GTA", "Vancouver, BC", Fit::No),
    ] {
        assert_eq!(Wanted::of(place).fits(stated), fit, "{place}: {stated}");
    }
}

#[test]
fn what_the_list_does_not_have_is_known() {
    for (place, gap) in [
        ("Berlin", None),
        ("Germany", None),
        ("Silicon Valley", None),
        ("Randstad", Some(Gap::Unknown)),
        ("Berlin or Germany", None),
        ("Greater London", Some(Gap::Metro)),
        ("Berlin metropolitan area", Some(Gap::Metro)),
    ] {
        assert_eq!(Wanted::of(place).gap(), gap, "{place}");
    }
    let told = Gap::Unknown.told("Randstad");
    assert_eq!(
        told,
        "The list of places does not have Randstad, so only adverts that write it are found there"
    );
    let told = Gap::Metro.told("Greater London");
    assert!(
        told.starts_with("Greater London is found by its town alone"),
        "{told}"
    );
}

#[test]
fn every_line_of_the_lists_is_read() {
    let lines = include_str!("../../data/cities.tsv").lines();
    for line in lines {
        let (name, rest) = line.split_once('\t').unwrap();
        assert_eq!(fold(name), name);
        assert!(name.split(' ').count() <= LONGEST_NAME, "{name}");
        for code in rest
            .split('\t')
            .next()
            .unwrap()
            .trim_start_matches('~')
            .split(',')
        {
            assert!(countries().any(|country| country.0 == code), "{line}");
        }
    }
    for (country, code, names) in areas() {
        assert!(countries().any(|of| of.0 == country), "{country}");
        assert!(!code.is_empty() || !names.is_empty());
        for name in names.split(',') {
            let name = name.trim_start_matches('=');
            assert_eq!(fold(name), name);
            assert!(name.split(' ').count() <= LONGEST_NAME, "{name}");
        }
    }
    assert!(countries().count() > 200 && areas().count() > 400);
}

proptest! {
    #[test]
    fn any_place_is_survived(place in "\\PC{0,30}", stated in "\\PC{0,80}") {
        let _ = Wanted::of(&place).fits(&stated);
    }
}
