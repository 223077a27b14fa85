//! Pictures: numbers drawn as SVG.
//!
//! A [`Chart`] holds numbers and words alone. It is drawn in colours that stand for roles (ink,
//! lines, the first series), and a [`Theme`] says what they become: the variables of a page, which
//! follow light, dark and paper, or the colours of a file.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::Serialize;

use super::sheet::{escape, grouped};

/// What a picture shows.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chart {
    /// Points, lines and bars over two axes.
    Plane {
        /// The horizontal axis.
        x: Axis,
        /// The vertical axis.
        y: Axis,
        /// What is drawn, the last one on top.
        series: Vec<Series>,
    },
    /// A value for each of some things with a name.
    Rows {
        /// The axis of the values.
        axis: Axis,
        /// The things, from the top.
        rows: Vec<Row>,
        /// Bars from 0, else dots with their intervals.
        bars: bool,
    },
}

/// An axis.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Axis {
    /// What it measures.
    pub label: String,
    /// Whether equal steps are equal factors.
    pub log: bool,
}

impl Axis {
    /// An axis with equal steps.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis {
            label: label.into(),
            log: false,
        }
    }

    /// An axis whose equal steps are equal factors.
    pub fn log(label: impl Into<String>) -> Axis {
        Axis {
            label: label.into(),
            log: true,
        }
    }
}

/// One thing drawn over two axes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Series {
    /// Its name in the key.
    pub name: String,
    /// How it looks.
    pub shape: Shape,
    /// Which of the colours of series it has; they repeat.
    pub colour: usize,
    /// Its points.
    pub points: Vec<[f64; 2]>,
}

/// How a series looks.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Bars of this width, beginning at their points.
    Bars(f64),
    /// A line.
    Line,
    /// A broken line.
    Dashed,
    /// A line of stairs.
    Stairs,
    /// Dots.
    Dots,
    /// An area: the points of its upper edge, then those of its lower edge backward.
    Area,
}

/// One named value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The name.
    pub name: String,
    /// The value.
    pub value: f64,
    /// Between which values it is likely to be.
    pub interval: Option<[f64; 2]>,
    /// The value in words.
    pub words: String,
}

/// What the colours become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theme {
    /// The variables of a page's style sheet.
    Page,
    /// A file of its own, for a light background.
    Light,
    /// A file of its own, for a dark background.
    Dark,
}

/// How many colours series have.
const COLOURS: usize = 6;
const PAPER: RGBColor = RGBColor(1, 2, 0);
const INK: RGBColor = RGBColor(1, 2, 1);
const SOFT: RGBColor = RGBColor(1, 2, 2);
const LINE: RGBColor = RGBColor(1, 2, 3);

fn series_colour(at: usize) -> RGBColor {
    RGBColor(1, 2, 16 + (at % COLOURS) as u8)
}

