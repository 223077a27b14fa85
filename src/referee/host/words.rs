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

/// Whether a letter may reach a terminal or a log as it is. Controls move the cursor, the marks of
/// writing direction reorder what is shown, and a blank that is no space looks like one.
fn is_shown(letter: char) -> bool {
    !letter.is_control()
        && (letter == ' ' || !letter.is_whitespace())
        && !matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_of_every_kind_part_words() {
        let parts: Vec<&[u8]> = words(b" \t BUY\t\x0b 2 \x0c\r").collect();
        assert_eq!(parts, [&b"BUY"[..], b"2"]);
        assert_eq!(words(b"").count(), 0);
        assert_eq!(words(b" \t ").count(), 0);
        assert_eq!(words(b"a\0b\xff").collect::<Vec<_>>(), [b"a\0b\xff"]);
    }

    #[test]
    fn only_what_is_safe_is_printed_as_it_is() {
        assert_eq!(printable("10♥ ação".as_bytes(), 99), "10♥ ação");
        assert_eq!(printable(b"\x1b[2J\r\n\0\\", 99), r"\u{1b}[2J\r\n\u{0}\\");
        assert_eq!(printable(b"a\xff\xe2\x99", 99), r"a\xff\xe2\x99");
        assert_eq!(
            printable("\u{202e}x\u{85}".as_bytes(), 99),
            r"\u{202e}x\u{85}"
        );
        assert_eq!(printable("BUY\u{a0}1".as_bytes(), 99), r"BUY\u{a0}1");
        assert_eq!(printable(b"abcdef", 3), "abc...");
        assert_eq!(printable(b"abc", 3), "abc");
    }
}
