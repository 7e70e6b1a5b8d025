//! What looks like a secret. Looks at names and at contents; errs towards refusing, since a person can always name
//! the file that is meant to be shipped, and can't take back one that was.

use crate::archive::{MAX_UNPACKED, SourceFile};
use crate::store::fs::FsError;
use pintle_manifest::PackagePath;
use std::fs::File;
use std::io::Read as _;

/// Names a file that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` looks like {kind}")]
pub struct Secret {
    /// The file.
    pub path: PackagePath,
    /// What it looks like.
    pub kind: SecretKind,
}

/// Says what kind of secret a file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretKind {
    /// `.env` and its kin.
    #[error("a file of environment secrets")]
    Environment,
    /// A private key, by name or content.
    #[error("a private key")]
    PrivateKey,
    /// A store of keys, such as `*.p12`.
    #[error("a key store")]
    KeyStore,
    /// A credential for a package registry, a git server or another machine.
    #[error("a file with a password or token")]
    Credentials,
    /// A credential of a cloud.
    #[error("a file of cloud credentials")]
    Cloud,
    /// A text in the shape of a token that a known service issues.
    #[error("a file with an access token")]
    Token,
}

/// How much of a file is looked at together; longer than any shape that is looked for.
const WINDOW: usize = 64 << 10;
/// How much of the window is kept for the next one.
const OVERLAP: usize = 512;

/// Finds all files that look like secrets, at most one finding a file.
pub fn find_secrets(files: &[SourceFile]) -> Result<Vec<Secret>, FsError> {
    let mut secrets = Vec::new();
    for file in files {
        let kind = match by_name(&file.path) {
            Some(kind) => Some(kind),
            None => by_content(file)?,
        };
        secrets.extend(kind.map(|kind| Secret { path: file.path.clone(), kind }));
    }
    Ok(secrets)
}

fn by_name(path: &PackagePath) -> Option<SecretKind> {
    let name = path.file_name().to_ascii_lowercase();
    let (_, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    match (name.as_str(), extension) {
        (".env", _) => Some(SecretKind::Environment),
        (name, "example" | "sample" | "template") if name.starts_with(".env.") => None,
        (name, _) if name.starts_with(".env.") => Some(SecretKind::Environment),
        ("id_rsa" | "id_dsa" | "id_ecdsa" | "id_ed25519" | "id_ecdsa_sk" | "id_ed25519_sk", _) => {
            Some(SecretKind::PrivateKey)
        }
        (_, "p12" | "pfx" | "keystore" | "jks" | "ppk") => Some(SecretKind::KeyStore),
        (".netrc" | "_netrc" | ".git-credentials", _) => Some(SecretKind::Credentials),
        (_, _) => None,
    }
}

/// Looks through a whole file, a window at a time.
fn by_content(file: &SourceFile) -> Result<Option<SecretKind>, FsError> {
    let failed = FsError::new("read", &file.from);
    let mut from = File::open(&file.from).map_err(FsError::new("open", &file.from))?;
    let size = from.metadata().map_err(FsError::new("look at", &file.from))?.len();
    if size > MAX_UNPACKED {
        // It can't be part of any package, which is said elsewhere; to read all of it would only take long.
        return Ok(None);
    }
    let in_file = file_patterns(&file.path);
    let (mut window, mut is_first) = (Vec::with_capacity(WINDOW), true);
    loop {
        let kept = window.len();
        let room = (WINDOW - kept) as u64;
        if let Err(error) = (&mut from).take(room).read_to_end(&mut window) {
            return Err(failed(error));
        }
        let is_last = window.len() < WINDOW;
        let found = look(&window, is_first, is_last).or_else(|| {
            // A compiled file may well hold such a word, and is no place where anyone keeps a password.
            let lower = (!window.contains(&0)).then(|| window.to_ascii_lowercase())?;
            in_file.iter().find(|(word, _)| has_value(&lower, word.as_bytes())).map(|(_, kind)| *kind)
        });
        if found.is_some() || is_last {
            return Ok(found);
        }
        is_first = false;
        window.drain(..WINDOW - OVERLAP);
    }
}

/// Words that, followed by a value, make a file of this name a secret.
fn file_patterns(path: &PackagePath) -> &'static [(&'static str, SecretKind)] {
    let name = path.file_name().to_ascii_lowercase();
    let parent = path.as_str().rsplit('/').nth(1);
    match name.as_str() {
        ".npmrc" | ".yarnrc" | ".yarnrc.yml" => &[
            ("_authtoken", SecretKind::Credentials),
            ("_password", SecretKind::Credentials),
            ("_auth", SecretKind::Credentials),
            ("npmauthtoken", SecretKind::Credentials),
        ],
        ".pypirc" => &[("password", SecretKind::Credentials)],
        "credentials.toml" => &[("token", SecretKind::Credentials)],
        "credentials" if parent == Some(".cargo") => &[("token", SecretKind::Credentials)],
        _ => &[("aws_secret_access_key", SecretKind::Cloud)],
    }
}

