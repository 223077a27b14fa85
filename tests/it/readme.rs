//! The examples of the README run as they stand there, in a folder of their own.

use std::fs;
use std::path::Path;

#[test]
fn examples_of_the_readme() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let readme = folder.path().join("README.md");
    fs::copy(root.join("README.md"), &readme).unwrap();
    for name in ["search", "results/known", "tests/bots"] {
        copy(&root.join(name), &folder.path().join(name));
    }
    let cases = trycmd::TestCases::new();
    cases.case(&readme);
    cases.run();
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}
