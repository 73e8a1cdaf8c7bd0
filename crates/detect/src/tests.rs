//! Known cases, and properties of any text.

use proptest::prelude::*;

use super::*;

mod verdicts;

use verdicts::{Line, lines};

/// The thing that a message names does not decide whether it is a failure.
#[test]
fn a_message_is_a_failure_whatever_it_names() {
    for named in [
        "records.example.org",
        "garden.test",
        "https://garden.test/p/oak-17?page=2",
        "/opt/boats/log",
        "sketch.svg",
        "192.0.2.201",
        "86",
        "\u{201c}Sea birds\u{201d}",
        "\"Tomasz\"",
    ] {
        for text in [
            format!("Could not open {named}: no such file"),
            format!("The connection to {named} was refused"),
            format!("The request to {named} timed out"),
            format!("You are not allowed to edit {named}"),
            format!("There is no page called {named}"),
            format!("{named} could not be loaded"),
            format!("{named} does not exist"),
            format!("curl: (6) Could not resolve the host {named}"),
        ] {
            assert!(inspect_context(&text, &[]).failed, "{text}: {:?}", inspect(&text));
        }
    }
}

/// The words around a quotation show whether it is mentioned or reported.
#[test]
fn what_is_mentioned_is_not_said() {
    for text in [
        "The phrase \u{201c}access denied\u{201d} in film titles",
        "He said \"page not found\" and laughed.",
        "\u{ab}Not found\u{bb} is the second single of the band.",
        "The page says \"Sea birds of the north\".",
        "The server answered \u{201c}12 rows\u{201d} after 3 ms.",
    ] {
        assert!(!inspect(text).failed, "{text}: {:?}", inspect(text));
    }
    for text in [
        "{'error': 'not found'}",
        "{'status': 'error', 'message': 'Rate limit exceeded, try again later'}",
        "The server said: \"Service unavailable\"",
        "The server answered \"Access denied\"",
        "It returned \"403 Forbidden\" instead of the page",
        "The page only says \u{201c}Too many requests\u{201d}.",
        "I tried to open the link, but it shows 'Please sign in to continue'.",
    ] {
        assert!(inspect(text).failed, "{text}: {:?}", inspect(text));
    }
}

/// APIs answer with strings of JSON.
#[test]
fn quotation_marks_around_all_of_a_text_say_nothing() {
    for text in [
        "Access denied",
        "Unauthorized",
        "Page not found",
        "Sea birds of the north",
        "",
    ] {
        let bare = inspect(text);
        for quoted in [
            format!("\"{text}\"\n"),
            format!("\u{201c}{text}\u{201d}"),
            format!("' {text} '"),
        ] {
            let found = inspect(&quoted);
            assert_eq!((found.failed, found.kind), (bare.failed, bare.kind), "{quoted}");
        }
    }
    for text in ["\"", "'", "\"a\",\"b\""] {
        assert_eq!(crate::text::bare(text), text);
    }
}

#[test]
fn what_a_text_is_about_does_not_make_it_a_failure() {
    for text in [
        "Query result.",
        "Result protocol of the session",
        "Page index",
        "HTTP/1.1 in a nutshell\nStatus: 404 means that nothing is there",
    ] {
        assert!(!inspect(text).failed, "{text}");
    }
}

/// Servers sign the pages that they write themselves, below the status or beside it.
#[test]
fn who_had_nothing_to_say_is_news() {
    for text in [
        "The company could not be reached for comment.",
        "The company could not be reached for comment.\n\nIts shares fell by four percent.",
        "Neither side was available for comment.\n\nThe talks go on.",
        "The ministry could not be reached for comment.\n\nThe bridge will stay closed until May.",
        "The bank did not respond to requests for comment.",
    ] {
        assert!(!inspect(text).failed, "{text}: {:?}", inspect(text));
    }
    for text in [
        "The server could not be reached.",
        "The service could not be reached. Please try again later.",
        "Comments could not be loaded.",
        "Comments are not available.",
        "Your request for comments could not be processed. Please try again later.",
    ] {
        assert!(inspect(text).failed, "{text}: {:?}", inspect(text));
    }
}

