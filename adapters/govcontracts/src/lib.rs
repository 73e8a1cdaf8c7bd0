//! govcontracts