/// A role, its variable in a page, and its colours in files.
type Role = (RGBColor, &'static str, &'static str, &'static str);

const ROLES: [Role; 10] = [
    (PAPER, "var(--card)", "#FFFFFF", "#161B22"),
    (INK, "var(--ink)", "#1D2126", "#E6EAEE"),
    (SOFT, "var(--soft)", "#5A6470", "#A2ADB8"),
    (LINE, "var(--line)", "#D8D5CC", "#3A4149"),
    (RGBColor(1, 2, 16), "var(--c0)", "#2F6FB7", "#74B1F2"),
    (RGBColor(1, 2, 17), "var(--c1)", "#D1662B", "#F0975F"),
    (RGBColor(1, 2, 18), "var(--c2)", "#2C8A57", "#66CC94"),
    (RGBColor(1, 2, 19), "var(--c3)", "#8A4FB3", "#C698EC"),
    (RGBColor(1, 2, 20), "var(--c4)", "#B08A12", "#E0BF54"),
    (RGBColor(1, 2, 21), "var(--c5)", "#C2417F", "#F07FB5"),
];

const WIDTH: u32 = 760;

/// Draws `chart`, with a title and a text for readers who do not see it. `id` is unlike that of
/// every other picture of the page.
pub fn svg(chart: &Chart, title: &str, text: &str, id: &str, theme: Theme) -> String {
    let height = match chart {
        Chart::Plane { .. } => 400,
        Chart::Rows { rows, .. } => 100 + 34 * rows.len().max(1) as u32,
    };
    let mut drawn = String::new();
    {
        let root = SVGBackend::with_string(&mut drawn, (WIDTH, height)).into_drawing_area();
        let done = match chart {
            Chart::Plane { x, y, series } => plane(&root, x, y, series),
            Chart::Rows { axis, rows, bars } => rows_of(&root, axis, rows, *bars, height),
        };
        done.and_then(|()| root.present().map_err(|error| error.to_string()))
            .expect("a string takes every picture");
    }
    for (role, page, light, dark) in ROLES {
        let RGBColor(r, g, b) = role;
        let becomes = match theme {
            Theme::Page => page,
            Theme::Light => light,
            Theme::Dark => dark,
        };
        drawn = drawn.replace(&format!("#{r:02X}{g:02X}{b:02X}"), becomes);
    }
    let head = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\" \
         font-family=\"system-ui, sans-serif\" xmlns=\"http://www.w3.org/2000/svg\">\n\
         <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>",
        escape(title),
        escape(text)
    );
    let (_, body) = drawn.split_once('>').expect("it begins with a tag");
    // The fonts are the page's.
    format!("{head}{}", body.replace(" font-family=\"sans-serif\"", ""))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn font(size: u32, colour: &RGBColor) -> TextStyle<'static> {
    ("sans-serif", size * 4 / 3).into_font().color(colour)
}

/// Where the ticks of an axis stand, and its ends, in the units it is drawn in.
struct Ticks {
    low: f64,
    high: f64,
    at: Vec<f64>,
}

impl Ticks {
    /// Ticks for values from `low` to `high`, at least `least_step` apart.
    fn of(axis: &Axis, low: f64, high: f64, least_step: f64) -> Ticks {
        if axis.log {
            let (low, high) = (low.max(1e-300).log10().floor(), high.max(1e-300).log10());
            let high = if high.ceil() > low {
                high.ceil()
            } else {
                low + 1.0
            };
            let step = ((high - low) / 8.0).ceil().max(1.0);
            let count = ((high - low) / step).floor() as usize;
            return Ticks {
                low,
                high,
                at: (0..=count).map(|i| low + step * i as f64).collect(),
            };
        }
        let high = if high > low { high } else { low + 1.0 };
        let rough = ((high - low) / 6.0).max(least_step);
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|times| times * power)
            .find(|&step| step >= rough)
            .unwrap_or(10.0 * power);
        let (low, high) = ((low / step).floor(), (high / step).ceil());
        let at = (0..=(high - low) as usize)
            .map(|i| (low + i as f64) * step)
            .collect();
        Ticks {
            low: low * step,
            high: high * step,
            at,
        }
    }

    fn range(&self) -> Keyed {
        Keyed {
            range: (self.low..self.high).into(),
            at: self.at.clone(),
        }
    }
}

/// A range with its own ticks, whose labels are made elsewhere.
#[derive(Clone)]
struct Keyed {
    range: plotters::coord::types::RangedCoordf64,
    at: Vec<f64>,
}

impl Ranged for Keyed {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.at.clone()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.range()
    }
}

impl ValueFormatter<f64> for Keyed {
    fn format(value: &f64) -> String {
        value.to_string()
    }
}

