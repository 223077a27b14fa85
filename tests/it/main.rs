//! One integration binary: a file a subject.

mod barbu;
mod referee;
