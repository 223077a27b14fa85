//! The examples of the README run as they stand there. What a search leaves behind is gone on with
//! the next time, so its examples say nothing that depends on it.

#[test]
fn examples_of_the_readme() {
    trycmd::TestCases::new().case("README.md");
}
