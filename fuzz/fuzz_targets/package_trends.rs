#![no_main]
freshcontext_fuzz::target!(|data| freshcontext_fuzz::ask("package_trends", data));
