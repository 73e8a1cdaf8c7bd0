//! gebiz
