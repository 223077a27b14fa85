//! Many shards at once: under Slurm, under GNU parallel, watched and merged on the way. What comes
//! out must be what one run gives, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::support::place::Place;
use super::support::{program, wait_until};

/// Whether all these programs are there. Says which one is not.
fn have(programs: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing = programs.iter().find(|program| {
        let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
        !folders
            .into_iter()
            .any(|folder| folder.join(program).is_file())
    });
    if let Some(missing) = missing {
        println!("skipped: no {missing}");
    }
    missing.is_none()
}

/// What a folder of results holds, but times.
fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    ["leaderboard.jsonl", "histogram.csv", "summary.json"]
        .into_iter()
        .map(|name| (name.to_owned(), fs::read(folder.join(name)).unwrap()))
        .collect()
}

/// The only folder of merged results.
fn merged(place: &Place) -> PathBuf {
    let entries = fs::read_dir(place.path("results")).unwrap();
    let mut found = entries.map(|entry| entry.unwrap().path()).filter(|path| {
        path.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("merged-")
    });
    let first = found.next().expect("merged results");
    assert!(found.next().is_none());
    first
}

fn plan(games: &str) -> String {
    format!(
        "deck = \"standard\"\ngames = {games}\nseed = 14\nclose_from = 2500\nkeep = 50\ncheckpoint_every = 0.2\n"
    )
}

/// The results of one run over the plan.
fn whole(place: &Place) -> BTreeMap<String, Vec<u8>> {
    place.done("search plan.toml --state one --results one-results --restart");
    results(&place.path("one-results"))
}

#[test]
fn shards_of_a_scheduler_are_named_and_what_is_half_set_is_refused() {
    let place = Place::new();
    place.plan("plan.toml", &plan("1e6"));
    let run = |variables: &[(&str, &str)], shard: &str| {
        let mut command = place.command("search plan.toml --resume --shard");
        command.arg(shard);
        for name in [
            "SLURM_ARRAY_TASK_ID",
            "SLURM_ARRAY_TASK_MIN",
            "SLURM_ARRAY_TASK_MAX",
        ] {
            command.env_remove(name);
        }
        command
            .env_remove("SLURM_ARRAY_TASK_COUNT")
            .env_remove("PARALLEL_SEQ");
        command.envs(variables.iter().copied());
        super::support::told(&command.output().unwrap())
    };
    let slurm = [
        ("SLURM_ARRAY_TASK_ID", "1"),
        ("SLURM_ARRAY_TASK_MIN", "0"),
        ("SLURM_ARRAY_TASK_MAX", "1"),
        ("SLURM_ARRAY_TASK_COUNT", "2"),
    ];
    let (code, _, err) = run(&slurm, "auto");
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("shard 1/2, from the Slurm array (SLURM_ARRAY_TASK_ID=1)"),
        "{err}"
    );
    assert!(place.path("checkpoints/plan.1-of-2").is_dir());
    let (code, _, err) = run(&[("PARALLEL_SEQ", "1")], "auto/2");
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("shard 0/2, from GNU parallel"), "{err}");
    for (variables, shard, wanted) in [
        (&[][..], "auto", "no scheduler says which shard this is"),
        (&slurm[..3], "auto", "SLURM_ARRAY_TASK_COUNT is not set"),
        (&slurm[1..], "auto", "SLURM_ARRAY_TASK_ID is not set"),
        (&slurm, "auto/1", "1 shards are numbered 0 to 0"),
        (&[("PARALLEL_SEQ", "1")], "auto", "write --shard auto/N"),
        (&[], "auto/0", "no number of shards"),
        (&[], "2/2", "2/2"),
    ] {
        let (code, _, err) = run(variables, shard);
        assert_eq!(code, 2, "{variables:?} {shard}: {err}");
        assert!(err.contains(wanted), "{variables:?} {shard}: {err}");
    }
    place.done("merge checkpoints/plan.0-of-2 checkpoints/plan.1-of-2");
    assert_eq!(results(&merged(&place)), whole(&place));
}

