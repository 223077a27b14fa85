//! The keeper: a small process that starts bots, hands their streams to the referee, and ends them
//! and everything they leave behind.
//!
//! Why a process of its own: a bot may fork children, and children that leave its session, and the
//! referee itself may be killed without a word. Being the adopter (*child subreaper*) of all that its
//! bots bring forth, the keeper sees every orphan among its own children, and being a process of its
//! own, it outlives the referee just long enough to end them all: the socket to the referee is its
//! lifeline. Should the keeper itself be killed, its bots die with it (see `launch`).
//!
//! One keeper serves one game thread. Requests and replies are JSON, one packet each.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, WaitOptions, getpid, getsid,
    kill_process, kill_process_group, pidfd_open, pidfd_send_signal, set_child_subreaper, waitid,
    waitpid,
};
use serde::{Deserialize, Serialize};

use super::bot::Program;
use super::launch::{LAUNCH, LaunchOrder};
use super::limits::BotLimits;

/// The first argument of a keeper.
pub(in crate::referee) const KEEPER: &str = "__keeper";
/// The largest request: a command line has to fit.
const PACKET: usize = 128 * 1024;
/// How long the end of a killed process is awaited. Only a process that hangs in the kernel needs it.
const KILLED_PATIENCE: Duration = Duration::from_secs(5);
/// How long what bots left behind is hunted.
const SWEEP_PATIENCE: Duration = Duration::from_secs(5);

#[derive(Serialize, Deserialize)]
enum KeeperRequest {
    Start {
        program: Program,
        limits: BotLimits,
        isolate: bool,
    },
    AwaitExec {
        pid: i32,
        patience_ms: u64,
    },
    Finish {
        pids: Vec<i32>,
        grace_ms: u64,
    },
}

#[derive(Serialize, Deserialize)]
enum KeeperReply {
    /// The process runs; its streams and its process descriptor come along.
    Started {
        pid: i32,
    },
    /// Whether the bot's own program runs in the process by now.
    Execed(bool),
    Finished(Vec<Fate>),
    Failed(String),
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::referee) enum Fate {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, not sent by the keeper.
    Signaled(i32),
    /// By the keeper.
    Killed,
}

/// The streams of a started process, seen from the referee.
pub(in crate::referee) struct Started {
    pub pid: i32,
    pub stdin: OwnedFd,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    /// Readable once the process has ended.
    pub process: OwnedFd,
}

/// The referee's end of a keeper. Dropping it ends the keeper and everything it kept.
pub(in crate::referee) struct Keeper {
    socket: Option<OwnedFd>,
    child: Child,
    buffer: Vec<u8>,
}

