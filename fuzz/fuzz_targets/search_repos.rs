#![no_main]
freshcontext_fuzz::target!(|data| freshcontext_fuzz::ask("search_repos", data));