#[test]
fn a_status_with_a_servers_signature_is_a_failure() {
    for (status, kind) in [
        ("502 Bad Gateway", Kind::ServerError),
        ("403 Forbidden", Kind::AccessDenied),
        ("404 Not Found", Kind::NotFound),
        ("500 Internal Server Error", Kind::ServerError),
        ("503 Service Temporarily Unavailable", Kind::Unavailable),
        ("504 Gateway Time-out", Kind::Timeout),
        ("HTTP/1.1 429 Too Many Requests", Kind::RateLimited),
    ] {
        for server in [
            "nginx",
            "nginx/1.18.0 (Ubuntu)",
            "openresty",
            "cloudflare",
            "awselb/2.0",
            "Caddy",
            "Apache/2.4.52 (Ubuntu) OpenSSL/3.0.2 Server at example.org Port 80",
            "Apache Tomcat/9.0.58",
            "Microsoft-Azure-Application-Gateway/v2",
        ] {
            for text in [
                format!("{status}\n{server}"),
                format!("{status}\r\n\r\n{server}\r\n"),
                format!("{status}\n{status}\n--------\n{server}"),
                format!("# {status}\n\n---\n\n{server}"),
                format!("{status}\n\n**{status}**\n\n* * *\n\n{server}"),
                format!("{status}. {server}"),
                format!("{status} - {server}"),
                format!("{status} {server}"),
            ] {
                let found = inspect(&text);
                assert_eq!(
                    (found.failed, found.kind),
                    (true, Some(kind)),
                    "{text}: {found:?}"
                );
                assert!(found.is_sure_failure(), "{text}: {found:?}");
            }
        }
    }
    for text in [
        "404: NOT_FOUND\nCode: NOT_FOUND\nID: lhr1::x7k2p-1764450000000-0a1b2c3d4e5f",
        "500: INTERNAL_SERVER_ERROR\nCode: FUNCTION_INVOCATION_FAILED\nID: fra1:fra1::abcde-1764450000000-0a1b2c3d4e5f",
        "502 Bad Gateway\ncloudflare\nRay ID: 8a1b2c3d4e5f6a7b",
    ] {
        assert!(inspect(text).is_sure_failure(), "{text}: {:?}", inspect(text));
    }
}

/// A status above or beside more than a signature is what the text is about.
#[test]
fn a_manual_about_a_status_and_a_server_is_content() {
    for text in [
        "502 Bad Gateway\nnginx answers with this status if the upstream server closes the connection before it has sent the \
         response header. Raise proxy_read_timeout, or look for a crash in the log of the application.",
        "502 Bad Gateway. nginx returns this status if the upstream server closes the connection early; raise \
         proxy_read_timeout in the server block and reload the configuration.",
        "nginx\n1.18.0 (Ubuntu)",
        "443\nnginx",
        "# 404 Not Found\n\nWhat nginx writes where it has no file, and how to replace that page.",
        "480 Volts\ncode: B14\nid: 7",
        "404 Records\nCaddy\nThe label was founded in Leeds in 2004 and issues music for the organ.",
        "nginx 1.27.3\nFixed a segmentation fault in a worker process if error_page 502 was used with proxy_intercept_errors.",
    ] {
        assert!(!inspect(text).failed, "{text}: {:?}", inspect(text));
    }
}

