//! What the documents say is true: their examples run, each in a folder of its own that is not the
//! checkout; the bots they print are the bots that the tests play; their links lead somewhere.
//!
//! A `console` block is compared with what the program prints. The lines of a `sh` block are run
//! and must end with code 0. A comment on the line before a `sh` block changes how it is run:
//!
//! - `<!-- test: replace A with B -->` shortens a command that would run for long;
//! - `<!-- test: code N -->` expects another exit code;
//! - `<!-- test: needs PROGRAM -->` leaves the block out where that program is missing;
//! - `<!-- test: skip, REASON -->` leaves it out. [`SKIPPED`] counts these.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every document that users read, and how many `console`, `sh` and bot blocks it must have. A
/// guard of an example must notice when the example is gone.
const DOCUMENTS: [(&str, usize, usize, usize); 19] = [
    ("README.md", 3, 2, 0),
    ("CONTRIBUTING.md", 0, 3, 0),
    ("CHANGELOG.md", 0, 0, 0),
    ("docs/guide.md", 14, 2, 0),
    ("docs/hunt.md", 0, 4, 0),
    ("docs/schedulers.md", 0, 6, 0),
    ("docs/boinc.md", 0, 2, 0),
    ("docs/findings.md", 0, 1, 0),
    ("docs/speed.md", 0, 0, 0),
    ("docs/cycles.md", 0, 3, 0),
    ("docs/cli.md", 1, 0, 0),
    ("docs/pages.md", 0, 5, 0),
    ("docs/tournaments.md", 4, 1, 0),
    ("docs/protocols/uno.md", 1, 0, 2),
    ("docs/protocols/bs.md", 1, 1, 1),
    ("docs/protocols/barbu.md", 3, 0, 1),
    ("search/README.md", 0, 1, 0),
    ("checkpoints/README.md", 0, 0, 0),
    ("results/README.md", 0, 1, 0),
];

/// The `sh` blocks that are not run, and nothing else may be left out.
const SKIPPED: [&str; 9] = [
    "CONTRIBUTING.md",
    "CONTRIBUTING.md",
    "CONTRIBUTING.md",
    "README.md",
    "docs/boinc.md",
    "docs/hunt.md",
    "docs/schedulers.md",
    "docs/schedulers.md",
    "docs/schedulers.md",
];

/// The bots that are printed, and their files.
const BOTS: [(&str, &str, &str); 4] = [
    ("docs/protocols/uno.md", "python", "uno/ten_lines.py"),
    ("docs/protocols/uno.md", "c", "uno/ten_lines.c"),
    ("docs/protocols/bs.md", "python", "bs/ten_lines.py"),
    ("docs/protocols/barbu.md", "python", "barbu/ten_lines.py"),
];

/// A fenced block of a document.
struct Block {
    language: String,
    /// The comments `<!-- test: ... -->` on the lines before it, without the frame.
    orders: Vec<String>,
    text: String,
    line: usize,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

fn blocks(document: &str) -> Vec<Block> {
    let text = read(document);
    let (mut found, mut orders) = (Vec::new(), Vec::new());
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(mut block) = open.take() {
            if line == "```" {
                found.push(block);
            } else {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
        } else if let Some(language) = line.strip_prefix("```") {
            open = Some(Block {
                language: language.to_owned(),
                orders: std::mem::take(&mut orders),
                text: String::new(),
                line: number + 1,
            });
        } else if let Some(order) = line.strip_prefix("<!-- test: ") {
            orders.push(order.strip_suffix(" -->").expect(line).to_owned());
        } else {
            assert!(
                orders.is_empty(),
                "{document}:{number}: an order before no block"
            );
        }
    }
    assert!(open.is_none(), "{document}: a block that does not end");
    found
}

/// A folder with what the documents name: the plans, the known records, a player in Java.
fn furnish(folder: &Path) {
    copy(&root().join("search"), &folder.join("search"));
    copy(&root().join("results/known"), &folder.join("results/known"));
    copy(
        &root().join("results/tables"),
        &folder.join("results/tables"),
    );
    copy(&root().join("tests/bots/bs/java"), &folder.join("players"));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn the_console_examples_print_what_the_documents_say() {
    let sandbox = tempfile::tempdir().unwrap();
    let cases = trycmd::TestCases::new();
    for (document, consoles, ..) in DOCUMENTS {
        if consoles > 0 {
            let copied = sandbox.path().join(document.replace('/', "-"));
            fs::write(&copied, read(document)).unwrap();
            // The folder of this name is where the examples run.
            furnish(&copied.with_extension("in"));
            cases.case(&copied);
        }
    }
    cases.run();
}

/// Whether this program is there. Says so when it is not.
fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !there {
        println!("skipped: no {program}");
    }
    there
}

#[test]
fn the_shell_examples_run() {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_camicia"));
    let own = program.parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(own.to_path_buf()).chain(std::env::split_paths(&path)),
    )
    .unwrap();
    let mut skipped = Vec::new();
    for (document, ..) in DOCUMENTS {
        let sandbox = tempfile::tempdir().unwrap();
        furnish(sandbox.path());
        for block in blocks(document) {
            if block.language != "sh" {
                continue;
            }
            let (mut text, mut code) = (block.text, 0);
            text = text.replace("\\\n", " ");
            let (mut left_out, mut missing) = (false, false);
            for order in &block.orders {
                if let Some((from, to)) = order
                    .strip_prefix("replace ")
                    .and_then(|order| order.split_once(" with "))
                {
                    assert!(
                        text.contains(from),
                        "{document}:{}: no `{from}`",
                        block.line
                    );
                    text = text.replace(from, to);
                } else if let Some(expected) = order.strip_prefix("code ") {
                    code = expected.parse().unwrap();
                } else if let Some(tool) = order.strip_prefix("needs ") {
                    missing |= !has(tool);
                } else if order.starts_with("skip, ") {
                    left_out = true;
                } else {
                    panic!("{document}:{}: {order}", block.line);
                }
            }
            if left_out {
                skipped.push(document);
            }
            if left_out || missing {
                continue;
            }
            let text = text.replace("cargo run --release -- ", "camicia ");
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let output = Command::new("bash")
                    .args(["-c", line])
                    .current_dir(sandbox.path())
                    .env("PATH", &path)
                    .output()
                    .unwrap();
                assert_eq!(
                    output.status.code(),
                    Some(code),
                    "{document}:{}: {line}\n{}",
                    block.line,
                    String::from_utf8_lossy(&output.stderr)
                );
            }
        }
    }
    skipped.sort_unstable();
    assert_eq!(skipped, SKIPPED);
}

