//! The rooms of `src/`, and which may use which: arrows run down, and none runs in a circle, not
//! even inside a room.
//!
//! Read off the text of the files: every `use`, and every path that begins with `crate::`. A name
//! that a folder's `mod.rs` passes on counts as the file that it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Every room, and the rooms that it may use. A room of a room may use what is listed for itself,
/// and files of its own.
const ROOMS: &[(&str, &[&str])] = &[
    ("chance", &[]),
    ("cards", &[]),
    ("game", &["cards"]),
    ("deals", &["cards", "chance", "game"]),
    ("bench", &["cards", "game", "deals"]),
    ("search/encoding", &[]),
    ("search/plan", &["cards", "game"]),
    ("search/finds", &["cards", "game"]),
    (
        "search/methods",
        &[
            "chance",
            "cards",
            "game",
            "deals",
            "search/encoding",
            "search/plan",
            "search/finds",
        ],
    ),
    (
        "search/run",
        &[
            "cards",
            "game",
            "deals",
            "search/encoding",
            "search/plan",
            "search/finds",
            "search/methods",
        ],
    ),
    ("search/workunit", &["cards", "game", "deals", "search/run"]),
    ("referee", &["chance"]),
    ("pages", &["cards", "game", "search/finds", "referee"]),
    (
        "cli",
        &[
            "cards", "game", "deals", "bench", "search", "referee", "pages",
        ],
    ),
];

/// A file of `src/`, as the path of its module: `["game", "exact"]`.
type Module = Vec<String>;

/// All modules with what is in them but for tests, comments and strings.
struct Source {
    modules: BTreeMap<Module, String>,
}

impl Source {
    /// Reads a folder like `src/`.
    fn read(root: &Path) -> Source {
        let mut modules = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ext| ext == "rs") {
                    let inside = path.strip_prefix(root).unwrap().with_extension("");
                    let mut module: Module = inside
                        .iter()
                        .map(|part| part.to_str().unwrap().to_owned())
                        .collect();
                    let last = module.last().unwrap().clone();
                    if last == "mod" {
                        module.pop();
                    }
                    if !["main", "lib", "tests"].contains(&last.as_str()) {
                        modules.insert(module, code(&fs::read_to_string(&path).unwrap()));
                    }
                }
            }
        }
        Source { modules }
    }

    /// The module whose file a path leads to, from the root: through what `mod.rs` files pass on.
    fn target(&self, path: &[String]) -> Option<Module> {
        let mut path = path.to_vec();
        for _ in 0..20 {
            let mut depth = path.len();
            while depth > 0 && !self.modules.contains_key(&path[..depth]) {
                depth -= 1;
            }
            if depth == 0 {
                return None;
            }
            let (module, rest) = path.split_at(depth);
            let passed_on = rest.first().and_then(|name| self.passed_on(module, name));
            match passed_on {
                Some(next) => path = [&next[..], &rest[1..]].concat(),
                None => return Some(module.to_vec()),
            }
        }
        panic!("{path:?} is passed on in a circle");
    }

    /// Where `name` comes from, if `module` passes it on with `pub use`.
    fn passed_on(&self, module: &[String], name: &str) -> Option<Vec<String>> {
        uses(&self.modules[module])
            .into_iter()
            .filter(|(public, _)| *public)
            .find(|(_, path)| path.last().is_some_and(|last| last == name))
            .and_then(|(_, path)| self.absolute(module, &path))
    }

    /// A path of a `use` in `module`, from the root; `None` if it leads out of this crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut at = module.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                at.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    at.pop();
                    rest = &rest[1..];
                }
            }
            first => {
                // A module below this one, or another crate.
                let below = [module, &[first.to_owned()]].concat();
                if !self.modules.contains_key(&below) {
                    return None;
                }
            }
        }
        Some([&at[..], rest].concat())
    }

    /// Which file uses which.
    fn arrows(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let mut arrows: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, text) in &self.modules {
            let targets = arrows.entry(module.clone()).or_default();
            let children: Vec<&str> = self
                .modules
                .keys()
                .filter(|below| below.len() == module.len() + 1 && below.starts_with(module))
                .map(|below| below.last().expect("not the root").as_str())
                .collect();
            let starts = ["crate", "super"].into_iter().chain(children);
            let spelled = starts.flat_map(|start| paths(text, start));
            let spelled = spelled.map(|path| (false, path));
            for (public, path) in uses(text).into_iter().chain(spelled) {
                // What is passed on is used by whoever names it.
                if public {
                    continue;
                }
                let target = self
                    .absolute(module, &path)
                    .and_then(|path| self.target(&path));
                if let Some(target) = target.filter(|target| target != module) {
                    targets.insert(target);
                }
            }
        }
        arrows
    }
}

