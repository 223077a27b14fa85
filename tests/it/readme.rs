//! The examples of the README run as they stand there.

#[test]
fn examples_of_the_readme() {
    trycmd::TestCases::new().case("README.md");
}