#[test]
fn no_example_has_vanished() {
    let mut documents: Vec<String> = Vec::new();
    for folder in [
        "",
        "docs",
        "docs/protocols",
        "search",
        "checkpoints",
        "results",
    ] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                documents.push(
                    Path::new(folder)
                        .join(name)
                        .into_os_string()
                        .into_string()
                        .unwrap(),
                );
            }
        }
    }
    documents.sort_unstable();
    let mut known: Vec<_> = DOCUMENTS.iter().map(|document| document.0).collect();
    known.sort_unstable();
    assert_eq!(documents, known, "every document is tested");

    for (document, consoles, shells, bots) in DOCUMENTS {
        let mut count = BTreeMap::<String, usize>::new();
        for block in blocks(document) {
            *count.entry(block.language).or_default() += 1;
        }
        let of = |language: &str| count.get(language).copied().unwrap_or(0);
        assert_eq!(
            (of("console"), of("sh"), of("python") + of("c")),
            (consoles, shells, bots),
            "console, sh and bot blocks of {document}"
        );
    }
}

#[test]
fn every_bot_that_is_printed_is_the_bot_of_its_file() {
    let printed: Vec<_> = DOCUMENTS
        .iter()
        .flat_map(|&(document, ..)| {
            blocks(document)
                .into_iter()
                .filter(|block| ["python", "c"].contains(&block.language.as_str()))
                .map(move |block| (document, block))
        })
        .collect();
    assert_eq!(printed.len(), BOTS.len());
    for ((document, block), (place, language, file)) in printed.iter().zip(BOTS) {
        assert_eq!((*document, block.language.as_str()), (place, language));
        let source = fs::read_to_string(root().join("tests/bots").join(file)).unwrap();
        assert!(
            block.text.trim_end() == source.trim_end(),
            "{document}:{} is not {file}",
            block.line
        );
    }
}

/// The anchor that a heading gets: lower case, letters, digits, hyphens, blanks as hyphens.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter(|&letter| letter.is_alphanumeric() || "- _".contains(letter))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    for (document, ..) in DOCUMENTS {
        let text = read(document);
        let here = root().join(document);
        for link in text.split("](").skip(1) {
            let link = &link[..link.find(')').expect("a link that ends")];
            if link.contains("://") {
                continue;
            }
            let (file, section) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => here.clone(),
                file => here.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{document}: {link}");
            if !section.is_empty() {
                let there = fs::read_to_string(&target).unwrap();
                let found = there
                    .lines()
                    .any(|line| line.starts_with('#') && anchor(line) == section);
                assert!(found, "{document}: {link}");
            }
        }
        for source in text.split("src=\"").skip(1) {
            let source = &source[..source.find('"').unwrap()];
            assert!(
                here.parent().unwrap().join(source).exists(),
                "{document}: {source}"
            );
        }
    }
}

#[test]
fn the_readme_is_short_and_lists_every_command_and_exit_code() {
    let readme = read("README.md");
    assert!(readme.lines().count() <= 180);
    assert!(readme.lines().any(|line| line == "cargo test --release"));

    let help = Command::new(env!("CARGO_BIN_EXE_camicia"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .take_while(|line| *line != "Options:")
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 14, "{help}");
    for command in commands {
        for document in ["README.md", "docs/cli.md"] {
            let listed = read(document)
                .lines()
                .any(|line| line.starts_with('|') && line.contains(&format!("`{command}`")));
            assert!(
                listed || document == "docs/cli.md" && command == "completions",
                "{command} in {document}"
            );
        }
    }

    let exits = read("src/cli/term/exit.rs");
    let codes: Vec<&str> = exits
        .lines()
        .filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "))
        .map(|(_, code)| code)
        .collect();
    assert!(codes.len() >= 6);
    for code in codes {
        for document in ["README.md", "docs/cli.md"] {
            let row = format!("| {code} |");
            assert!(
                read(document).lines().any(|line| line.starts_with(&row)),
                "{code} in {document}"
            );
        }
    }
}