/// A value as an axis says it: `drawn` is its logarithm where the axis is one.
fn tick(axis: &Axis, drawn: f64) -> String {
    if axis.log {
        let power = drawn.round() as i32;
        return match power {
            0..=3 => grouped(10u64.pow(power as u32)),
            _ => format!("1e{power}"),
        };
    }
    if drawn.fract() == 0.0 && drawn.abs() < 1e7 {
        let sign = if drawn < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(drawn.abs() as u64));
    }
    if drawn.abs() >= 1e7 {
        return format!("{drawn:.1e}");
    }
    let text = format!("{drawn:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn plane(root: &Area<'_>, x: &Axis, y: &Axis, series: &[Series]) -> Result<(), String> {
    let error = |error: DrawingAreaErrorKind<_>| -> String {
        let error: DrawingAreaErrorKind<std::io::Error> = error;
        error.to_string()
    };
    // What an axis of logarithms cannot show is left out.
    let map = |axis: &Axis, value: f64| {
        if axis.log {
            (value > 0.0).then(|| value.log10())
        } else {
            Some(value)
        }
    };
    let points: Vec<[f64; 2]> = series
        .iter()
        .flat_map(|one| {
            let wide = match one.shape {
                Shape::Bars(wide) => wide,
                _ => 0.0,
            };
            let ends = one.points.iter().map(move |&[x, y]| [x + wide, y]);
            one.points.iter().copied().chain(ends)
        })
        .filter(|&[a, b]| map(x, a).is_some() && map(y, b).is_some())
        .collect();
    let ends = |at: usize| {
        let values = points.iter().map(|point| point[at]);
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        if low <= high {
            (low, high)
        } else {
            (1.0, 10.0)
        }
    };
    let (mut x_low, mut x_high) = ends(0);
    if !x.log && series.iter().all(|one| one.shape == Shape::Dots) {
        // No dot lies on the edge.
        let room = (x_high - x_low).max(1.0) / 20.0;
        (x_low, x_high) = ((x_low - room).max(0.0), x_high + room);
    }
    let (y_low, y_high) = ends(1);
    let bars = series.iter().any(|one| matches!(one.shape, Shape::Bars(_)));
    // Bars and stairs are of whole things.
    let whole = bars || series.iter().any(|one| one.shape == Shape::Stairs);
    let across = Ticks::of(x, x_low, x_high, if whole { 1.0 } else { 0.0 });
    // Bars and counts begin at nothing.
    let from = if y.log { y_low } else { y_low.min(0.0) };
    let mut up = Ticks::of(y, from, y_high, 0.0);
    if y.log && bars {
        // One game is a bar as well.
        up.low = 0.5f64.log10();
        up.at.retain(|&at| at >= 0.0);
    }
    root.fill(&PAPER).map_err(error)?;
    let named = series.iter().filter(|one| !one.name.is_empty()).count();
    let mut chart = ChartBuilder::on(root)
        .margin(8)
        .margin_top(
            8 + if named > 0 {
                22 * named.div_ceil(2) as u32
            } else {
                0
            },
        )
        .margin_right(22)
        .x_label_area_size(52)
        .y_label_area_size(78)
        .build_cartesian_2d(across.range(), up.range())
        .map_err(error)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(LINE.mix(0.6))
        .axis_style(SOFT)
        .label_style(font(13, &SOFT))
        .axis_desc_style(font(14, &INK))
        .x_desc(x.label.clone())
        .y_desc(y.label.clone())
        .x_labels(12)
        .y_labels(12)
        .x_label_formatter(&|&value| tick(x, value))
        .y_label_formatter(&|&value| tick(y, value))
        .draw()
        .map_err(error)?;
    let floor = if y.log { up.low } else { 0.0 };
    for one in series {
        let colour = series_colour(one.colour);
        let drawn = |points: &[[f64; 2]]| -> Vec<(f64, f64)> {
            points
                .iter()
                .filter_map(|&[a, b]| Some((map(x, a)?, map(y, b)?)))
                .collect()
        };
        let points = drawn(&one.points);
        match one.shape {
            Shape::Bars(wide) => {
                let bars = one.points.iter().filter_map(|&[a, b]| {
                    let (from, to) = (map(x, a)?, map(x, a + wide)?);
                    Some(Rectangle::new(
                        [(from, floor), (to, map(y, b)?)],
                        colour.mix(0.55).filled(),
                    ))
                });
                chart.draw_series(bars).map_err(error)?;
            }
            Shape::Line => {
                let line = LineSeries::new(points, colour.stroke_width(2));
                chart.draw_series(line).map_err(error)?;
            }
            Shape::Dashed => {
                let line = DashedLineSeries::new(points, 7, 5, colour.stroke_width(2));
                chart.draw_series(line).map_err(error)?;
            }
            Shape::Stairs => {
                let mut stairs = Vec::with_capacity(points.len() * 2);
                for (at, &(a, b)) in points.iter().enumerate() {
                    if at > 0 {
                        stairs.push((a, points[at - 1].1));
                    }
                    stairs.push((a, b));
                }
                let line = LineSeries::new(stairs, colour.stroke_width(2));
                chart.draw_series(line).map_err(error)?;
            }
            Shape::Dots => {
                let dots = points
                    .iter()
                    .map(|&at| Circle::new(at, 4, colour.mix(0.8).filled()));
                chart.draw_series(dots).map_err(error)?;
            }
            Shape::Area => {
                let area = Polygon::new(points, colour.mix(0.18).filled());
                chart.draw_series(std::iter::once(area)).map_err(error)?;
            }
        }
    }
    // The key: a mark and a name each, two to a line.
    for (at, one) in series.iter().filter(|one| !one.name.is_empty()).enumerate() {
        let (left, top) = (84 + (at % 2) as i32 * 290, 10 + (at / 2) as i32 * 22);
        let colour = series_colour(one.colour);
        let mix = if one.shape == Shape::Area { 0.3 } else { 0.9 };
        let mark = Rectangle::new(
            [(left, top + 5), (left + 14, top + 9)],
            colour.mix(mix).filled(),
        );
        root.draw(&mark).map_err(error)?;
        let style = font(13, &INK).pos(Pos::new(HPos::Left, VPos::Center));
        let name = Text::new(short(&one.name, 44), (left + 20, top + 7), style);
        root.draw(&name).map_err(error)?;
    }
    Ok(())
}

