//! States and folders, whole, damaged, and held by someone else.

use std::fs;
use std::io;
use std::path::Path;

use super::*;
use crate::search::plan::Fingerprint;
use crate::search::plan::shard::Shard;
use crate::search::run::disk::{Disk, Files};

fn saved(done: u64) -> Saved {
    Saved {
        plan: "deck = \"standard\"\n".to_owned(),
        shard: Shard::WHOLE,
        done,
        finds: Extent::default(),
        tally: vec![1, 2, 3],
        program: "test".to_owned(),
    }
}

fn held(folder: &Path) -> Held {
    Folder::new(folder).lock("the test").unwrap()
}

fn save(held: &Held, saved: &Saved) {
    held.save(&Files, Fingerprint::of(&saved.plan), saved)
        .unwrap();
}

fn load(held: &Held) -> Result<Option<Loaded>, StoreError> {
    held.folder().load(&Files)
}

#[test]
fn a_state_comes_back_and_the_one_before_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let held = held(folder.path());
    assert!(load(&held).unwrap().is_none());
    for done in 0..3 {
        save(&held, &saved(done));
        let loaded = load(&held).unwrap().unwrap();
        assert_eq!((loaded.saved, loaded.warning), (saved(done), None));
    }
    fs::remove_file(held.folder().state()).unwrap();
    let loaded = load(&held).unwrap().unwrap();
    assert_eq!(loaded.saved.done, 1);
    assert!(loaded.warning.unwrap().contains("is missing"));
}

#[test]
fn every_truncation_and_every_flipped_bit_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let held = held(folder.path());
    save(&held, &saved(1));
    save(&held, &saved(2));
    let whole = fs::read(held.folder().state()).unwrap();
    let mut damaged = Vec::new();
    for len in 0..whole.len() {
        damaged.push(whole[..len].to_vec());
        let mut zeros = whole[..len].to_vec();
        zeros.resize(whole.len(), 0);
        if zeros != whole {
            damaged.push(zeros);
        }
        for bit in 0..8 {
            let mut flipped = whole.clone();
            flipped[len] ^= 1 << bit;
            damaged.push(flipped);
        }
    }
    damaged.push([&whole[..], &[0]].concat());
    for bytes in damaged {
        fs::write(held.folder().state(), &bytes).unwrap();
        let loaded = load(&held).unwrap().unwrap();
        assert_eq!(loaded.saved, saved(1));
        assert!(loaded.warning.unwrap().contains("damaged"));
    }
    fs::write(held.folder().previous(), b"").unwrap();
    let error = load(&held).unwrap_err().to_string();
    assert!(
        error.contains("--restart") && error.contains("state.previous"),
        "{error}"
    );
}

#[test]
fn a_newer_state_is_named_and_never_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let held = held(folder.path());
    save(&held, &saved(1));
    save(&held, &saved(2));
    let mut newer = fs::read(held.folder().state()).unwrap();
    newer[8..12].copy_from_slice(&7u32.to_le_bytes());
    let crc = crc32fast::hash(&newer[..32]);
    newer[32..36].copy_from_slice(&crc.to_le_bytes());
    fs::write(held.folder().state(), newer).unwrap();
    assert!(matches!(
        load(&held),
        Err(StoreError::Newer { version: 7, .. })
    ));
}