/// The text without tests, comments and strings.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let mut kept = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        if !line.starts_with("//") {
            kept.push_str(line.split(" // ").next().unwrap());
            kept.push('\n');
        }
    }
    let mut quoted = false;
    let mut before = ' ';
    kept.retain(|c| {
        if c == '"' && before != '\\' && before != '\'' {
            quoted = !quoted;
        }
        before = if before == '\\' { ' ' } else { c };
        !quoted && c != '"'
    });
    kept
}

/// Every path of every `use`, and whether the `use` passes it on. `{a, b}` counts as two.
fn uses(text: &str) -> Vec<(bool, Vec<String>)> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("use ") {
        let before = &rest[..at];
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        let after = &rest[at + 4..];
        let Some(end) = after.find(';') else {
            break;
        };
        if line.is_empty() || line.starts_with("pub") {
            for path in spread(&after[..end]) {
                all.push((!line.is_empty(), path));
            }
            rest = &after[end..];
        } else {
            rest = after;
        }
    }
    all
}

/// The paths of a tree such as `a::{b, c::{self, d as e}}`.
fn spread(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap();
        return vec![
            path.split("::")
                .map(|part| part.trim().to_owned())
                .collect(),
        ];
    };
    let head: Vec<String> = tree[..open]
        .split("::")
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    let inside = &tree[open + 1..tree.rfind('}').expect("a closed brace")];
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in inside.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().unwrap().push(c);
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| spread(part))
        .map(|tail| {
            let tail = if tail == ["self"] { Vec::new() } else { tail };
            [&head[..], &tail[..]].concat()
        })
        .collect()
}

/// Every path in the text that begins with `start::`, outside of what is passed on.
fn paths(text: &str, start: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for (at, _) in text.match_indices(&format!("{start}::")) {
        let line = text[..at].rsplit(';').next().unwrap_or_default();
        if line.trim_start().starts_with("pub") && line.contains("use ") {
            continue;
        }
        let path: String = text[at..]
            .chars()
            .take_while(|&c| c.is_alphanumeric() || c == '_' || c == ':')
            .collect();
        if text[..at].ends_with("pub(in ") {
            continue;
        }
        let before = text[..at].chars().next_back().unwrap_or(' ');
        if !before.is_alphanumeric() && !['_', ':', '$'].contains(&before) {
            let parts = path.trim_end_matches(':').split("::");
            let parts: Vec<String> = parts.map(str::to_owned).collect();
            // `super::{a, b}` is read as a `use`.
            if parts.len() > 1 {
                all.push(parts);
            }
        }
    }
    all
}

/// A circle among the arrows, if there is one.
fn circle<T: Ord + Clone>(arrows: &BTreeMap<T, BTreeSet<T>>) -> Option<Vec<T>> {
    fn walk<T: Ord + Clone>(
        at: &T,
        arrows: &BTreeMap<T, BTreeSet<T>>,
        way: &mut Vec<T>,
        done: &mut BTreeSet<T>,
    ) -> Option<Vec<T>> {
        if let Some(start) = way.iter().position(|seen| seen == at) {
            return Some(way[start..].to_vec());
        }
        if !done.insert(at.clone()) {
            return None;
        }
        way.push(at.clone());
        for next in arrows.get(at).into_iter().flatten() {
            if let Some(circle) = walk(next, arrows, way, done) {
                return Some(circle);
            }
        }
        way.pop();
        None
    }
    let mut done = BTreeSet::new();
    let mut starts = arrows.keys();
    starts.find_map(|start| walk(start, arrows, &mut Vec::new(), &mut done))
}

