use chrono::{DateTime, Utc};
use url::Url;

use crate::date::shown;
use crate::html::{Main, document};

const LONG: &str =
    "<p>The four parks in the north of the town were planted anew this spring by the school.</p>";

/// The publication and the change that a page states.
fn stated(body: &str) -> (Option<String>, Option<String>) {
    let body = body.replace("LONG", LONG);
    let page = document(&format!("<!doctype html><title>Parks</title>{body}"));
    let address = Url::parse("https://example.com/parks").unwrap();
    let now: DateTime<Utc> = "2026-11-30T12:00:00Z".parse().unwrap();
    let main = Main::of(&page, &address);
    let dates = super::read(&page, &main, &main.text(), &address, now);
    let published = dates.date.value().and_then(shown);
    let day = |date: String| date.chars().take(10).collect::<String>();
    (published.map(day), dates.modified.map(day))
}

#[test]
fn dates_of_something_else_are_not_the_pages() {
    for body in [
        // Parts of the page, as microdata.
        "<h1>Parks</h1>LONG<div itemscope itemtype='https://schema.org/Review'>\
         <time itemprop=datePublished datetime=2026-11-01>Nov 1</time>Nice</div>",
        "<h1>Parks</h1>LONG<div itemprop=suggestedAnswer itemscope itemtype='https://schema.org/Answer'>\
         <time itemprop=datePublished datetime=2026-11-01>Nov 1</time>Yes</div>",
        "<article itemscope itemtype='https://schema.org/Article'><h1>Parks</h1>LONG<div itemprop=about itemscope \
         itemtype='https://schema.org/Book'><meta itemprop=datePublished content=1999-10-18></div></article>",
        "<article itemscope itemtype='https://schema.org/Article'><h1>Parks</h1>LONG</article><section><div itemscope \
         itemtype='https://schema.org/Article'><time itemprop=datePublished datetime=2026-11-01>Nov 1</time></div></section>",
        // Labels, properties and classes of other events.
        "<h1>Maria</h1><p>Born: <time datetime=1981-05-03>May 3, 1981</time></p>LONG",
        "<h1>Fair</h1><p>When: <time datetime=2026-11-15>Nov 15, 2026</time></p>LONG",
        "<h1>Fair</h1><time itemprop=startDate datetime=2026-11-15>Nov 15, 2026</time>LONG",
        "<h1>Fair</h1><time class=dtstart datetime=2026-11-15>Nov 15, 2026</time>LONG",
        // Footers that speak of another page, or of an article that is not the page's.
        "<main><h1>Parks</h1>LONG</main><footer>Posted on November 15, 2026</footer>",
        "<main><h1>Parks</h1>LONG<article><h2>Storm</h2><footer>Posted on November 15, 2026</footer></article></main>",
        "<h1>Parks</h1><time>3 days ago</time>LONG",
        "<main><h1>Parks</h1>LONG</main><footer><a href=/x>Storm report updated November 15, 2026</a></footer>",
        "<main><h1>Parks</h1>LONG</main><footer><nav><a href=/x>Storm report</a>, updated November 15, 2026</nav></footer>",
        "<main><h1>Parks</h1>LONG</main><footer><div class=related>Updated November 15, 2026</div></footer>",
        "<main><h1>Parks</h1>LONG</main><footer><p>Privacy policy updated January 5, 2026</p></footer>",
        "<main><h1>Parks</h1>LONG<article><h2>Storm</h2><footer>Updated November 15, 2026</footer></article></main>",
        // Prose, a card below another heading, a review.
        "<h1>Parks</h1>LONG<p>On <time datetime=1984-06-06>June 6, 1984</time> the hall burned.</p>",
        "<h1>Parks</h1>LONG<h3>Latest news</h3><p><time datetime=2026-11-29>Nov 29, 2026</time> <a href=/z>Storm</a></p>",
        "<h1>Parks</h1>LONG<div class=x><time class=woocommerce-review__published-date datetime=2026-11-01>Nov 1, 2026</time>\
         <p>Great.</p></div>",
    ] {
        assert_eq!(stated(body), (None, None), "{body}");
    }
}