impl Keeper {
    /// Starts a keeper from `program`, an executable whose `main` calls [`inner`](crate::referee::inner).
    pub fn start(program: &Path) -> io::Result<Keeper> {
        let (ours, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        let child = Command::new(program)
            .arg0("camicia")
            .arg(KEEPER)
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            // Out of reach of the terminal's Ctrl-C: the referee decides.
            .process_group(0)
            .spawn()?;
        Ok(Keeper {
            socket: Some(ours),
            child,
            buffer: vec![0; PACKET],
        })
    }

    /// Starts a bot, held apart from everything else on request.
    pub fn launch(
        &mut self,
        program: &Program,
        limits: BotLimits,
        isolate: bool,
    ) -> io::Result<Started> {
        let request = KeeperRequest::Start {
            program: program.clone(),
            limits,
            isolate,
        };
        let (reply, fds) = self.request(&request)?;
        let KeeperReply::Started { pid } = reply else {
            return Err(unexpected(reply));
        };
        let [stdin, stdout, stderr, process]: [OwnedFd; 4] = fds.try_into().map_err(|_| {
            io::Error::other(
                "the keeper lost a stream; are there enough file descriptors (ulimit -n)?",
            )
        })?;
        Ok(Started {
            pid,
            stdin,
            stdout,
            stderr,
            process,
        })
    }

    /// Waits until the bot's own program runs in the process `pid`; false when it does not after
    /// `patience`, or has ended before.
    pub fn await_exec(&mut self, pid: i32, patience: Duration) -> io::Result<bool> {
        let request = KeeperRequest::AwaitExec {
            pid,
            patience_ms: patience.as_millis() as u64,
        };
        match self.request(&request)?.0 {
            KeeperReply::Execed(done) => Ok(done),
            reply => Err(unexpected(reply)),
        }
    }

    /// Ends these processes, their sessions and what they left behind; each may take up to `grace` to
    /// end by itself first. Their fates come in the order of `pids`.
    pub fn finish(&mut self, pids: Vec<i32>, grace: Duration) -> io::Result<Vec<Fate>> {
        let request = KeeperRequest::Finish {
            pids,
            grace_ms: grace.as_millis() as u64,
        };
        match self.request(&request)?.0 {
            KeeperReply::Finished(fates) => Ok(fates),
            reply => Err(unexpected(reply)),
        }
    }

    fn request(&mut self, request: &KeeperRequest) -> io::Result<(KeeperReply, Vec<OwnedFd>)> {
        let socket = self.socket.as_ref().expect("taken by drop only");
        let gone = |error: Errno| {
            io::Error::other(format!(
                "the keeper of the bots is gone ({error}); was it killed?"
            ))
        };
        send(socket.as_fd(), request, &[]).map_err(gone)?;
        let (reply, fds) = receive(socket.as_fd(), &mut self.buffer)
            .map_err(gone)?
            .ok_or_else(|| gone(Errno::PIPE))?;
        if let KeeperReply::Failed(why) = reply {
            return Err(io::Error::other(why));
        }
        Ok((reply, fds))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.socket = None;
        let _ = self.child.wait();
    }
}

fn unexpected(_: KeeperReply) -> io::Error {
    io::Error::other("the keeper of the bots answered something else; is it another version?")
}

/// Serves a referee until it is gone, then ends everything.
pub(in crate::referee) fn serve() -> ExitCode {
    // A signal meant for the whole program must not end the keeper before its bots. The flags are
    // never read: the lifeline alone counts.
    for signal in [
        signal_hook::consts::SIGINT,
        signal_hook::consts::SIGTERM,
        signal_hook::consts::SIGHUP,
    ] {
        let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
    }
    if set_child_subreaper(Some(getpid())).is_err() {
        return ExitCode::FAILURE;
    }
    let stdin = io::stdin();
    let socket = stdin.as_fd();
    let mut kept = Kept::default();
    let mut buffer = vec![0; PACKET];
    while let Ok(Some((request, _))) = receive::<KeeperRequest>(socket, &mut buffer) {
        let (reply, streams) = kept.answer(request);
        let borrowed: Vec<BorrowedFd> = streams.iter().map(AsFd::as_fd).collect();
        if send(socket, &reply, &borrowed).is_err() {
            break;
        }
    }
    let pids = kept.bots.keys().copied().collect();
    kept.finish(pids, Duration::ZERO);
    ExitCode::SUCCESS
}

/// The bots of a keeper that were not finished yet, by process id, with their descriptors. None of
/// them is reaped before it is finished, so that an id stands for the same process all the while.
#[derive(Default)]
struct Kept {
    bots: BTreeMap<i32, OwnedFd>,
}

impl Kept {
    fn answer(&mut self, request: KeeperRequest) -> (KeeperReply, Vec<OwnedFd>) {
        match request {
            KeeperRequest::Start {
                program,
                limits,
                isolate,
            } => match self.start(program, limits, isolate) {
                Ok((pid, streams)) => (KeeperReply::Started { pid }, streams),
                Err(error) => (
                    KeeperReply::Failed(format!("cannot start a process: {error}")),
                    Vec::new(),
                ),
            },
            KeeperRequest::AwaitExec { pid, patience_ms } => (
                KeeperReply::Execed(self.await_exec(pid, Duration::from_millis(patience_ms))),
                Vec::new(),
            ),
            KeeperRequest::Finish { pids, grace_ms } => (
                KeeperReply::Finished(self.finish(pids, Duration::from_millis(grace_ms))),
                Vec::new(),
            ),
        }
    }