/// A two-word message offers little evidence, and so does a heading.
#[test]
fn the_commonest_messages_are_failures_by_themselves() {
    for text in [
        "Access denied",
        "Forbidden",
        "Login required",
        "Session expired",
        "Server error",
        "Network error",
        "Upstream error",
        "Database error",
        "Page not found",
        "Too many requests",
        "Checking your browser",
        "No results found",
        "Account suspended",
        "Please enable cookies",
        "Too many requests, slow down",
        "HTTP 503: the backend took 45s to answer",
        "Zugriff verweigert",
        "Seite nicht gefunden",
        "Page introuvable",
        "Veuillez vous connecter",
        "Acceso denegado",
        "Página no encontrada",
        "Accesso negato",
        "Pagina non trovata",
        "Acesso negado",
        "Toegang geweigerd",
        "Nie znaleziono strony",
        "Доступ запрещён",
        "Страница не найдена",
        "Erişim engellendi",
        "Přístup odepřen",
        "アクセスが拒否されました",
        "ページが見つかりません",
        "访问被拒绝",
        "页面不存在",
        "접근이 거부되었습니다",
        "الصفحة غير موجودة",
        "Akses ditolak",
    ] {
        assert!(inspect(text).failed, "{text}");
    }
    for text in [
        "Access denied",
        "Page not found",
        "Session expired",
        "Account suspended",
    ] {
        let stopped = format!("{text}.");
        assert!(inspect_context(text, &[]).failed, "{text}");
        assert!(inspect_context(&stopped, &[]).failed, "{stopped}");
    }
    for text in [
        "Access control",
        "Login page design",
        "Session musicians",
        "Server room cooling",
        "Network topology",
        "Error handling",
        "Database design",
        "Page layout",
        "Requests and responses",
        "Browser history",
        "Cookies and cream",
        "Search results",
        "Zugriff auf das Archiv",
        "Página siguiente",
        "Mot de passe",
        "検索結果",
    ] {
        assert!(!inspect(text).failed, "{text}");
    }
}

/// Short content is common in a caller's context: this is the whole text of a job advertisement.
#[test]
fn more_is_asked_of_a_few_words_in_context() {
    assert!(!inspect_context("You\u{2019}ll like it.", &[]).failed);
}

#[test]
fn what_retrieval_tools_print_is_a_failure() {
    for (text, kind) in [
        ("[Error] upstream said no", Some(Kind::ToolError)),
        ("[Security] Blocked", Some(Kind::AccessDenied)),
        ("[Unavailable]", Some(Kind::Unavailable)),
        (
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 30\r\n\r\nslow down",
            Some(Kind::RateLimited),
        ),
        ("HTTP/2 503 \r\ncontent-length:0", Some(Kind::Unavailable)),
        ("Error: boom", Some(Kind::ToolError)),
        ("Timeout after 30s", Some(Kind::Timeout)),
        (
            "%PDF-1.7\n%\u{fffd}\u{fffd}\u{fffd}\u{fffd}\n1 0 obj",
            Some(Kind::Malformed),
        ),
        (
            "Could not load the page: navigation was stopped after 45 s (net::ERR_HTTP2_PROTOCOL_ERROR)",
            None,
        ),
        (
            "page.goto: Timeout 30000ms exceeded.\nCall log:\n  - navigating to \"https://example.org/\", waiting until \"load\"",
            Some(Kind::Timeout),
        ),
        ("404", Some(Kind::NotFound)),
        ("read ECONNRESET", Some(Kind::ToolError)),
        ("connect ETIMEDOUT 192.0.2.7:443", Some(Kind::Timeout)),
        (
            "curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received",
            Some(Kind::Timeout),
        ),
        ("No good Wikipedia Search Result was found", Some(Kind::Empty)),
        // Default error pages, without tags.
        ("default backend - 404", Some(Kind::NotFound)),
        (
            "HTTP Status 404 \u{2013} Not Found\nType Status Report\nMessage The requested resource [/tides] is not available\n\
             Description The origin server did not find a current representation for the target resource or is not willing to \
             disclose that one exists.\nApache Tomcat/9.0.65",
            Some(Kind::NotFound),
        ),
        (
            "{\"Note\":\"Thank you for using Alpha Vantage! Our standard API rate limit is 25 requests per day.\"}",
            Some(Kind::RateLimited),
        ),
        ("HTTP/1.1 503 Service Unavailable", Some(Kind::Unavailable)),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"Internal error\"}}",
            None,
        ),
    ] {
        let found = inspect(text);
        assert!(found.is_sure_failure(), "{text}: {found:?}");
        assert!(!found.evidence.is_empty() && !found.reason.is_empty());
        assert!(kind.is_none() || found.kind == kind, "{text}: {found:?}");
    }
    for text in [
        "\u{201c}Default backend - 404\u{201d}: what it means and how to mend the ingress",
        "connect ETHERNET cables",
        "Rejected after 30 years",
        // A mark alone may be a name.
        "McAfee Web Gateway",
        "Guru Meditation",
        "curl: how to follow redirects",
        "net::ERR_CERT_DATE_INVALID in Chrome after the update to Debian 12",
        "The timeout after the second quarter was the last of the match, and the coach used it well.",
        "[Blocked](https://example.org/blocked) is the second single of the band.",
        "[toolchain]",
        "{} after upgrading to 3.2",
        "Locked",
    ] {
        assert_ne!(certain(text), Some(true), "{text}");
    }
}

