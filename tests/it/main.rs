//! One integration binary: a file a subject.

mod referee;
