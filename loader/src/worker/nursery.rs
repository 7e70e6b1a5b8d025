//! The host's handle of its nursery: one thread that starts it when it is first needed, hands it the requests, and
//! starts another when it was killed. The thread lives as long as the handle, since the kernel ends the nursery with
//! the thread that started it; it is never one of an async runtime.

use super::fence::{Descendants, Fence};
use super::inside::{NURSERY, WITHOUT_NAMESPACES, is_nursery};
use super::{SpawnError, socket};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a nursery may take to start, or to take a request.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a nursery may go without being woken, where a worker can stop it.
const SILENCE: Duration = Duration::from_secs(1);

/// Starts programs. Cheap to clone; when the last clone and the last process are dropped, the nursery ends.
#[derive(Debug, Clone)]
pub struct Nursery {
    jobs: Sender<Job>,
}

/// What the thread is to do: see that there is a nursery, and give it a request.
struct Job {
    request: Option<Handed>,
    answer: oneshot::Sender<Result<Fence, SpawnError>>,
}

/// A request as it goes over the socket.
pub(super) struct Handed {
    pub(super) body: Vec<u8>,
    pub(super) descriptors: Vec<OwnedFd>,
}

impl Nursery {
    /// Returns the nursery of this process. Nothing is started before the first program is.
    pub fn shared() -> Nursery {
        static SHARED: OnceLock<Nursery> = OnceLock::new();
        SHARED.get_or_init(|| Nursery::tended(true)).clone()
    }

    /// Returns a nursery of its own that uses no namespaces, as where the kernel gives none.
    pub fn without_namespaces() -> Nursery {
        Nursery::tended(false)
    }

    fn tended(with_namespaces: bool) -> Nursery {
        let (jobs, given) = mpsc::channel();
        // Without a thread the other end of the channel is gone, which each job will tell.
        let _ = thread::Builder::new()
            .name("pintle-nursery".to_owned())
            .spawn(move || tend(with_namespaces, &given));
        Nursery { jobs }
    }

    /// Tells what will hold workers. Starts the nursery, but no worker.
    pub async fn fence(&self) -> Result<Fence, SpawnError> {
        self.ask(None).await
    }

    pub(super) async fn ask(&self, request: Option<Handed>) -> Result<Fence, SpawnError> {
        let (answer, answered) = oneshot::channel();
        let gone = || SpawnError::Nursery { source: io::Error::other("its thread is gone") };
        self.jobs.send(Job { request, answer }).map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }
}

/// A nursery that runs.
struct Running {
    process: Child,
    control: OwnedFd,
    fence: Fence,
}

fn tend(with_namespaces: bool, jobs: &Receiver<Job>) {
    let mut running = None;
    while let Some(Job { request, answer }) = next(jobs, running.as_ref()) {
        // Whoever asked may have given up meanwhile.
        let _ = answer.send(perform(&mut running, with_namespaces, request.as_ref()));
    }
    running.into_iter().for_each(Running::end);
}

/// Waits for a job; `None` when there will be no other. Where a worker can stop the nursery, it is woken meanwhile.
fn next(jobs: &Receiver<Job>, running: Option<&Running>) -> Option<Job> {
    let Some(nursery) = running.filter(|nursery| nursery.can_be_stopped()) else {
        return jobs.recv().ok();
    };
    loop {
        match jobs.recv_timeout(SILENCE) {
            Ok(job) => return Some(job),
            Err(RecvTimeoutError::Timeout) => nursery.wake(),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

fn perform(
    running: &mut Option<Running>,
    with_namespaces: bool,
    request: Option<&Handed>,
) -> Result<Fence, SpawnError> {
    if let Some(nursery) = running {
        if nursery.is_alive() && nursery.take(request).is_ok() {
            return Ok(nursery.fence);
        }
        running.take().into_iter().for_each(Running::end);
    }
    let nursery = running.insert(Running::start(with_namespaces)?);
    nursery.take(request).map_err(|source| SpawnError::Nursery { source })?;
    Ok(nursery.fence)
}

impl Running {
    fn start(with_namespaces: bool) -> Result<Running, SpawnError> {
        if is_nursery() {
            return Err(SpawnError::NotEntered);
        }
        let failed = |source: io::Error| SpawnError::Nursery { source };
        let (control, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
                .map_err(|error| failed(error.into()))?;
        for direction in [Timeout::Recv, Timeout::Send] {
            set_socket_timeout(&control, direction, Some(PATIENCE)).map_err(|error| failed(error.into()))?;
        }
        let mut command = Command::new("/proc/self/exe");
        command.arg0(NURSERY).env_clear().current_dir("/");
        if !with_namespaces {
            command.arg(WITHOUT_NAMESPACES);
        }
        let process =
            command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(failed)?;
        // The command holds the nursery's end of the socket, by whose end one sees that the nursery is gone.
        drop(command);
        let mut nursery =
            Running { process, control, fence: Fence { descendants: Descendants::Subreaper { errno: 0 } } };
        match nursery.greeting() {
            Some(Ok(descendants)) => {
                nursery.fence = Fence { descendants };
                Ok(nursery)
            }
            Some(Err(errno)) if errno != 0 => {
                nursery.end();
                Err(failed(io::Error::from_raw_os_error(errno)))
            }
            Some(Err(_)) | None => {
                nursery.end();
                Err(SpawnError::NotEntered)
            }
        }
    }

    fn greeting(&self) -> Option<Result<Descendants, i32>> {
        let mut said = [0; Descendants::LENGTH];
        let (is_whole, _) = socket::receive_exact(&self.control, &mut said).ok()?;
        is_whole.then_some(said).and_then(Descendants::from_bytes)
    }

    fn is_alive(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Without a namespace a worker can see the nursery.
    fn can_be_stopped(&self) -> bool {
        match self.fence.descendants {
            Descendants::PidNamespace { .. } => false,
            Descendants::Subreaper { .. } => true,
        }
    }

    /// Lets the nursery go on, if it runs: the number is its own until it is waited for, which only this thread does.
    fn wake(&self) {
        let _ = kill_process(Pid::from_child(&self.process), Signal::CONT);
    }

    fn take(&self, request: Option<&Handed>) -> io::Result<()> {
        let Some(Handed { body, descriptors }) = request else {
            return Ok(());
        };
        self.wake();
        let length = u32::try_from(body.len()).map_err(io::Error::other)?.to_le_bytes();
        let descriptors: Vec<_> = descriptors.iter().map(|descriptor| descriptor.as_fd()).collect();
        socket::send(&self.control, &length, &descriptors)?;
        Ok(socket::send_all(&self.control, body)?)
    }

    /// Ends the nursery, and with it all that it started.
    fn end(mut self) {
        drop(self.control);
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