/// Everything that is wrong with the arrows, one line each.
fn faults(source: &Source, rooms: &[(&str, &[&str])]) -> Vec<String> {
    let arrows = source.arrows();
    let mut faults = Vec::new();
    let inside = |file: &str, room: &str| file == room || file.starts_with(&format!("{room}/"));
    for (from, targets) in &arrows {
        let from = from.join("/");
        let Some((room, allowed)) = rooms.iter().find(|(room, _)| inside(&from, room)) else {
            if !targets.is_empty() {
                faults.push(format!("{from} is in no room"));
            }
            continue;
        };
        for to in targets {
            let to = to.join("/");
            if !inside(&to, room) && !allowed.iter().any(|room| inside(&to, room)) {
                faults.push(format!("{from} uses {to}, which is not below {room}"));
            }
        }
    }
    let mut left = arrows;
    while let Some(circle) = circle(&left) {
        let names: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
        faults.push(format!("a circle: {} -> {}", names.join(" -> "), names[0]));
        // Broken here, so that the next one shows.
        let last = circle.last().expect("a circle has modules");
        left.entry(last.clone()).or_default().remove(&circle[0]);
    }
    let listed: BTreeMap<&str, BTreeSet<&str>> = rooms
        .iter()
        .map(|(room, below)| (*room, below.iter().copied().collect()))
        .collect();
    if let Some(circle) = circle(&listed) {
        faults.push(format!("the list itself has a circle: {circle:?}"));
    }
    faults
}

#[test]
fn arrows_run_down_and_never_in_a_circle() {
    let source = Source::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(source.modules.len() > 80, "a poor test");
    let count: usize = source.arrows().values().map(BTreeSet::len).sum();
    assert!(count > 200, "a poor test: {count} arrows");
    let faults = faults(&source, ROOMS);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn an_arrow_up_and_a_circle_are_noticed() {
    let rooms: &[(&str, &[&str])] = &[("low", &[]), ("high", &["low"])];
    let source = |files: &[(&str, &str)]| Source {
        modules: files
            .iter()
            .map(|(path, text)| {
                let module = path.split('/').map(str::to_owned).collect();
                (module, code(text))
            })
            .collect(),
    };
    let faults_of = |files: &[(&str, &str)]| faults(&source(files), rooms);
    let sound = [
        ("low", "mod a;\nmod b;\npub use a::{A, Other as O};"),
        ("low/a", "use std::fmt;\n/// See crate::high.\nstruct A;"),
        (
            "low/b",
            "use super::A;\nconst TEXT: &str = \"crate::high\";",
        ),
        ("high", "use crate::low::{A, b::{self, B}};"),
    ];
    assert_eq!(faults_of(&sound), Vec::<String>::new());
    let with = |path: &'static str, text: &'static str| {
        let mut files = sound.to_vec();
        files.retain(|(known, _)| *known != path);
        files.push((path, text));
        faults_of(&files)
    };
    let up = with("low/a", "fn a() { crate::high::f() }");
    assert!(up[0].contains("low/a uses high"), "{up:?}");
    let circle = with("low/a", "use super::{\n    b::B,\n};");
    assert!(circle[0].contains("a circle: low/a -> low/b"), "{circle:?}");
    let spelled = with("low", "struct A;\nfn f() { a::f() }");
    assert!(spelled.is_empty(), "{spelled:?}");
    let spelled = with("low", "struct A;\nfn f() { b::f() }");
    assert!(spelled[0].contains("a circle: low -> low/b"), "{spelled:?}");
    let through = with("low", "use a::A;\npub use b::B;\nstruct Own;");
    assert!(through.is_empty(), "{through:?}");
    let through = with("low/b", "use super::O;\nuse super::Own;");
    assert!(through.is_empty(), "{through:?}");
    let nowhere = with("cellar", "use crate::low::A;");
    assert!(nowhere[0].contains("in no room"), "{nowhere:?}");
}
