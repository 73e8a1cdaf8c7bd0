#![no_main]
freshcontext_fuzz::target!(|data| freshcontext_fuzz::ask("extract_finance", data));
