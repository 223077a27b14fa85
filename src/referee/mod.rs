//! Matches between programs over their standard input and output.
