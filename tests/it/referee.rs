//! The referee's program: one match on a fresh machine.

use assert_cmd::Command;

#[test]
fn the_first_match_of_a_newcomer_runs() {
    let output = Command::cargo_bin("camicia")
        .unwrap()
        .args([
            "match",
            "uno",
            "--bot",
            "builtin:greedy",
            "--bot",
            "builtin:random",
        ])
        .args(["--games", "20"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("greedy") && text.contains("random"), "{text}");
}