/// Node.js reports a failed system call briefly and without words; it is a failure in a caller's context,
/// too.
#[test]
fn errors_of_the_system_are_failures() {
    for text in [
        "read ECONNRESET",
        "connect ETIMEDOUT 192.0.2.7:443",
        "connect ECONNREFUSED ::1:6379",
        "getaddrinfo ENOTFOUND garden.test",
    ] {
        assert!(inspect_context(text, &[]).failed, "{text}: {:?}", inspect(text));
    }
}

/// The topic of a text does not make it a failure: nouns from the tools' subjects and from fetching, in any
/// order.
#[test]
fn heaps_of_nouns_are_no_failure() {
    const HEAPS: usize = 10_000;
    let nouns: Vec<&str> = "contract agency award share quote dividend repository package maintainer thread comment abstract \
        citation author journal startup founder batch launch vote vacancy salary engineer notice supplier ministry amendment \
        exchange ticker headline outlet signal profile record archive dataset service user page file request access site server"
        .split(' ')
        .collect();
    let mut state = 7_u32;
    let mut below = |most: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % most
    };
    let heaps = (0..HEAPS).map(|_| {
        let count = 2 + below(9);
        let heap: Vec<&str> = (0..count).map(|_| nouns[below(nouns.len())]).collect();
        heap.join(" ") + "."
    });
    let taken: Vec<String> = heaps.filter(|heap| inspect_context(heap, &[]).failed).collect();
    assert!(taken.len() * 300 <= HEAPS, "{}: {taken:?}", taken.len());
}

