//! Starting a program: what it gets is made here, the nursery is asked, and the keeper's first report is awaited.

use super::explain::explain;
use super::nursery::Handed;
use super::process::{Process, Worker};
use super::report::{Failure, Report, Stage};
use super::request::{self, Request, Start};
use super::spec::{Exec, Program, SCOPE_VARIABLE, Setting, Streams};
use super::tether::Tether;
use super::{Nursery, SpawnError};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use std::ffi::{CString, OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a start may take, with the loading of a library. A host that wants it shorter drops the future.
const PATIENCE: Duration = Duration::from_secs(30);

impl Nursery {
    /// Starts a worker. Must be awaited in a tokio runtime with I/O and time.
    ///
    /// Tries a second time when the nursery was killed while it started something. A library's constructors run before
    /// this returns. Dropping the future ends whatever was started.
    pub async fn spawn(&self, program: &Program, setting: &Setting) -> Result<Worker, SpawnError> {
        let start = match program {
            Program::Exec(exec) => execute(exec, setting)?,
            Program::Open { exec, .. } => match execute(exec, setting)? {
                Start::Exec { path, arguments } => Start::Open { path, arguments },
                other @ (Start::Open { .. } | Start::Native) => other,
            },
            Program::Native { .. } => Start::Native,
        };
        let request = request(start, setting)?;
        match self.spawn_once(program, setting, &request).await {
            Err(SpawnError::Lost) => self.spawn_once(program, setting, &request).await,
            other => other,
        }
    }

    async fn spawn_once(
        &self,
        program: &Program,
        setting: &Setting,
        request: &Request,
    ) -> Result<Worker, SpawnError> {
        let (theirs_from, to) = pipe()?;
        let (from, theirs_to) = pipe()?;
        let (stdout, theirs_stdout) = pipe()?;
        let (stderr, theirs_stderr) = pipe()?;
        let mut handed = vec![null()?, theirs_stdout, theirs_stderr, theirs_from, theirs_to];
        match program {
            Program::Native { library: last } | Program::Open { file: last, .. } => handed.push(copy(last)?),
            Program::Exec(_) => {}
        }
        let process = self.start(request, setting, handed).await?;
        Ok(Worker { process, to, from, stdout, stderr })
    }

    /// Starts a tool: any program, with these standard streams, that does not speak the protocol.
    pub async fn run(&self, exec: &Exec, setting: &Setting, streams: Streams) -> Result<Process, SpawnError> {
        let request = request(execute(exec, setting)?, setting)?;
        let copies = || Ok(vec![copy(&streams.stdin)?, copy(&streams.stdout)?, copy(&streams.stderr)?]);
        match self.start(&request, setting, copies()?).await {
            Err(SpawnError::Lost) => self.start(&request, setting, copies()?).await,
            other => other,
        }
    }

    async fn start(
        &self,
        request: &Request,
        setting: &Setting,
        mut handed: Vec<OwnedFd>,
    ) -> Result<Process, SpawnError> {
        let (status, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .map_err(|error| host("a socket", error.into()))?;
        handed.insert(0, theirs);
        // From here on whatever was started ends with the future.
        let tether = Tether::new(status).map_err(|source| host("a watch of a socket", source))?;
        let started = async move {
            let fence = self.ask(Some(Handed { body: request.encode(), descriptors: handed })).await?;
            tether.set_fence(fence);
            match tether.report().await {
                Some((Report::Failed(failure), _)) => Err(meaning(failure, request)),
                Some((Report::Started { pid, started }, descriptors)) => {
                    let program = descriptors.into_iter().next().ok_or(SpawnError::Lost)?;
                    let scope = setting.scope.clone();
                    Ok(Process::new(self.clone(), fence, tether, scope, (pid, started), program))
                }
                Some((Report::Kept | Report::Ended(_), _)) | None => Err(SpawnError::Lost),
            }
        };
        tokio::time::timeout(PATIENCE, started).await.unwrap_or(Err(SpawnError::Timeout { after: PATIENCE }))
    }
}

fn meaning(Failure { stage, errno, text }: Failure, request: &Request) -> SpawnError {
    let source = io::Error::from_raw_os_error(errno);
    let step = match stage {
        Stage::Execute => {
            return match &request.program {
                Start::Exec { path, .. } | Start::Open { path, .. } => explain(path_of(path), source),
                Start::Native => SpawnError::Prepare { step: "execute", source },
            };
        }
        Stage::Directory => {
            return SpawnError::Directory { path: path_of(&request.directory), source };
        }
        Stage::Library => return SpawnError::Library { message: text },
        Stage::Keeper => "fork",
        Stage::Session => "session",
        Stage::Limits => "limits",
        Stage::Descriptors => "descriptors",
    };
    SpawnError::Prepare { step, source }
}

fn path_of(text: &CString) -> PathBuf {
    PathBuf::from(OsString::from_vec(text.as_bytes().to_vec()))
}

fn request(program: Start, setting: &Setting) -> Result<Request, SpawnError> {
    let mut environment = Vec::new();
    for (name, value) in &setting.environment {
        if name != SCOPE_VARIABLE {
            environment.push(variable(name, value)?);
        }
    }
    environment.push(variable(OsStr::new(SCOPE_VARIABLE), OsStr::new(&setting.scope))?);
    let directory = text("the directory", setting.directory.as_os_str())?;
    let request = Request { program, directory, environment, limits: setting.limits };
    if request.encode().len() > request::LONGEST {
        return Err(SpawnError::Prepare { step: "arguments", source: rustix::io::Errno::TOOBIG.into() });
    }
    Ok(request)
}

fn variable(name: &OsStr, value: &OsStr) -> Result<CString, SpawnError> {
    let mut whole = name.to_owned();
    whole.push("=");
    whole.push(value);
    text("a variable", &whole)
}

fn execute(exec: &Exec, setting: &Setting) -> Result<Start, SpawnError> {
    let path = locate(&exec.path, setting)?;
    let arguments =
        exec.arguments.iter().map(|argument| text("an argument", argument)).collect::<Result<_, _>>()?;
    Ok(Start::Exec { path: text("the path", path.as_os_str())?, arguments })
}

/// Looks a bare name up in the `PATH` of the program. Empty and relative parts of it are left out: they would mean
/// whatever lies in the working directory.
fn locate(path: &Path, setting: &Setting) -> Result<PathBuf, SpawnError> {
    if path.as_os_str().as_bytes().contains(&b'/') {
        return Ok(path.to_owned());
    }
    let searched = setting.environment.iter().rfind(|(name, _)| name == "PATH");
    let searched = searched.map(|(_, value)| value.clone()).unwrap_or_default();
    std::env::split_paths(&searched)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(path))
        .find(|file| file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok())
        .ok_or_else(|| SpawnError::NotOnPath { name: path.to_owned(), searched })
}

fn text(what: &'static str, text: &OsStr) -> Result<CString, SpawnError> {
    CString::new(text.as_bytes()).map_err(|_| SpawnError::ZeroByte { what, text: text.to_owned() })
}

fn host(what: &'static str, source: io::Error) -> SpawnError {
    SpawnError::Host { what, source }
}

fn pipe() -> Result<(OwnedFd, OwnedFd), SpawnError> {
    pipe_with(PipeFlags::CLOEXEC).map_err(|error| host("a pipe", error.into()))
}

fn copy(descriptor: &OwnedFd) -> Result<OwnedFd, SpawnError> {
    descriptor.as_fd().try_clone_to_owned().map_err(|source| host("a copy of a descriptor", source))
}

fn null() -> Result<OwnedFd, SpawnError> {
    let file: io::Result<File> = OpenOptions::new().read(true).write(true).open("/dev/null");
    file.map(OwnedFd::from).map_err(|source| host("an empty input", source))
}
