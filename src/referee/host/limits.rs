//! What a bot may use, as limits that the kernel keeps for each of its processes.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// What a bot may use, all its processes for themselves. `None` leaves what the system allows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BotLimits {
    /// Memory in bytes (address space).
    pub memory: Option<u64>,
    /// Processor time in seconds.
    pub cpu: Option<u64>,
    /// The size of any file it writes, in bytes.
    pub file: Option<u64>,
    /// Processes and threads of the user who runs the match. Not kept for root.
    pub processes: Option<u64>,
}

impl BotLimits {
    /// Sets them for this process.
    pub(in crate::referee) fn apply(&self) -> Result<(), String> {
        let limits = [
            (Resource::Core, Some(0), "core files"),
            (Resource::As, self.memory, "memory"),
            (Resource::Cpu, self.cpu, "processor time"),
            (Resource::Fsize, self.file, "file size"),
            (Resource::Nproc, self.processes, "processes"),
        ];
        for (resource, limit, name) in limits {
            let Some(limit) = limit else { continue };
            let allowed = getrlimit(resource).maximum;
            let limit = Some(allowed.map_or(limit, |allowed| allowed.min(limit)));
            let rlimit = Rlimit {
                current: limit,
                maximum: limit,
            };
            setrlimit(resource, rlimit).map_err(|error| format!("limit of {name}: {error}"))?;
        }
        Ok(())
    }
}
