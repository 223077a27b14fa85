//! Player classes of the text, unchanged: a class that extends `controller.Player` is compiled
//! together with our adapter, which speaks BS/1 for it, and runs in a process of its own like any
//! other bot.
//!
//! The adapter has the members that the text names or implies, under the names that the text's own
//! controller (<https://github.com/prakol16/bs>) gives them. Each player is compiled into a folder
//! of its own, so that two of one name do not meet.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The adapter: file names and texts.
const ADAPTER: [(&str, &str); 4] = [
    ("Card.java", include_str!("java/controller/Card.java")),
    (
        "Controller.java",
        include_str!("java/controller/Controller.java"),
    ),
    ("Main.java", include_str!("java/controller/Main.java")),
    ("Player.java", include_str!("java/controller/Player.java")),
];
/// The package of the adapter.
const PACKAGE: &str = "controller";
/// Letters of the compiler's complaint that an error shows.
const SHOWN: usize = 4000;

/// Compiled players of a match, in a temporary folder that goes when this is dropped.
#[derive(Debug)]
pub struct JavaPlayers {
    folder: TempDir,
    count: usize,
}

/// Why a player class cannot take part.
#[derive(Debug, thiserror::Error)]
pub enum JavaError {
    /// There is no Java on this machine.
    #[error(
        "java:{path} needs {program}, and there is none on the PATH nor in JAVA_HOME; \
         install a Java development kit, 8 or later"
    )]
    NoJava {
        /// The file asked for.
        path: String,
        /// The program that is missing.
        program: &'static str,
    },
    /// The file is not there, or is no Java source.
    #[error("java:{path}: {why}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// The compiler refused it.
    #[error("java:{path} does not compile:\n{complaint}")]
    Compile {
        /// The file.
        path: String,
        /// What the compiler said.
        complaint: String,
    },
    /// Our own files could not be written, or the compiler not be run.
    #[error("cannot compile java:{path}: {error}")]
    Io {
        /// The file of the player.
        path: String,
        /// What failed.
        error: io::Error,
    },
}

impl JavaPlayers {
    /// A place for players.
    ///
    /// # Errors
    /// When no temporary folder can be made.
    pub fn new() -> io::Result<JavaPlayers> {
        Ok(JavaPlayers {
            folder: tempfile::Builder::new().prefix("camicia-java-").tempdir()?,
            count: 0,
        })
    }

    /// Compiles the class in the file `path` and gives the command that runs it as a bot of BS/1.
    ///
    /// # Errors
    /// When there is no Java, no such file, or the file does not compile.
    pub fn compile(&mut self, path: &str) -> Result<Vec<String>, JavaError> {
        let fault = |why: &str| JavaError::File {
            path: path.to_owned(),
            why: why.to_owned(),
        };
        let trouble = |error| JavaError::Io {
            path: path.to_owned(),
            error,
        };
        let source = Path::new(path);
        if source.extension() != Some(OsStr::new("java")) {
            return Err(fault("a player is a file that ends in .java"));
        }
        if !source.is_file() {
            return Err(fault("there is no such file"));
        }
        let find = |program| {
            find(program).ok_or_else(|| JavaError::NoJava {
                path: path.to_owned(),
                program,
            })
        };
        let (javac, java) = (find("javac")?, find("java")?);

        self.count += 1;
        let folder = self.folder.path().join(self.count.to_string());
        let (sources, classes) = (folder.join("sources"), folder.join("classes"));
        fs::create_dir_all(&sources).map_err(trouble)?;
        fs::create_dir_all(&classes).map_err(trouble)?;
        let mut files = Vec::new();
        for (name, text) in ADAPTER {
            let file = sources.join(name);
            fs::write(&file, text).map_err(trouble)?;
            files.push(file);
        }
        let output = Command::new(javac)
            // It runs for a second: no time to optimise itself.
            .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"])
            .args(["-encoding", "UTF-8", "-nowarn", "-Xlint:none", "-proc:none"])
            // Nothing but these files: no class or source that lies about by chance.
            .args(["-implicit:none", "-sourcepath", "", "-cp"])
            .arg(&classes)
            .arg("-d")
            .arg(&classes)
            .args(&files)
            // Absolute, so that no name is taken for an option.
            .arg(std::path::absolute(source).map_err(trouble)?)
            .output()
            .map_err(trouble)?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            let mut complaint: String = said.trim_end().chars().take(SHOWN).collect();
            if complaint.is_empty() {
                complaint = format!("the compiler ended with {}", output.status);
            }
            return Err(JavaError::Compile {
                path: path.to_owned(),
                complaint,
            });
        }
        let stem = source.file_stem().unwrap_or_default();
        let class = class_name(&classes, stem, "")
            .map_err(trouble)?
            .ok_or_else(|| fault("it has no class of the file's own name"))?;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Ok(vec![
            text(&java),
            // A bot is one of several on a machine.
            "-XX:+UseSerialGC".to_owned(),
            "-cp".to_owned(),
            text(&classes),
            format!("{PACKAGE}.Main"),
            class,
        ])
    }
}

/// The full name of the class `stem` in a folder of classes, the adapter's left out.
fn class_name(folder: &Path, stem: &OsStr, package: &str) -> io::Result<Option<String>> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        let Some(name) = entry.file_stem() else {
            continue;
        };
        let full = format!("{package}{}", name.to_string_lossy());
        if entry.is_dir() {
            let inner = match full.as_str() {
                PACKAGE => None,
                _ => class_name(&entry, stem, &format!("{full}."))?,
            };
            if inner.is_some() {
                return Ok(inner);
            }
        } else if name == stem {
            return Ok(Some(full));
        }
    }
    Ok(None)
}

/// A program of the development kit: that of `JAVA_HOME`, else the first on the `PATH`.
fn find(program: &str) -> Option<PathBuf> {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    home.into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}