fn rows_of(
    root: &Area<'_>,
    axis: &Axis,
    rows: &[Row],
    bars: bool,
    height: u32,
) -> Result<(), String> {
    let error = |error: DrawingAreaErrorKind<_>| -> String {
        let error: DrawingAreaErrorKind<std::io::Error> = error;
        error.to_string()
    };
    let values = rows
        .iter()
        .flat_map(|row| row.interval.into_iter().flatten().chain([row.value]));
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = match (bars, low <= high) {
        (_, false) => (0.0, 1.0),
        (true, _) => (low.min(0.0), high.max(0.0)),
        (false, _) => (low, high),
    };
    let ticks = Ticks::of(axis, low, high, 0.0);
    root.fill(&PAPER).map_err(error)?;
    let (left, right, top, foot) = (200, WIDTH as i32 - 130, 12, height as i32 - 58);
    let span = (ticks.high - ticks.low).max(f64::MIN_POSITIVE);
    let place =
        |value: f64| left + ((value - ticks.low) / span * f64::from(right - left)).round() as i32;
    for &at in &ticks.at {
        let line = PathElement::new(vec![(place(at), top), (place(at), foot)], LINE.mix(0.6));
        root.draw(&line).map_err(error)?;
        let style = font(13, &SOFT).pos(Pos::new(HPos::Center, VPos::Top));
        let label = Text::new(tick(axis, at), (place(at), foot + 7), style);
        root.draw(&label).map_err(error)?;
    }
    let style = font(14, &INK).pos(Pos::new(HPos::Center, VPos::Top));
    let label = Text::new(axis.label.clone(), ((left + right) / 2, foot + 30), style);
    root.draw(&label).map_err(error)?;
    for (at, row) in rows.iter().enumerate() {
        let middle = top + 18 + 34 * at as i32;
        let colour = series_colour(if bars { 0 } else { at });
        let style = font(14, &INK).pos(Pos::new(HPos::Right, VPos::Center));
        let name = Text::new(short(&row.name, 20), (left - 10, middle), style);
        root.draw(&name).map_err(error)?;
        if bars {
            let mut ends = [place(0.0), place(row.value)];
            ends.sort_unstable();
            let bar = Rectangle::new(
                [(ends[0], middle - 9), (ends[1], middle + 9)],
                colour.mix(0.7).filled(),
            );
            root.draw(&bar).map_err(error)?;
        }
        if let Some([from, to]) = row.interval {
            let colour = if bars { INK } else { colour };
            let line = PathElement::new(
                vec![(place(from), middle), (place(to), middle)],
                colour.stroke_width(2),
            );
            root.draw(&line).map_err(error)?;
            for end in [from, to] {
                let end = place(end);
                let cap = PathElement::new(
                    vec![(end, middle - 5), (end, middle + 5)],
                    colour.stroke_width(2),
                );
                root.draw(&cap).map_err(error)?;
            }
        }
        if !bars {
            let dot = Circle::new((place(row.value), middle), 5, colour.filled());
            root.draw(&dot).map_err(error)?;
        }
        let style = font(13, &SOFT).pos(Pos::new(HPos::Left, VPos::Center));
        let words = Text::new(row.words.clone(), (right + 10, middle), style);
        root.draw(&words).map_err(error)?;
    }
    Ok(())
}

