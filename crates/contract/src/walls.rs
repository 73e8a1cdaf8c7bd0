//! Walls that stand in for content: challenge vendors, proxies, CDNs, hosting pages. One table.