/// Values next to `error` or `errors` may be content or details: the words decide, never with certainty,
/// unless there is much content.
#[test]
fn what_stands_beside_an_error_in_json_is_weighed() {
    let refused = r#"{"error":"ECONNREFUSED","address":"192.0.2.33","port":5432,"syscall":"connect"}"#;
    let partial = r#"{"data":{"repository":{"name":"x","stars":5,"topics":["a","b"]}},"errors":[{"message":"One field timed out"}]}"#;
    assert!(inspect(refused).failed);
    let beside = r#"{"error":"no such user","user":"ada","org":"x","team":"y"}"#;
    assert!(inspect(beside).failed);
    let listed = r#"{"errors":["no such user"],"user":"ada","org":"x","team":"y"}"#;
    assert!(inspect(listed).failed);
    for text in [beside, listed, partial] {
        assert!(!inspect(text).is_sure_failure(), "{text}");
    }
    // A list of errors as the whole response, or a response of its own, is content, but not with certainty.
    let catalogue = r#"{"errors":[{"code":"E1","cause":"Paper jam","remedy":"Open the lid"},{"code":"E2","cause":"Lid open","remedy":"Close it"},{"code":"E3","cause":"Tray empty","remedy":"Add paper"}]}"#;
    for text in [partial, catalogue] {
        let found = inspect(text);
        assert!(
            !found.failed && found.confidence < Inspection::SURE,
            "{text}: {found:?}"
        );
    }
    let no_errors = inspect(r#"{"errors":[],"user":"ada","org":"x","team":"y"}"#);
    assert!(
        !no_errors.failed && no_errors.confidence > Inspection::SURE,
        "{no_errors:?}"
    );
    let none = r#"{"error":null,"station":"Hollow Moor","gust":71,"remark":"storm"}"#;
    assert_eq!(certain(none), Some(false));
    let values: Vec<String> = (0..20).map(|day| format!("\"day{day}\":{day}")).collect();
    let much = format!("{{\"error\":\"day 21 is missing\",{}}}", values.join(","));
    assert_eq!(certain(&much), Some(false));
    // Quoting a block page makes no difference there.
    let quoting = much.replace("day 21 is missing", "Just a moment... cf-mitigated: challenge");
    assert_eq!(certain(&quoting), Some(false));
}

/// Specified error shapes are failures whatever else they contain; a part of a response is not.
#[test]
fn specified_error_shapes_are_failures_whatever_they_add() {
    let problem = r#"{"type":"https://api.example.org/problems/plan","title":"Not part of your plan","status":402,
        "detail":"Forecasts beyond three days need another plan.","plan":"basic","allowed_days":3,"asked_days":14,
        "station":"KLM-004","offers":[{"plan":"pro","price":"19.00"},{"plan":"team","price":"89.00"}]}"#;
    let graphql = r#"{"data":{"shipment":null,"carriers":[]},"errors":[{"message":"The number has nine digits of twelve",
        "path":["shipment"],"extensions":{"given":"400118227","wanted":12,"hint":"Zeros count","docs":"/numbers","a":1,"b":2,
        "c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13}}],"extensions":{"left":996,"node":"gql-2","took":3}}"#;
    let rpc = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"The job was stopped","data":{"job":"j-1","worker":"w-3",
        "queued":12,"ran":31,"lines":240,"last":"merge","memory":"2 GB"}}}"#;
    for text in [problem, graphql, rpc] {
        let found = inspect(text);
        assert!(found.is_sure_failure(), "{text}: {found:?}");
    }
    // The status decides the kind; words about a plan are weak evidence.
    assert_eq!(inspect(problem).kind, Some(Kind::ClientError));
    let ticket = r#"{"type":"bug","title":"Paper jam in tray 2","status":"open","floor":3,"printer":"P-17","owner":"facilities"}"#;
    let partial = graphql.replace("\"shipment\":null", "\"shipment\":{\"parcels\":2,\"weight\":3.5}");
    let answered = r#"{"jsonrpc":"2.0","id":7,"result":{"job":"j-1","worker":"w-3","lines":240,"last":"merge","memory":"2 GB"}}"#;
    for text in [ticket, &partial, answered] {
        let found = inspect(text);
        assert!(!found.is_sure_failure(), "{text}: {found:?}");
    }
}

/// A response may state at length, and without an error key, that it has no content.
#[test]
fn json_that_tells_of_a_failure_with_values_of_its_own_is_weighed() {
    let maintenance = r#"{"service":"ledger-gateway","outcome":"not_processed","notice":{"headline":"The ledger is closed for maintenance",
        "text":"Your request could not be processed. Please try again after 06:00.","since":"22:00","until":"06:00"},
        "support":"desk@ledger.example"}"#;
    let record = r#"{"service":"ledger-gateway","outcome":"processed","booking":{"headline":"Maintenance of the lift","amount":"412.50",
        "currency":"EUR","since":"22 March","until":"24 March"},"clerk":"north desk"}"#;
    assert!(inspect(maintenance).failed);
    assert!(!inspect(record).failed);
}