#[test]
fn finds_that_are_not_those_counted_damage_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let held = held(folder.path());
    let mut journal = Journal::after(held.folder(), Extent::default());
    journal.push("one");
    let one = Saved {
        finds: journal.sync(&Files).unwrap(),
        ..saved(1)
    };
    save(&held, &one);
    journal.push("two");
    let two = Saved {
        finds: journal.sync(&Files).unwrap(),
        ..saved(2)
    };
    save(&held, &two);
    let finds = held.folder().finds();
    let mut text = fs::read_to_string(&finds).unwrap();
    assert_eq!(text, "one\ntwo\n");
    // Lines beyond the state are passed over; a torn one too.
    text.push_str("three\nfo");
    fs::write(&finds, &text).unwrap();
    assert_eq!(load(&held).unwrap().unwrap().saved, two);
    assert_eq!(
        held.folder().read_finds(&Files, two.finds).unwrap(),
        "one\ntwo\n"
    );
    for wrong in ["one\ntwo", "one\ntwq\n", "one\n"] {
        fs::write(&finds, wrong).unwrap();
        let loaded = load(&held).unwrap().unwrap();
        assert_eq!(loaded.saved, two, "{wrong:?}");
        assert!(loaded.finds_damaged.unwrap().contains("finds.jsonl"));
        assert_eq!(loaded.fallback.as_ref(), Some(&one), "{wrong:?}");
    }
    // Not even an older state has its finds.
    fs::write(&finds, "onf\ntwo\n").unwrap();
    let loaded = load(&held).unwrap().unwrap();
    assert_eq!((&loaded.saved, loaded.warning), (&two, None));
    assert!(loaded.finds_damaged.unwrap().contains("finds.jsonl"));
    assert_eq!(loaded.fallback, None);
    fs::remove_file(&finds).unwrap();
    assert!(load(&held).unwrap().unwrap().finds_damaged.is_some());
}

#[test]
fn a_journal_cuts_what_lies_beyond_and_keeps_what_was_not_written() {
    struct Full<'a>(&'a std::sync::atomic::AtomicBool);
    impl Disk for Full<'_> {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            Files.read(path)
        }
        fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
            Files.write(path, bytes)
        }
        fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<()> {
            if self.0.load(std::sync::atomic::Ordering::Relaxed) {
                // A short write, as on a full disk.
                Files.append(path, at, &bytes[..bytes.len() / 2])?;
                return Err(io::ErrorKind::StorageFull.into());
            }
            Files.append(path, at, bytes)
        }
        fn sync(&self, path: &Path) -> io::Result<()> {
            Files.sync(path)
        }
        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            Files.rename(from, to)
        }
        fn sync_folder(&self, folder: &Path) -> io::Result<()> {
            Files.sync_folder(folder)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = Folder::new(folder.path());
    fs::write(folder.finds(), "one\nlost").unwrap();
    let full = std::sync::atomic::AtomicBool::new(true);
    let disk = Full(&full);
    let extent = Extent::default().with(b"one\n");
    let mut journal = Journal::after(&folder, extent);
    journal.push("two");
    assert!(journal.write(&disk).is_err());
    journal.push("three");
    assert!(journal.sync(&disk).is_err());
    full.store(false, std::sync::atomic::Ordering::Relaxed);
    let synced = journal.sync(&disk).unwrap();
    assert_eq!(fs::read(folder.finds()).unwrap(), b"one\ntwo\nthree\n");
    assert_eq!(synced, Extent::default().with(b"one\ntwo\nthree\n"));
    // Without a new find, a resume still cuts.
    fs::write(folder.finds(), "one\nlost").unwrap();
    assert_eq!(
        Journal::after(&folder, extent).sync(&Files).unwrap(),
        extent
    );
    assert_eq!(fs::read(folder.finds()).unwrap(), b"one\n");
}

#[test]
fn one_holder_at_a_time_and_the_message_names_him() {
    let folder = tempfile::tempdir().unwrap();
    let place = Folder::new(folder.path().join("new"));
    let first = place.lock("process 77 since noon").unwrap();
    let error = place.lock("me").unwrap_err().to_string();
    assert!(
        error.contains("process 77 since noon") && error.contains("--wait"),
        "{error}"
    );
    assert_eq!(place.is_locked(), Some(true));
    drop(first);
    for _ in 0..100 {
        assert_eq!(place.is_locked(), Some(false));
    }
    place.lock("me").unwrap();
}