/// Tells whether `word` stands there with `=` or `:` and a value that is not a variable.
fn has_value(text: &[u8], word: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| {
        let Some(at) = find(line, word) else { return false };
        let rest = line[at + word.len()..].trim_ascii();
        let Some((b'=' | b':', value)) = rest.split_first() else { return false };
        let value: &[u8] = value.trim_ascii();
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        !value.is_empty() && !value.starts_with(b"$") && !value.starts_with(b"\"")
    })
}

/// Looks for shapes that are secret in any file. A shape that begins in the part kept for the next window is left
/// to it.
fn look(window: &[u8], is_first: bool, is_last: bool) -> Option<SecretKind> {
    let is_text = !window.contains(&0);
    let end = if is_last { window.len() } else { window.len() - OVERLAP / 2 };
    let start = if is_first { 0 } else { 1 };
    (start..end).find_map(|at| {
        let rest = &window[at..];
        let kind = match rest[0] {
            b'-' => is_private_key(rest, is_text).then_some(SecretKind::PrivateKey),
            b'A' | b'g' | b'x' | b's' => is_token(rest).then_some(SecretKind::Token),
            _ => None,
        };
        kind.filter(|_| rest[0] == b'-' || at == 0 || !is_word(window[at - 1]))
    })
}

/// Text with the first line of a private key is one. A program may hold that line because it reads keys, so there
/// a line of the key itself must follow.
fn is_private_key(rest: &[u8], is_text: bool) -> bool {
    let Some(label) = rest.strip_prefix(b"-----BEGIN ") else { return false };
    let label = &label[..label.len().min(64)];
    let Some(at) = find(label, b"PRIVATE KEY") else { return false };
    if !label[..at].iter().all(|byte| byte.is_ascii_uppercase() || *byte == b' ') {
        return false;
    }
    let behind = &rest[b"-----BEGIN ".len() + at + b"PRIVATE KEY".len()..];
    let behind = behind.strip_prefix(b" BLOCK").unwrap_or(behind);
    let Some(behind) = behind.strip_prefix(b"-----") else { return false };
    let body = behind.trim_ascii_start();
    let is_body = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    is_text || (body.len() < behind.len() && body.iter().take_while(|byte| is_body(byte)).count() >= 24)
}

/// The shapes of tokens, as their issuers document them: what each begins with, how many characters follow at least.
const TOKENS: [(&[u8], usize); 12] = [
    (b"AKIA", 16),
    (b"ASIA", 16),
    (b"ghp_", 36),
    (b"gho_", 36),
    (b"ghu_", 36),
    (b"ghs_", 36),
    (b"ghr_", 36),
    (b"github_pat_", 22),
    (b"xoxa-", 10),
    (b"xoxb-", 10),
    (b"xoxp-", 10),
    (b"sk_live_", 16),
];

fn is_token(rest: &[u8]) -> bool {
    TOKENS.iter().any(|(prefix, least)| {
        let Some(body) = rest.strip_prefix(*prefix) else { return false };
        let is_key_id = *least == 16 && prefix.len() == 4;
        let fits = |byte: &u8| match is_key_id {
            true => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            false => is_word(*byte) || (*byte == b'-' && prefix.ends_with(b"-")),
        };
        let length = body.iter().take_while(|byte| fits(byte)).count();
        match is_key_id {
            // The documentation of that cloud writes its keys so that they end in this word.
            true => length == 16 && !body[..length].ends_with(b"EXAMPLE"),
            false => length >= *least,
        }
    })
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}

