//! `camicia workunit` as an application of BOINC's client. The test plays the client: it speaks
//! through the shared file of a slot, as the client does.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::support::{program, wait_until};

/// The shared file has eight channels of so many bytes: one byte says that a message is there, the
/// text of the message follows.
const CHANNEL: usize = 1024;
/// The client asks for a pause, an end and so on.
const CONTROL: usize = 0;
/// The client says every second that it lives.
const HEARTBEAT: usize = 4;
/// The application says every second how far it is.
const STATUS: usize = 5;

/// A unit that takes long, and one that does not.
const LONG: &str = "472460898658889399000 472460899658889399000";
const SHORT: &str = "472460898658889399000 472460898658889400000";

/// The client with one slot.
struct Client {
    root: tempfile::TempDir,
    shared: File,
}

impl Client {
    fn new(unit: &str) -> Client {
        let root = tempfile::tempdir().unwrap();
        let slot = root.path().join("slots/0");
        let project = root.path().join("projects/camicia");
        fs::create_dir_all(&slot).unwrap();
        fs::create_dir_all(&project).unwrap();
        for (name, real) in [("in", "unit"), ("out", "unit_out")] {
            let link = format!("<soft_link>../../projects/camicia/{real}</soft_link>\n");
            fs::write(slot.join(name), link).unwrap();
        }
        fs::write(project.join("unit"), format!("{unit}\n")).unwrap();
        // A key of -1: the shared memory is the file boinc_mmap_file.
        let init = format!(
            "<app_init_data>
<major_version>7</major_version>
<minor_version>20</minor_version>
<release>5</release>
<app_version>100</app_version>
<app_name>camicia</app_name>
<project_dir>{0}/projects/camicia</project_dir>
<boinc_dir>{0}</boinc_dir>
<wu_name>unit</wu_name>
<result_name>unit_0</result_name>
<slot>0</slot>
<client_pid>{1}</client_pid>
<wu_cpu_time>0</wu_cpu_time>
<starting_elapsed_time>0</starting_elapsed_time>
<shm_key>-1</shm_key>
<comm_obj_name>boinc_0</comm_obj_name>
<checkpoint_period>1</checkpoint_period>
<fraction_done_start>0</fraction_done_start>
<fraction_done_end>1</fraction_done_end>
<ncpus>1</ncpus>
</app_init_data>
",
            root.path().display(),
            std::process::id()
        );
        fs::write(slot.join("init_data.xml"), init).unwrap();
        fs::write(slot.join("boinc_mmap_file"), vec![0; 8 * CHANNEL]).unwrap();
        let shared = File::options()
            .read(true)
            .write(true)
            .open(slot.join("boinc_mmap_file"))
            .unwrap();
        Client { root, shared }
    }

    fn slot(&self) -> PathBuf {
        self.root.path().join("slots/0")
    }