    fn start(
        &mut self,
        program: Program,
        limits: BotLimits,
        isolate: bool,
    ) -> io::Result<(i32, Vec<OwnedFd>)> {
        let order = LaunchOrder {
            program,
            limits,
            isolate,
            keeper: getpid().as_raw_nonzero().get(),
        };
        // This very program, even if its file was replaced meanwhile.
        let mut child = Command::new("/proc/self/exe")
            .arg0("camicia")
            .arg(LAUNCH)
            .arg(serde_json::to_string(&order)?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let pid = child.id() as i32;
        let process = pidfd_open(process_id(pid), PidfdFlags::empty())?;
        let streams = vec![
            OwnedFd::from(child.stdin.take().expect("piped")),
            OwnedFd::from(child.stdout.take().expect("piped")),
            OwnedFd::from(child.stderr.take().expect("piped")),
            process.try_clone()?,
        ];
        self.bots.insert(pid, process);
        Ok((pid, streams))
    }

    fn await_exec(&self, pid: i32, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let path = format!("/proc/{pid}/cmdline");
        while self
            .bots
            .get(&pid)
            .is_some_and(|process| !ended(process.as_fd(), Duration::ZERO))
        {
            // Between fork and exec the line may still be the keeper's own.
            let ours = |line: &[u8]| {
                let second = line.split(|&byte| byte == 0).nth(1);
                line.is_empty()
                    || second == Some(LAUNCH.as_bytes())
                    || second == Some(KEEPER.as_bytes())
            };
            if fs::read(&path).is_ok_and(|line| !ours(&line)) {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }

    fn finish(&mut self, pids: Vec<i32>, grace: Duration) -> Vec<Fate> {
        let until = Instant::now() + grace;
        let finished: Vec<Option<(i32, OwnedFd, bool)>> = pids
            .into_iter()
            .map(|pid| {
                let process = self.bots.remove(&pid)?;
                let left = until.saturating_duration_since(Instant::now());
                let by_itself = ended(process.as_fd(), left);
                // The group's id is the leader's until the leader is reaped, below.
                let _ = kill_process_group(process_id(pid), Signal::KILL);
                let _ = pidfd_send_signal(&process, Signal::KILL);
                Some((pid, process, by_itself))
            })
            .collect();
        let fates = finished
            .iter()
            .map(|bot| {
                let Some((_, process, by_itself)) = bot else {
                    return Fate::Killed;
                };
                if !ended(process.as_fd(), KILLED_PATIENCE) {
                    return Fate::Killed;
                }
                let status = waitid(
                    WaitId::PidFd(process.as_fd()),
                    WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
                );
                fate(status.ok().flatten(), *by_itself)
            })
            .collect();
        self.sweep();
        fates
    }

    /// Ends every process that a finished bot left behind: all children of the keeper that are
    /// neither a bot nor of a living bot's session. Ending one may make the keeper the parent of its
    /// children, so that is repeated until none is left.
    fn sweep(&self) {
        let until = Instant::now() + SWEEP_PATIENCE;
        loop {
            let mut found = false;
            for child in children() {
                let pid = process_id(child);
                let of_living = getsid(Some(pid))
                    .is_ok_and(|session| self.bots.contains_key(&session.as_raw_nonzero().get()));
                if self.bots.contains_key(&child) || of_living {
                    continue;
                }
                found = true;
                let _ = kill_process(pid, Signal::KILL);
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
            if !found || Instant::now() >= until {
                return;
            }
            thread::sleep(Duration::from_micros(200));
        }
    }
}

/// Whether a process has ended, after waiting for it for at most `patience`.
fn ended(process: BorrowedFd, patience: Duration) -> bool {
    let until = Instant::now() + patience;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: left.as_secs() as i64,
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&timeout)) {
            Err(Errno::INTR) => {}
            result => return result.is_ok_and(|ready| ready > 0),
        }
    }
}

/// What a status means, for a process that was killed by the keeper if not `by_itself`.
fn fate(status: Option<WaitIdStatus>, by_itself: bool) -> Fate {
    let Some(status) = status else {
        return Fate::Killed;
    };
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Fate::Exited(code),
        (None, Some(signal)) if by_itself => Fate::Signaled(signal),
        _ => Fate::Killed,
    }
}

/// The children of this process, the ended ones too.
fn children() -> Vec<i32> {
    let own = getpid().as_raw_nonzero().get();
    // One thread, so one list. Kernels without it have the slow way.
    if let Ok(list) = fs::read_to_string(format!("/proc/self/task/{own}/children")) {
        return list
            .split_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .collect();
    }
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| parent(*pid) == Some(own))
        .collect()
}

/// The parent of a process: the second field after the name, which stands in parentheses.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let after = stat.iter().rposition(|&byte| byte == b')')? + 1;
    std::str::from_utf8(&stat[after..])
        .ok()?
        .split_whitespace()
        .nth(1)?
        .parse()
        .ok()
}

fn process_id(pid: i32) -> Pid {
    Pid::from_raw(pid).expect("a process id is not 0")
}

fn send<T: Serialize>(socket: BorrowedFd, message: &T, fds: &[BorrowedFd]) -> Result<(), Errno> {
    let bytes = serde_json::to_vec(message).map_err(|_| Errno::INVAL)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(fds));
    }
    rustix::io::retry_on_intr(|| {
        sendmsg(
            socket,
            &[IoSlice::new(&bytes)],
            &mut ancillary,
            SendFlags::NOSIGNAL,
        )
    })
    .map(|_| ())
}

/// The next packet, or `None` when the other side is gone.
fn receive<T: for<'a> Deserialize<'a>>(
    socket: BorrowedFd,
    buffer: &mut [u8],
) -> Result<Option<(T, Vec<OwnedFd>)>, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::io::retry_on_intr(|| {
        recvmsg(
            socket,
            &mut [IoSliceMut::new(buffer)],
            &mut ancillary,
            RecvFlags::CMSG_CLOEXEC,
        )
    })?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let fds = ancillary
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(fds) => Some(fds),
            _ => None,
        })
        .flatten()
        .collect();
    let message = serde_json::from_slice(&buffer[..received.bytes]).map_err(|_| Errno::BADMSG)?;
    Ok(Some((message, fds)))
}