#[test]
fn changes_are_not_publications() {
    for body in [
        "<h1>Parks</h1><ul><li><time datetime=2026-11-15>Nov 15, 2026</time></li><li>Updated</li></ul>LONG",
        "<h1>Parks</h1><div>Last updated</div><div><time datetime=2026-11-15>Nov 15, 2026</time></div>LONG",
        "<h1>Parks</h1><div class=last-updated><time datetime=2026-11-15>Nov 15, 2026</time></div>LONG",
        "<h1>Parks</h1><p>Mis à jour le <time datetime=2026-11-15>15 novembre 2026</time></p>LONG",
        "<h1>Parks</h1><p>更新日：<time datetime=2026-11-15>2026年11月15日</time></p>LONG",
        "<h1>Parks</h1><p>Aktualizacja: <time datetime=2026-11-15>15 stycznia</time></p>LONG",
        // Footers, as programs that make sites write them.
        "<main><h1>Parks</h1>LONG</main><footer>Last updated on November 15, 2026</footer>",
        "<article><h1>Parks</h1>LONG<footer class=theme-doc-footer><span>Last updated<span> on <b><time \
         datetime=2026-11-15T00:00:00.000Z>Nov 15, 2026</time></b></span></span></footer></article>",
        "<main><h1>Parks</h1>LONG</main><footer><ul><li> This page was last edited on 15 November 2026, at 09:12.</li></ul></footer>",
        "<article><h1>Parks</h1>LONG<aside class=md-source-file><span><span title='Last update'></span><span>November 15, 2026\
         </span></span></aside></article>",
    ] {
        assert_eq!(stated(body), (None, Some("2026-11-15".to_owned())), "{body}");
    }
}

#[test]
fn what_dates_the_page_stays() {
    for body in [
        "<article itemscope itemtype='https://schema.org/Article'><h1>Parks</h1>\
         <time itemprop=datePublished datetime=2026-11-20>Nov 20</time>LONG</article>",
        "<h1>Parks</h1><div itemscope itemtype='https://schema.org/BlogPosting'>\
         <meta itemprop=datePublished content=2026-11-20>LONG</div>",
        "<html itemscope itemtype='https://schema.org/WebPage'><meta itemprop=datePublished content=2026-11-20><article itemscope \
         itemtype='https://schema.org/NewsArticle'><h1>Parks</h1>LONG</article>",
        "<div itemscope itemtype='https://schema.org/VideoObject'><meta itemprop=name content=Parks>\
         <meta itemprop=datePublished content=2026-11-20></div>LONG",
        "<h1>Parks</h1><p itemprop=author itemscope itemtype='https://schema.org/Person'><a itemprop=url href=/ann>Ann</a> - \
         <time datetime=2026-11-20>Nov 20, 2026</time></p>LONG",
        "<h1>Parks</h1><p>By Ann · <time datetime=2026-11-20>Nov 20, 2026</time></p>LONG",
        "<h1>Parks</h1><p>Date: <time datetime=2026-11-20>Nov 20, 2026</time> 5 min read</p>LONG",
        "<h1>Parks</h1><p>Published on November 20, 2026</p><p>When: <time datetime=2026-11-25>November 25, 2026</time></p>LONG",
        "<h1>Parks</h1><h2>A walk</h2><div><a href=/ann>Ann</a> · <time datetime=2026-11-20>Nov 20, 2026</time></div>LONG",
        "<h1>Parks</h1><h2>A walk</h2><p><time datetime=2026-11-20>Nov 20, 2026</time></p>LONG",
        "<h1>Parks</h1><time>November 20, 2026</time>LONG",
        "<article><h1>Parks</h1>LONG<footer class=entry-meta>Posted on <time class=entry-date datetime=2026-11-20T10:00:00Z>\
         November 20, 2026</time> by Ann</footer></article>",
        "<meta name=DC.date.issued content=2026-11-20><h1>Parks</h1>LONG",
        "<meta name=citation_publication_date content=2026/11/20><h1>Parks</h1>LONG",
        "<script type=application/ld+json>{\"@type\":\"Recipe\",\"name\":\"Parks\",\"datePublished\":\"2026-11-20\"}</script>\
         <h1>Parks</h1>LONG",
        "<h1>Parks</h1><p>Publié le 20 novembre 2026 à 14h03</p>LONG",
        "<h1>Parks</h1><p>Fecha de publicación: 20 de noviembre de 2026</p>LONG",
        "<h1>Parks</h1><p>公開日：2026年11月20日</p>LONG",
        "<h1>Parks</h1><p>등록일: 2026년 11월 20일</p>LONG",
        "<h1>Parks</h1><p>Yayınlanma tarihi: 20 Kasım 2026</p>LONG",
        "<h1>Parks</h1><p>Опубликовано 20 ноября 2026</p>LONG",
    ] {
        assert_eq!(stated(body).0.as_deref(), Some("2026-11-20"), "{body}");
    }
}
