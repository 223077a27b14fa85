//! Histograms in few bars, and as lines of text.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::sheet::grouped;
use crate::search::finds::tail::Tail;
use crate::search::finds::tally::Histogram;

/// At most about `most` bars of one width, which is 1, 2 or 5 times a power of ten: the width, and
/// for each bar that has any the value it begins with and how many values it has.
pub fn bins(histogram: &Histogram, most: u64) -> (u64, Vec<[f64; 2]>) {
    let (Some((least, _)), Some((greatest, _))) =
        (histogram.iter().next(), histogram.iter().last())
    else {
        return (1, Vec::new());
    };
    let rough = (greatest - least) / most.max(1) + 1;
    let power = 10u64.pow(rough.ilog10());
    let width = [1, 2, 5, 10]
        .into_iter()
        .map(|times| times * power)
        .find(|&width| width >= rough)
        .unwrap_or(rough);
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for (value, games) in histogram.iter() {
        *counts.entry(value / width).or_default() += games;
    }
    let points = counts
        .into_iter()
        .map(|(bar, games)| [(bar * width) as f64, games as f64])
        .collect();
    (width, points)
}

/// `histogram` as lines of text at most `columns` wide, its bars on a scale of logarithms, and
/// what its tail is. `unit` is what the values are, such as `cards`.
pub fn lines(histogram: &Histogram, unit: &str, columns: usize) -> String {
    let (width, bars) = bins(histogram, 20);
    let most = bars.iter().map(|bar| bar[1]).fold(1.0, f64::max);
    let counts: Vec<String> = bars.iter().map(|bar| grouped(bar[1] as u64)).collect();
    let wide = counts.iter().map(String::len).max().unwrap_or(1).max(5);
    let left = bars
        .iter()
        .map(|bar| grouped(bar[0] as u64).len())
        .max()
        .unwrap_or(1)
        .max(unit.len());
    let room = columns.saturating_sub(left + wide + 4).clamp(8, 60);
    let mut text = String::new();
    let mut line = |from: &str, count: &str, bar: &str| {
        let line = format!("{from:>left$}  {count:>wide$}  {bar}");
        writeln!(text, "{}", line.trim_end()).expect("a string takes all");
    };
    line(
        unit,
        "games",
        &format!("({width} {unit} a bar, each length a logarithm)"),
    );
    for (bar, count) in bars.iter().zip(&counts) {
        // One game is the shortest bar; eighths of a column are drawn.
        let part = (1.0 + bar[1].ln()) / (1.0 + most.ln());
        let eighths = ((part * room as f64 * 8.0).round() as usize).max(1);
        let mut drawn = "█".repeat(eighths / 8);
        if let Some(rest) = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'].get(eighths % 8)
        {
            drawn.push(*rest);
        }
        line(&grouped(bar[0] as u64), count, &drawn);
    }
    if let Some(tail) = Tail::fit(histogram) {
        writeln!(
            text,
            "from {} {unit} on, the number of longer games falls by e every {:.2} ± {:.2} {unit}",
            grouped(tail.from),
            tail.e_fold,
            tail.error
        )
        .expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_every_game() {
        let mut histogram = Histogram::default();
        for value in [3u64, 9, 10, 250, 6100] {
            histogram.add_times(value, value);
        }
        let (width, points) = bins(&histogram, 60);
        assert_eq!(width, 200);
        let all: f64 = points.iter().map(|point| point[1]).sum();
        assert_eq!(all, 6372.0);
        assert_eq!(points[0], [0.0, 22.0]);
        assert_eq!(points[1], [200.0, 250.0]);
        assert_eq!(bins(&Histogram::default(), 60), (1, Vec::new()));
    }

    #[test]
    fn lines_have_a_bar_a_bin_and_the_tail() {
        let mut histogram = Histogram::default();
        for value in 0..12 {
            histogram.add_times(value, 1 << (12 - value));
        }
        let text = lines(&histogram, "cards", 60);
        let all: Vec<&str> = text.lines().collect();
        assert_eq!(all.len(), 14, "{text}");
        assert!(all[0].starts_with("cards  games  (1 cards a bar"), "{text}");
        assert!(all[1].starts_with("    0  4,096  ████"), "{text}");
        assert!(all[1].chars().count() <= 60);
        assert!(all[12].starts_with("   11      2  ██"), "{text}");
        assert!(
            all[13].starts_with("from 1 cards on, the number of longer games falls by e every 1.4"),
            "{text}"
        );
        for (one, next) in all[1..12].iter().zip(&all[2..13]) {
            assert!(one.matches('█').count() >= next.matches('█').count());
        }
    }
}