#[test]
fn nothing_is_empty() {
    for text in ["", "  \n", "\u{feff}", "\u{a0}\u{2003}"] {
        let found = inspect(text);
        assert_eq!(
            (found.failed, found.kind, found.confidence),
            (true, Some(Kind::Empty), 1.0),
            "{text:?}"
        );
    }
}

#[test]
fn a_document_that_quotes_a_wall_is_a_document() {
    let quote = "Just a moment... Enable JavaScript and cookies to continue. Access denied. 403 Forbidden.";
    let repeated = "The committee met in spring and heard nine witnesses about the harbour. ".repeat(12);
    let varied = "The committee met in spring and heard nine witnesses about the harbour. The pilot, who had steered ships \
        there for thirty years, described how the sand moves in winter. A fisher showed drawings of her grandfather's with a \
        channel that no map has any more. Two engineers differed over the price of a new mole, and over whether one was worth \
        building. In the afternoon the mayor asked for patience: the money of last year is spent, and that of the next is \
        promised to the school. The report will lie in the library from May.";
    for prose in [repeated.as_str(), varied] {
        for text in [
            format!("{quote}\n\n{prose}"),
            format!("{prose}\n\n{quote}"),
            format!("<p>{quote}</p><p>{prose}</p>"),
        ] {
            let found = inspect(&text);
            assert!(!found.failed, "{found:?}");
        }
    }
}

#[test]
fn hints_add_to_what_is_close_and_never_fail_content() {
    let hints = [Hint {
        weight: 2.5,
        why: "it ended elsewhere",
    }];
    let article = "The committee met in spring and heard nine witnesses about the harbour. ".repeat(20);
    assert_eq!(inspect_context(&article, &hints), inspect(&article));
    let lines = lines();
    let missed = |line: &&Line| line.label == "failure" && !inspect_context(&line.text, &[]).failed;
    let close: Vec<&Line> = lines.iter().filter(missed).collect();
    let lifted = close
        .iter()
        .map(|line| inspect_context(&line.text, &hints))
        .filter(|found| found.failed);
    let lifted: Vec<Inspection> = lifted.collect();
    assert!(
        !lifted.is_empty(),
        "of {} texts that are close to a failure",
        close.len()
    );
    assert!(
        lifted
            .iter()
            .all(|found| found.evidence.iter().any(|evidence| evidence.aspect == "beside"))
    );
}

#[test]
fn serialises_as_documented() {
    let found = serde_json::to_value(inspect("Too Many Requests")).unwrap();
    assert_eq!(found["failed"], true);
    assert_eq!(found["kind"], "rate_limited");
    assert!(
        found["evidence"]
            .as_array()
            .is_some_and(|evidence| !evidence.is_empty())
    );
}

#[test]
fn the_weights_fit_the_bound() {
    const { assert!(score::MODEL_BYTES <= 256 << 10) };
    assert!(
        Model::read(score::WEIGHTS).is_some(),
        "weights.bin is not of this layout: train anew (training/README.md)"
    );
}

/// Cost: the work does not grow with the text beyond the window, for any text.
#[test]
fn work_is_bounded() {
    let mib = 1 << 20;
    for text in hostile(mib) {
        let segments = Segments::of(&text);
        assert!(
            segments.lead.len() <= 4 * crate::text::LEAD + 4096,
            "{}",
            segments.lead.len()
        );
        assert!(segments.tail.len() <= segment::TAIL);
        assert!(segments.more.len() <= 4 * crate::text::MORE + 4096);
        let mut grams = 0;
        features::grams(&segments, |_, _, _| grams += 1);
        assert!(grams <= 40_000, "{grams}");
        let found = inspect(&text);
        assert!((0.5..=1.0).contains(&found.confidence));
        assert!(found.evidence.len() <= 8);
    }
}