#[test]
fn a_damaged_state_never_takes_the_place_of_a_good_one() {
    let folder = tempfile::tempdir().unwrap();
    let first = held(folder.path());
    save(&first, &saved(1));
    save(&first, &saved(2));
    drop(first);
    let held = held(folder.path());
    let [state, previous] = [held.folder().state(), held.folder().previous()];
    fs::write(&state, b"nonsense").unwrap();
    assert_eq!(load(&held).unwrap().unwrap().saved, saved(1));
    save(&held, &saved(3));
    assert_eq!(load(&held).unwrap().unwrap().saved, saved(3));
    fs::remove_file(&state).unwrap();
    assert_eq!(load(&held).unwrap().unwrap().saved, saved(1));
    // A new state that had not taken its place yet is looked at, unless it is torn.
    save(&held, &saved(4));
    fs::rename(&state, folder.path().join("state.new")).unwrap();
    fs::write(&previous, b"nonsense").unwrap();
    assert_eq!(load(&held).unwrap().unwrap().saved, saved(4));
    fs::write(folder.path().join("state.new"), b"nons").unwrap();
    assert!(matches!(load(&held), Err(StoreError::Damaged { .. })));
}

#[test]
fn what_may_not_be_read_is_no_damage() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let held = held(folder.path());
    let mut journal = Journal::after(held.folder(), Extent::default());
    journal.push("one");
    let finds = journal.sync(&Files).unwrap();
    save(&held, &Saved { finds, ..saved(1) });
    for path in [held.folder().state(), held.folder().finds()] {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
        if fs::read(&path).is_ok() {
            println!("skipped: this user may read every file");
            return;
        }
        let error = load(&held).unwrap_err();
        assert!(matches!(error, StoreError::Io { .. }), "{error}");
        let error = error.to_string();
        assert!(!error.contains("--restart"), "{error}");
        assert!(error.contains("denied") && error.contains(path.to_str().unwrap()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[test]
fn format_0_never_was() {
    let folder = tempfile::tempdir().unwrap();
    let held = held(folder.path());
    save(&held, &saved(1));
    let mut bytes = fs::read(held.folder().state()).unwrap();
    bytes[8..12].copy_from_slice(&0u32.to_le_bytes());
    let crc = crc32fast::hash(&bytes[..32]);
    bytes[32..36].copy_from_slice(&crc.to_le_bytes());
    fs::write(held.folder().state(), bytes).unwrap();
    let error = load(&held).unwrap_err().to_string();
    assert!(error.contains("format 0"), "{error}");
}

#[test]
fn a_state_of_a_newer_program_is_used_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let held = held(folder.path());
    let newer = Saved {
        program: "99.1.0".to_owned(),
        ..saved(1)
    };
    save(&held, &newer);
    let warning = load(&held).unwrap().unwrap().warning.unwrap();
    assert!(
        warning.contains("99.1.0") && warning.contains("newer"),
        "{warning}"
    );
}

#[test]
fn beginning_anew_deletes_no_finds_that_it_cannot_account_for() {
    let folder = tempfile::tempdir().unwrap();
    let held = held(folder.path());
    let plan = saved(1).plan;
    let finds = held.folder().finds();
    // Counted by a whole state of the same plan: they will be found again.
    let mut journal = Journal::after(held.folder(), Extent::default());
    journal.push("one");
    let counted = Saved {
        finds: journal.sync(&Files).unwrap(),
        ..saved(1)
    };
    save(&held, &counted);
    assert_eq!(held.clear(&Files, &plan).unwrap(), None);
    assert!(!finds.exists() && load(&held).unwrap().is_none());
    // Of another plan, of no state, or damaged: put aside, each under a name of its own.
    for n in 1..=3 {
        fs::write(&finds, "one\n").unwrap();
        match n {
            1 => save(&held, &counted),
            2 => {}
            _ => {
                save(&held, &counted);
                fs::write(&finds, "onf\n").unwrap();
            }
        }
        let canonical = if n == 1 { "another plan" } else { &plan };
        let aside = held.clear(&Files, canonical).unwrap().unwrap();
        assert_eq!(aside, folder.path().join(format!("finds.aside-{n}.jsonl")));
        assert!(fs::read_to_string(&aside).unwrap().starts_with("on"));
        assert!(!finds.exists() && load(&held).unwrap().is_none());
    }
}
