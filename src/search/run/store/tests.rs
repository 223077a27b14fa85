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
        assert_eq!(loaded.saved, one, "{wrong:?}");
        assert!(loaded.warning.unwrap().contains("finds.jsonl"));
    }
    fs::write(&finds, "onf\ntwo\n").unwrap();
    assert!(matches!(load(&held), Err(StoreError::Damaged { .. })));
    fs::remove_file(&finds).unwrap();
    assert!(matches!(load(&held), Err(StoreError::Damaged { .. })));
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
    assert!(place.is_locked());
    drop(first);
    assert!(!place.is_locked());
    place.lock("me").unwrap();
}