fn hostile(size: usize) -> Vec<String> {
    let pieces = [
        "<",
        "<a ",
        "<a>",
        "<!--",
        "<script>",
        "</nav>",
        "&#",
        "[",
        "{\"a\":",
        "\"",
        "{\"a\":\"\\",
        "e\u{301}",
        "\u{301}",
        "\u{200b}",
        "error ",
        "access denied. ",
        "\n",
        "a",
        "\u{0}",
        "<x xmlns=''>",
        "<![CDATA[",
        "中",
        "[{",
        "<p>&amp;",
        "4",
        "x ",
    ];
    pieces
        .iter()
        .map(|piece| piece.repeat(size / piece.len()))
        .collect()
}

proptest! {
    #[test]
    fn any_text_gets_one_answer(text in "\\PC{0,400}") {
        let found = inspect(&text);
        prop_assert_eq!(&found, &inspect(&text));
        prop_assert_eq!(found.failed, found.kind.is_some());
        prop_assert!((0.5..=1.0).contains(&found.confidence));
    }

    #[test]
    fn markup_soup_is_survived(parts in prop::collection::vec(prop::sample::select(vec![
        "<", ">", "</", "<a href=\"", "\"", "{", "}", "[", "]", ":", ",", "<!--", "-->", "<script>", "</script>", "<![CDATA[", "]]>", "&amp;", "&#x",
        ";", "error", "404", " ", "\n", "é", "中", "<?xml", "?>", "<feed>", "<entry>", "\\u12", "null", "1e9", "-",
    ]), 0..60)) {
        let text = parts.concat();
        prop_assert_eq!(inspect(&text), inspect(&text));
    }

    #[test]
    fn what_a_message_names_changes_nothing(
        host in "[a-z]{3,9}(-[a-z]{3,9})?\\.(test|org|com|io)(:80)?",
        path in "(https://example\\.net)?(/[a-z]{2,8}){1,3}",
        file in "[A-Za-z]{2,9}\\.(pdf|svg|html)",
        number in 1000_u32..,
    ) {
        let said = |named: &str| {
            let found = inspect(&format!("The request for {named} was not answered in time"));
            (found.failed, found.kind, found.confidence.to_bits())
        };
        prop_assert_eq!(said(&host), said("records.example.org"));
        prop_assert_eq!(said(&path), said("records.example.org"));
        prop_assert_eq!(said(&file), said("records.example.org"));
        prop_assert_eq!(said(&number.to_string()), said("12"));
    }

    #[test]
    fn hints_never_make_a_failure_content(pick in 0_usize..800) {
        let lines = lines();
        let text = &lines[pick % lines.len()].text;
        let hints = [Hint { weight: 2.0, why: "test" }];
        prop_assert!(!inspect_context(text, &[]).failed || inspect_context(text, &hints).failed);
        prop_assert!(inspect(text).failed || !inspect_context(text, &[]).failed);
    }
}

#[test]
fn a_projects_terms_are_content_and_a_page_that_refuses_beside_them_is_not() {
    for text in [
        "## Code of conduct\n\nPlease note that this project is released with a [Contributor Code of\nConduct](https://example.org/conduct). By participating\nin this project you agree to abide by its terms.",
        "By contributing, you agree that your contributions will be licensed under its MIT License. Please open an issue first.",
        "By submitting a pull request you agree that your work is licensed under the Apache License, Version 2.0.",
        "Everyone interacting in the project's codebases and issue trackers is expected to follow the Contributor Covenant code of conduct.",
        "ls-url]: https://example.com/gulls/http-errors\n[test-url]: https://example.com/test/http-errors",
    ] {
        let found = inspect(text);
        assert!(!found.failed, "{text}: {found:?}");
    }
    for text in [
        "403 Forbidden",
        "Please sign in to continue. By signing in you agree to our Code of Conduct for contributors.",
        "Access denied. You do not have permission to view this page. Please contact the administrator of this site.",
    ] {
        let found = inspect(text);
        assert!(found.failed, "{text}: {found:?}");
    }
}
