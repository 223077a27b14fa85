//! What every page is made with: texts escaped, places of a template filled.

use std::borrow::Cow;

/// How every page begins.
const HEAD: &str = include_str!("head.html");

/// The style sheet that all pages share.
const BASE: &str = include_str!("base.css");

/// What pages share that are played step by step.
pub const PLAYER: &str = include_str!("player.css");

/// A text as it stands in HTML, between tags or in a quoted attribute.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for symbol in text.chars() {
        match symbol {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(symbol),
        }
    }
    Cow::Owned(out)
}

/// JSON as it stands in a script element: no text in it can end the element.
pub fn script_json(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// A whole page: `body` is a template. `scripts` are the kinds of script that may run, as a content
/// policy names them; an empty text forbids them all.
///
/// # Panics
/// See [`fill`].
pub fn page(
    title: &str,
    style: &str,
    scripts: &str,
    body: &str,
    places: &[(&str, &str)],
) -> String {
    let scripts = match scripts {
        "" => String::new(),
        kinds => format!(" script-src {kinds};"),
    };
    let style = format!("{BASE}{style}");
    let head = [
        ("title", &*escape(title)),
        ("style", &style),
        ("scripts", &scripts),
    ];
    fill(HEAD, &head) + &fill(body, places)
}

/// `template` with each `{{name}}` replaced, once: what is filled in is not searched again.
///
/// # Panics
/// If the template names a place that `places` lacks.
fn fill(template: &str, places: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(
        template.len() + places.iter().map(|(_, text)| text.len()).sum::<usize>(),
    );
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("a place is closed");
        let place = places.iter().find(|(it, _)| *it == name);
        out.push_str(before);
        out.push_str(place.expect("the template's places are known").1);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `1234567` as `1,234,567`.
pub fn grouped(n: impl Into<u128>) -> String {
    let digits = n.into().to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 card`, `2 cards`.
pub fn many(n: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_stay_texts() {
        assert_eq!(
            escape("<img src=x onerror='alert(1)'>&\""),
            "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;&quot;"
        );
        assert_eq!(script_json("\"</script>\""), "\"\\u003c/script>\"");
        assert_eq!(
            fill("a{{x}}b{{y}}", &[("x", "{{y}}"), ("y", "2")]),
            "a{{y}}b2"
        );
    }

    #[test]
    fn long_numbers_are_grouped() {
        let all = [0u64, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "1,234,567"]);
    }
}