#[test]
fn gnu_parallel_goes_on_with_the_shards_that_failed() {
    if !have(&["parallel"]) {
        return;
    }
    let place = Place::new();
    place.plan("plan.toml", &plan("4e7"));
    let start = || {
        let command = format!(
            "'{}' search plan.toml --shard {{}}/4 --threads 1 --resume --wait",
            program().display()
        );
        Command::new("parallel")
            .args([
                "--will-cite",
                "--joblog",
                "log",
                "--resume-failed",
                "-j",
                "2",
            ])
            .args([&command, ":::", "0", "1", "2", "3"])
            .current_dir(place.path(""))
            .env("HOME", place.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut first = start();
    place.wait_for_blocks("checkpoints/plan.0-of-4");
    place.wait_for_blocks("checkpoints/plan.1-of-4");
    // One shard is stopped, and fails with 75; then everything is killed.
    fs::write(place.path("checkpoints/plan.1-of-4/stop"), "").unwrap();
    wait_until("the log of a job", || {
        let log = fs::read_to_string(place.path("log")).unwrap_or_default();
        log.lines().count() > 1
    });
    first.kill().unwrap();
    first.wait().unwrap();
    // Its shards may go on by themselves for a while: --wait waits for them.
    let last = start().wait().unwrap();
    let log = fs::read_to_string(place.path("log")).unwrap();
    assert!(last.success(), "{log}");
    assert!(log.contains("\t75\t0\t"), "{log}");
    place.done(
        "merge checkpoints/plan.0-of-4 checkpoints/plan.1-of-4 checkpoints/plan.2-of-4 \
         checkpoints/plan.3-of-4",
    );
    assert_eq!(results(&merged(&place)), whole(&place));
}

#[test]
fn many_shards_are_watched_as_one_table_and_merged_so_far() {
    let place = Place::new();
    place.plan("plan.toml", &plan("2e6"));
    place.done("search plan.toml --shard 0/3");
    place.done("search plan.toml --shard 1/3");
    let folders = "checkpoints/plan.0-of-3 checkpoints/plan.1-of-3";
    let table = place.done(&format!("status {folders}"));
    assert!(table.contains("2 finished\n"), "{table}");
    assert!(
        table.contains("1 of 3 shards have no folder here"),
        "{table}"
    );
    let total = table
        .lines()
        .find(|line| line.trim_start().starts_with("total"));
    assert!(
        total.is_some_and(|line| line.contains("100.0 %")),
        "{table}"
    );
    let json = place.done(&format!("status {folders} --json"));
    let lines: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    let total = &lines[2]["total"];
    assert_eq!(total["missing"], 1);
    assert_eq!(total["states"]["finished"], 2);
    let sum: u64 = lines[..2]
        .iter()
        .map(|line| line["games"].as_str().unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(total["games"], sum.to_string());
    // All are finished, so watching ends by itself.
    place.done(&format!("status {folders} --watch 100s"));

    // So far: without a shard, and without the rest of one that was stopped.
    let so_far = place.done(&format!("merge {folders} --so-far --results part"));
    assert!(
        so_far.contains("SO FAR: 2 of 3 shards are there, 2 of them finished"),
        "{so_far}"
    );
    let mark: Value =
        serde_json::from_slice(&fs::read(place.path("part/so-far.json")).unwrap()).unwrap();
    assert_eq!((&mark["of"], &mark["there"]), (&3.into(), &2.into()));
    let summary: Value =
        serde_json::from_slice(&fs::read(place.path("part/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["games"], sum.to_string());
    let json: Value = serde_json::from_str(
        &place.done(&format!("merge {folders} --so-far --results part --json")),
    )
    .unwrap();
    assert_eq!(json["state"], "stopped");
    assert_eq!(json["so_far"], mark);
    // Without the flag it is an error, and nothing is written.
    let (code, _, err) = place.run(&format!("merge {folders}"));
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("shard 2/3 is missing"), "{err}");
    place.done("search plan.toml --shard 2/3");
    place.done(&format!(
        "merge {folders} checkpoints/plan.2-of-3 --results part"
    ));
    assert!(!place.path("part/so-far.json").exists());
    assert_eq!(results(&place.path("part")), whole(&place));
    // What is whole is not replaced by a part.
    let (code, _, err) = place.run(&format!("merge {folders} --so-far --results part"));
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("the results of a whole search are here"),
        "{err}"
    );
    assert_eq!(results(&place.path("part")), whole(&place));
}

#[test]
fn running_shards_are_in_the_total() {
    let place = Place::new();
    place.plan("plan.toml", &plan("1e9"));
    let mut shards: Vec<_> = (0..2)
        .map(|at| place.spawn(&format!("search plan.toml --shard {at}/2 --threads 1")))
        .collect();
    let folders = "checkpoints/plan.0-of-2 checkpoints/plan.1-of-2";
    place.wait_for_blocks("checkpoints/plan.0-of-2");
    place.wait_for_blocks("checkpoints/plan.1-of-2");
    let mut last = Value::Null;
    wait_until("rates of both shards", || {
        sleep(Duration::from_millis(200));
        let json = place.done(&format!("status {folders} --json"));
        let line = json.lines().last().unwrap();
        last = serde_json::from_str::<Value>(line).unwrap()["total"].clone();
        last["rate_now"].as_f64().unwrap() > 0.0 && last["seconds_left"].is_number()
    });
    assert_eq!(last["states"]["running"], 2, "{last}");
    assert!(
        last["slowest"].as_str().unwrap().contains("plan."),
        "{last}"
    );
    let so_far = place.done(&format!("merge {folders} --so-far"));
    assert!(
        so_far.contains("2 of 2 shards are there, 0 of them finished"),
        "{so_far}"
    );
    for shard in &mut shards {
        shard.kill();
    }
    let json = place.done(&format!("status {folders} --json"));
    let line = json.lines().last().unwrap();
    let total = serde_json::from_str::<Value>(line).unwrap()["total"].clone();
    assert_eq!(total["states"]["stopped"], 2, "{total}");
}

/// A Slurm of one node, for one test.
struct Slurm {
    folder: PathBuf,
    munged: Child,
    controller: Child,
    node: Option<Child>,
}

impl Slurm {
    /// Starts it in a folder; `None`, with a word, where it cannot run.
    fn start(folder: &Path) -> Option<Slurm> {
        if !have(&["munged", "slurmctld", "slurmd", "sbatch", "srun"]) {
            return None;
        }
        if !rustix::process::getuid().is_root() {
            println!("skipped: a Slurm of one's own must be started by root");
            return None;
        }
        let folder = folder.canonicalize().unwrap();
        for name in ["munge", "state", "spool"] {
            let mut builder = fs::DirBuilder::new();
            builder.mode(0o700).create(folder.join(name)).unwrap();
        }
        let key = folder.join("munge/key");
        fs::write(&key, [7; 1024]).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o400)).unwrap();
        let host = Command::new("hostname").arg("-s").output().unwrap().stdout;
        let host = String::from_utf8(host).unwrap().trim().to_owned();
        let ports: Vec<u16> = (0..2)
            .map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap())
            .collect::<Vec<_>>()
            .iter()
            .map(|listener| listener.local_addr().unwrap().port())
            .collect();
        let at = folder.display();
        let [controller_port, node_port] = ports[..] else {
            unreachable!("two ports")
        };
        let conf = format!(
            "ClusterName=camicia
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={at}/munge/socket,cred_expire=5
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/spool
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
SlurmdTimeout=6
BatchStartTimeout=2
KillWait=5
SchedulerParameters=batch_sched_delay=1,sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 Boards=1 SocketsPerBoard=1 CoresPerSocket=4 ThreadsPerCore=1 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"
        );
        fs::write(folder.join("slurm.conf"), conf).unwrap();
        let file = |name: &str| format!("--{name}={at}/munge/{name}");
        let munged = Command::new("munged")
            .args(["--foreground", "--force", "--num-threads=2"])
            .args([
                file("key-file").replace("/key-file", "/key"),
                file("socket"),
            ])
            .args([file("pid-file"), file("log-file"), file("seed-file")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("munge", || folder.join("munge/socket").exists());
        let controller = Slurm::daemon(&folder, "slurmctld");
        let mut slurm = Slurm {
            node: None,
            folder,
            munged,
            controller,
        };
        slurm.start_node();
        Some(slurm)
    }

    fn daemon(folder: &Path, name: &str) -> Child {
        let conf = folder.join("slurm.conf");
        Command::new(name)
            .arg("-D")
            .arg("-f")
            .arg(&conf)
            .env("SLURM_CONF", &conf)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn start_node(&mut self) {
        self.node = Some(Slurm::daemon(&self.folder, "slurmd"));
        wait_until("the node to be ready", || {
            sleep(Duration::from_millis(200));
            let (_, out) = self.ask(&["sinfo", "--noheader", "--format=%t"]);
            ["idle", "mix", "alloc"].contains(&out.trim())
        });
    }

    /// Runs a command of Slurm: whether it went well, and what it said.
    fn ask(&self, words: &[&str]) -> (bool, String) {
        let output = Command::new(words[0])
            .args(&words[1..])
            .env("SLURM_CONF", self.folder.join("slurm.conf"))
            .env("CAMICIA", program())
            .current_dir(self.folder.join("work"))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        (output.status.success(), text + &errors)
    }

    /// Processes of the node, those of its jobs among them: they got their environment from it.
    fn processes_of_the_node(&self) -> Vec<Pid> {
        let wanted = format!("SLURM_CONF={}/slurm.conf", self.folder.display());
        let controller = ["slurmctld", "slurmscriptd"];
        let numbers = fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let name = entry.unwrap().file_name();
            name.to_str()?.parse::<i32>().ok()
        });
        numbers
            .filter(|number| {
                let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
                let name = fs::read_to_string(format!("/proc/{number}/comm")).unwrap_or_default();
                environment
                    .split(|&byte| byte == 0)
                    .any(|set| set == wanted.as_bytes())
                    && !controller.iter().any(|own| name.starts_with(own))
            })
            .filter_map(Pid::from_raw)
            .collect()
    }

    /// The node goes down with all that runs on it.
    fn kill_node(&mut self) {
        for process in self.processes_of_the_node() {
            let _ = kill_process(process, Signal::KILL);
        }
        if let Some(mut node) = self.node.take() {
            let _ = node.wait();
        }
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        self.kill_node();
        for daemon in [&mut self.controller, &mut self.munged] {
            let pid = Pid::from_child(daemon);
            let _ = kill_process(pid, Signal::TERM);
            let _ = daemon.wait();
        }
    }
}

#[test]
fn a_slurm_array_survives_a_signal_and_the_death_of_its_node_and_is_merged() {
    let place = Place::new();
    let folder = place.path("slurm");
    fs::create_dir_all(folder.join("work/search")).unwrap();
    let work = folder.join("work");
    fs::write(work.join("search/plan.toml"), plan("1.2e8")).unwrap();
    for script in ["slurm.sbatch", "slurm-merge.sbatch"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("search")
            .join(script);
        fs::copy(source, work.join("search").join(script)).unwrap();
    }
    let Some(mut slurm) = Slurm::start(&folder) else {
        return;
    };
    let (ok, job) = slurm.ask(&[
        "sbatch",
        "--parsable",
        "--array=0-3",
        "--cpus-per-task=1",
        "--time=10",
        "search/slurm.sbatch",
        "search/plan.toml",
    ]);
    let job = job.trim().to_owned();
    assert!(ok, "{job}");
    let (ok, merge) = slurm.ask(&[
        "sbatch",
        "--parsable",
        &format!("--dependency=afterok:{job}"),
        "search/slurm-merge.sbatch",
        "search/plan.toml",
    ]);
    assert!(ok, "{merge}");
    let log = |at: u8| {
        fs::read_to_string(work.join(format!("camicia-{job}_{at}.log"))).unwrap_or_default()
    };
    let state = |at: u8| work.join(format!("checkpoints/plan.{at}-of-4/state"));
    wait_until("states of all shards", || {
        (0..4).all(|at| state(at).exists())
    });
    // One task gets a signal: it saves, and queues itself again.
    let (ok, said) = slurm.ask(&["scancel", "--signal=TERM", &format!("{job}_1")]);
    assert!(ok, "{said}");
    wait_until("the task to stop", || log(1).contains("exit code 75"));
    // The node dies with all tasks, and comes back.
    slurm.kill_node();
    slurm.start_node();
    wait_until("the merge", || {
        sleep(Duration::from_millis(500));
        let (_, queue) = slurm.ask(&["squeue", "--noheader", "--format=%i %t %r"]);
        assert!(
            !queue.contains("NeverSatisfied"),
            "{queue}\n{}{}{}{}",
            log(0),
            log(1),
            log(2),
            log(3)
        );
        queue.trim().is_empty()
    });
    assert!(log(1).matches("shard 1/4, from the Slurm array").count() >= 2);
    let again: usize = (0..4)
        .map(|at| log(at).matches("going on from").count())
        .sum();
    assert!(again >= 2, "tasks went on from their states");
    drop(slurm);
    let entries = fs::read_dir(work.join("results")).unwrap();
    let merged = entries
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("merged-")
        })
        .expect("merged results");
    place.plan("plan.toml", &plan("1.2e8"));
    assert_eq!(results(&merged), whole(&place));
}