/// At most `most` characters of a name.
fn short(name: &str, most: usize) -> String {
    let mut text: String = name.chars().take(most).collect();
    if text.len() < name.len() {
        text.pop();
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(points: Vec<[f64; 2]>) -> Chart {
        Chart::Plane {
            x: Axis::linear("cards"),
            y: Axis::log("games"),
            series: vec![Series {
                name: "<b>".to_owned(),
                shape: Shape::Line,
                colour: 0,
                points,
            }],
        }
    }

    #[test]
    fn a_picture_has_words_and_its_own_colours() {
        let chart = plane(vec![[1.0, 10.0], [2.0, 1000.0]]);
        for (theme, colour) in [
            (Theme::Page, "var(--c0)"),
            (Theme::Light, "#2F6FB7"),
            (Theme::Dark, "#74B1F2"),
        ] {
            let svg = svg(&chart, "a < b", "words & numbers", "p1", theme);
            assert!(svg.contains("<title id=\"p1-t\">a &lt; b</title>"), "{svg}");
            assert!(svg.contains("words &amp; numbers"));
            assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
            assert!(svg.contains(colour), "{svg}");
            assert!(!svg.contains("#0102"), "every role has its colour");
        }
    }

    #[test]
    fn nothing_to_draw_is_drawn_all_the_same() {
        for points in [vec![], vec![[0.0, 0.0]], vec![[5.0, 5.0]]] {
            assert!(svg(&plane(points), "", "", "p", Theme::Light).ends_with("</svg>\n"));
        }
        let rows = Chart::Rows {
            axis: Axis::linear("share"),
            rows: Vec::new(),
            bars: true,
        };
        assert!(svg(&rows, "", "", "p", Theme::Light).ends_with("</svg>\n"));
    }

    #[test]
    fn ticks_are_round_numbers() {
        let ticks = Ticks::of(&Axis::linear(""), 3.0, 517.0, 0.0);
        assert_eq!(ticks.at, [0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0]);
        let ticks = Ticks::of(&Axis::log(""), 1.0, 45_000.0, 0.0);
        assert_eq!(ticks.at, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let words: Vec<String> = ticks
            .at
            .iter()
            .map(|&at| tick(&Axis::log(""), at))
            .collect();
        assert_eq!(words, ["1", "10", "100", "1,000", "1e4", "1e5"]);
        assert_eq!(tick(&Axis::linear(""), 0.25), "0.25");
        assert_eq!(tick(&Axis::linear(""), -1500.0), "-1,500");
    }
}
