//! reddit