    fn start(&self) -> Child {
        Command::new(program())
            .arg("workunit")
            .current_dir(self.slot())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Says something in a channel, over what was said before.
    fn say(&self, channel: usize, text: &str) {
        let mut message = vec![0; CHANNEL];
        message[0] = 1;
        message[1..=text.len()].copy_from_slice(text.as_bytes());
        // The text first, so that nobody reads half a message.
        let at = (channel * CHANNEL) as u64;
        self.shared.write_all_at(&message[1..], at + 1).unwrap();
        self.shared.write_all_at(&message[..1], at).unwrap();
    }

    /// Asks for something until the application has taken the message.
    fn ask(&self, text: &str) {
        self.say(CONTROL, text);
        wait_until("the application to read", || {
            self.say(HEARTBEAT, "<heartbeat/>");
            let mut there = [0];
            self.shared.read_exact_at(&mut there, 0).unwrap();
            there[0] == 0
        });
    }

    /// A number of the last status message.
    fn status(&self, what: &str) -> Option<f64> {
        self.say(HEARTBEAT, "<heartbeat/>");
        let mut message = [0; CHANNEL];
        let at = (STATUS * CHANNEL) as u64;
        self.shared.read_exact_at(&mut message, at).unwrap();
        // Taken: the next one may come.
        self.shared.write_all_at(&[0], at).unwrap();
        let text = String::from_utf8_lossy(&message[1..]).into_owned();
        let (_, rest) = text.split_once(&format!("<{what}>"))?;
        rest.split_once("</")?.0.trim().parse().ok()
    }

    /// Waits until a number of the status messages is over this.
    fn wait_for(&self, what: &str, least: f64) -> f64 {
        let mut last = None;
        wait_until(what, || {
            sleep(Duration::from_millis(100));
            last = self.status(what).or(last);
            last.is_some_and(|last| last > least)
        });
        last.unwrap()
    }
}

/// The last word of an application: its exit code, if it left one.
fn last_word(slot: &Path) -> Option<i32> {
    let text = fs::read_to_string(slot.join("boinc_finish_called")).ok()?;
    text.lines().next()?.trim().parse().ok()
}

#[test]
fn a_unit_is_played_to_its_end_and_the_client_is_told() {
    let client = Client::new(SHORT);
    let mut process = client.start();
    assert_eq!(process.wait().unwrap().code(), Some(0));
    assert_eq!(last_word(&client.slot()), Some(0));
    let answer = fs::read_to_string(client.root.path().join("projects/camicia/unit_out")).unwrap();
    assert!(answer.starts_with("finished,"), "{answer}");
    assert!(
        answer.ends_with("loop,472460898658889399111,474,66\n"),
        "{answer}"
    );
}

#[test]
fn a_pause_stops_the_work_and_a_quit_saves_it() {
    let client = Client::new(LONG);
    let mut process = client.start();
    let before = client.wait_for("fraction_done", 0.0);
    // The client says every second when it wants a checkpoint, by the period in init_data.xml.
    client.wait_for("checkpoint_cpu_time", 0.0);
    assert!(client.slot().join("camicia_state").exists());

    client.ask("<suspend/>");
    // Two messages after the pause say the same fraction.
    let mut same = 0;
    let mut last = before;
    wait_until("the pause", || {
        sleep(Duration::from_millis(1100));
        if let Some(now) = client.status("fraction_done") {
            same = if now == last { same + 1 } else { 0 };
            last = now;
        }
        same >= 2
    });
    client.ask("<resume/>");
    client.wait_for("fraction_done", last);

    client.ask("<quit/>");
    assert_eq!(process.wait().unwrap().code(), Some(0));
    assert_eq!(last_word(&client.slot()), None, "the unit is not finished");
    let state = fs::read_to_string(client.slot().join("camicia_state")).unwrap();
    let next: u128 = state
        .lines()
        .find_map(|line| line.strip_prefix("next "))
        .unwrap()
        .parse()
        .unwrap();
    assert!(next > 472_460_898_658_889_399_000);
    let out = client.root.path().join("projects/camicia/unit_out");
    assert!(!out.exists(), "no answer yet");

    // It goes on from there.
    let mut process = client.start();
    client.wait_for("fraction_done", last * 0.9);
    client.ask("<quit/>");
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

#[test]
fn an_abort_ends_the_unit_without_an_answer() {
    let client = Client::new(LONG);
    let mut process = client.start();
    client.wait_for("fraction_done", 0.0);
    client.ask("<abort/>");
    assert_eq!(process.wait().unwrap().code(), Some(194));
    assert_eq!(last_word(&client.slot()), Some(194));
    assert!(
        !client
            .root
            .path()
            .join("projects/camicia/unit_out")
            .exists()
    );
}

#[test]
fn a_bad_unit_is_the_last_word() {
    let client = Client::new("9 3");
    let mut process = client.start();
    assert_eq!(process.wait().unwrap().code(), Some(2));
    assert_eq!(last_word(&client.slot()), Some(2));
}

#[test]
fn alone_it_does_not_talk_to_the_client() {
    let client = Client::new(SHORT);
    let output = Command::new(program())
        .args(["workunit", "--alone"])
        .current_dir(client.slot())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        fs::read_to_string(client.slot().join("boinc_finish_called")).unwrap(),
        "0\n"
    );
    assert!(client.slot().join("fraction_done").exists());
}
