use super::*;

fn now() -> DateTime<Utc> {
    "2026-04-26T08:30:00Z".parse().unwrap()
}

fn search(given: &str) -> Search {
    match recognise(given, now()).unwrap() {
        Query::Search(search) => search,
        Query::Thread(id) => panic!("{given} was read as item {id}"),
    }
}

#[test]
fn plain_words_are_a_story_search() {
    for words in [
        "rust",
        "C# & \"quotes\" -java 🦀",
        "why item?id= breaks",
        "a://b c",
    ] {
        let search = search(words);
        assert_eq!(
            (search.query.as_str(), search.tags.as_str(), search.newest),
            (words, "story", false)
        );
    }
}

#[test]
fn item_addresses_and_bare_numbers_are_threads() {
    for given in [
        "8863",
        " 8863 ",
        "item?id=8863",
        "news.ycombinator.com/item?id=8863",
        "https://news.ycombinator.com/item?id=8863#8952",
        "http://News.Ycombinator.com/item?goto=news&id=8863",
        "https://hn.algolia.com/api/v1/items/8863",
        "https://hacker-news.firebaseio.com/v0/item/8863.json?print=pretty",
    ] {
        assert_eq!(recognise(given, now()).unwrap(), Query::Thread(8863), "{given}");
    }
}

#[test]
fn lists_of_the_site_are_searches() {
    assert_eq!(search("https://news.ycombinator.com").board, Some(Board::Front));
    assert_eq!(search("news.ycombinator.com/").tags, "front_page");
    let newest = search("https://news.ycombinator.com/newest");
    assert_eq!((newest.board, newest.newest), (Some(Board::Newest), true));
    assert_eq!(search("https://news.ycombinator.com/ask").tags, "ask_hn");
    assert_eq!(search("https://news.ycombinator.com/show").tags, "show_hn");
    assert_eq!(search("https://news.ycombinator.com/jobs").tags, "job");
    assert_eq!(
        search("https://news.ycombinator.com/best").board,
        Some(Board::Best)
    );
    let second = search("https://news.ycombinator.com/news?p=2");
    assert_eq!((second.page, second.per_page), (1, Some(30)));
    let day = search("https://news.ycombinator.com/front?day=2026-04-20");
    assert_eq!(
        day.filters,
        ["created_at_i>=1776643200", "created_at_i<1776729600"]
    );
    assert_eq!(
        search("https://news.ycombinator.com/front")
            .filters
            .first()
            .unwrap(),
        "created_at_i>=1777075200"
    );
}

#[test]
fn users_posts_are_searches_but_user_pages_are_refused() {
    assert_eq!(
        search("https://news.ycombinator.com/submitted?id=pg").tags,
        "author_pg,(story,poll,job)"
    );
    assert_eq!(
        search("https://news.ycombinator.com/threads?id=pg").tags,
        "author_pg,comment"
    );
    let error = recognise("https://news.ycombinator.com/user?id=pg", now()).unwrap_err();
    assert_eq!(error.field.as_deref(), Some("url"));
    assert!(error.hint.unwrap().contains("submitted?id="));
    assert!(recognise("https://news.ycombinator.com/submitted?id=a,story", now()).is_err());
}

#[test]
fn search_pages_become_calls_of_the_interface() {
    let form = search("https://hn.algolia.com/?q=rust+lang&type=comment&sort=byDate&page=2");
    assert_eq!(
        (form.query.as_str(), form.tags.as_str(), form.newest, form.page),
        ("rust lang", "comment", true, 2)
    );
    let week = search("https://hn.algolia.com/?dateRange=pastWeek&query=x&type=all");
    assert_eq!(
        (week.tags.as_str(), week.filters),
        ("", vec!["created_at_i>=1776587400".to_owned()])
    );
    let api = search(
        "https://hn.algolia.com/api/v1/search?query=a&tags=author_pg,(story,poll)&numericFilters=points>9,created_at_i>1",
    );
    assert_eq!(api.filters, ["points>9", "created_at_i>1"]);
    let site = search("https://news.ycombinator.com/from?site=example.com");
    assert!(site.in_address && site.query == "example.com");
}

#[test]
fn the_wrong_kind_gets_an_error_that_shows_a_right_one() {
    for given in [
        "",
        "   ",
        "https://example.com/article",
        "https://www.ycombinator.com/companies",
        "ftp://news.ycombinator.com/",
        "https://news.ycombinator.com/login",
        "https://news.ycombinator.com/item",
        "https://news.ycombinator.com/item?id=abc",
        "https://news.ycombinator.com/front?day=2026-13-01",
        "https://news.ycombinator.com/newest?p=minus",
        "https://hn.algolia.com/?q=x&type=nonsense",
        "https://hn.algolia.com/api/v1/search?tags=a%26b",
        "https://",
        "0",
        "99999999999999999999",
    ] {
        let error = recognise(given, now()).unwrap_err();
        assert_eq!(error.code.as_str(), "invalid_input", "{given}");
        assert!(error.message.contains("Example: {"), "{given}");
    }
}
