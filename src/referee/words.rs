//! Bytes of bots as words and as printable text. No game's words are here.

/// The words of a line: blanks around and between are tolerated, tabs and other white space too.
pub fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace() || *byte == 0x0b)
        .filter(|word| !word.is_empty())
}

/// Bytes as text that is safe to print, at most `limit` characters of it: valid printable UTF-8 stays,
/// everything else is escaped (`\n`, `\x1b`, `\xff`), a backslash too.
pub fn printable(bytes: &[u8], limit: usize) -> String {
    let mut text = String::new();
    let mut count = 0;
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().chars().map(|letter| match letter {
            '\\' => "\\\\".to_owned(),
            _ if is_shown(letter) => letter.to_string(),
            _ if letter.is_ascii() => letter.escape_default().to_string(),
            _ => letter.escape_unicode().to_string(),
        });
        let invalid = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
        for piece in valid.chain(invalid) {
            if count == limit {
                text.push_str("...");
                return text;
            }
            text.push_str(&piece);
            count += 1;
        }
    }
    text
}

/// Whether a letter may reach a terminal or a log as it is. Controls move the cursor, and the marks
/// of writing direction reorder what is shown.
fn is_shown(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