#[cfg(test)]
mod tests {
    use super::{SecretKind, find_secrets};
    use crate::archive::SourceFile;
    use pintle_manifest::PackagePath;

    fn check(path: &str, content: &[u8], expected: Option<SecretKind>) {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("content");
        crate::store::fs::write_atomic(&from, content).unwrap();
        let file = SourceFile { path: PackagePath::parse(path).unwrap(), from, executable: false };
        let found = find_secrets(&[file]).unwrap();
        assert_eq!(found.first().map(|secret| secret.kind), expected, "{path}: {}", content.escape_ascii());
    }

    #[test]
    fn secrets_are_known_by_name() {
        for path in [".env", "config/.env.production", ".ENV.local"] {
            check(path, b"", Some(SecretKind::Environment));
        }
        for path in [".env.example", ".env.sample", "env", "environment.ts", "id_rsa.pub", "key.pem", "a.key"]
        {
            check(path, b"", None);
        }
        check("keys/id_ed25519", b"", Some(SecretKind::PrivateKey));
        check("release.p12", b"", Some(SecretKind::KeyStore));
        check("android.keystore", b"", Some(SecretKind::KeyStore));
        check(".netrc", b"", Some(SecretKind::Credentials));
        check("home/.git-credentials", b"", Some(SecretKind::Credentials));
    }

    #[test]
    fn secrets_are_known_by_content() {
        let dashes = "-----";
        let key =
            |label: &str| format!("x\n{dashes}BEGIN {label}{dashes}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n");
        check("server.pem", key("PRIVATE KEY").as_bytes(), Some(SecretKind::PrivateKey));
        check("notes.txt", key("OPENSSH PRIVATE KEY").as_bytes(), Some(SecretKind::PrivateKey));
        check("old.key", key("PGP PRIVATE KEY BLOCK").as_bytes(), Some(SecretKind::PrivateKey));
        check("cert.pem", key("CERTIFICATE").as_bytes(), None);
        let program = format!("\0\0{dashes}BEGIN PRIVATE KEY{dashes}\0{dashes}END");
        check("bin/tool", program.as_bytes(), None);
        check("bin/tool", format!("\0{}", key("RSA PRIVATE KEY")).as_bytes(), Some(SecretKind::PrivateKey));

        check(".npmrc", b"//r/:_authToken=abc\n", Some(SecretKind::Credentials));
        check(".npmrc", b"//r/:_authToken=${NPM_TOKEN}\nregistry=x\n", None);
        check(".npmrc", b"//r/:_password = \"abc\"\n", Some(SecretKind::Credentials));
        check(".pypirc", b"[pypi]\nusername: me\npassword: hunter2\n", Some(SecretKind::Credentials));
        check(".pypirc", b"[pypi]\nusername: me\npassword:\n", None);
        check(".cargo/credentials.toml", b"[registry]\ntoken = \"abc\"\n", Some(SecretKind::Credentials));
        check("aws/config", b"[d]\naws_secret_access_key = abc\n", Some(SecretKind::Cloud));
    }

    #[test]
    fn tokens_are_known_by_their_shape() {
        let token = |prefix: &str, length: usize| format!("let t = \"{prefix}{}\";", "A1".repeat(length / 2));
        for (prefix, length) in
            [("AKIA", 16), ("ghp_", 36), ("github_pat_", 22), ("xoxb-", 12), ("xoxp-", 12), ("sk_live_", 24)]
        {
            check("main.mjs", token(prefix, length).as_bytes(), Some(SecretKind::Token));
            check("main.mjs", token(prefix, 6).as_bytes(), None);
            check("main.mjs", token(&format!("x{prefix}"), length).as_bytes(), None);
        }
        check("README.md", b"AKIAIOSFODNN7EXAMPLE", None);
        let across = [vec![b' '; (64 << 10) - 10], token("ghp_", 36).into_bytes(), vec![b' '; 100]].concat();
        check("big.txt", &across, Some(SecretKind::Token));
        for shift in [200, 256, 400, 511, 512, 513] {
            let far =
                [vec![b' '; (64 << 10) - shift], token("ghp_", 36).into_bytes(), vec![b' '; 70_000]].concat();
            check("big.txt", &far, Some(SecretKind::Token));
        }
    }
}
