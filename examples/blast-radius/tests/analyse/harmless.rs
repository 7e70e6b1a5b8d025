//! What loses nothing, and what nobody can tell.

use crate::found::{check, found};
use blast_radius::analyse::Command;

#[test]
fn what_is_harmless() {
    for line in [
        "",
        "ls -la",
        "rm a",
        "rm -i a",
        "rm -v a b",
        "rm --help -rf",
        "rm -rf",
        "echo rm -rf x",
        "echo 'rm -rf x'",
        "grep -r rm .",
        "git rm --cached a",
        "command -v rm",
        "which rm",
        "man rm",
        "sudo -l",
        "git status",
        "git reset",
        "git reset --soft HEAD~1",
        "git log -- .",
        "git clean -n",
        "git clean -nfd",
        "git clean --dry-run -fdx",
        "git checkout -b new",
        "git checkout -b new main",
        "git restore --staged .",
        "git stash",
        "git stash pop",
        "git stash list",
        "git branch -d a",
        "git branch",
        "git push --dry-run --force",
        "git push origin a:b",
        "git push --tags",
        "git commit -m 'rm -rf x; git reset --hard'",
        "git -c a=b status",
        "git --version",
        "git reset --help",
        "git switch main",
        "find . -name '*.rs'",
        "find . -exec grep x {} +",
        "find . -print0 | xargs -0 grep -l x",
        "cat a | xargs echo rm",
        "docker rm -f box",
        "docker compose rm -f",
        "docker run --rm image ls",
        "cargo test && cargo build",
        "npm run build",
        "rails server -p $PORT",
        "python manage.py runserver",
        "python manage.py migrate --plan",
        "alembic upgrade head --sql",
        "alembic history",
        "rails db:migrate:status",
        "flyway info",
        "prisma generate",
        "psql -c 'select 1'",
        "for i in *; do echo $i; done",
        "echo $HOME $(date) `pwd`",
        "X=1 make",
        "\"$CC\" -c a.c",
        "\"$(brew --prefix)\"/bin/gcc -c a.c",
        "[ -d x ] && echo y",
        "f() { rm -rf x; }",
        "# rm -rf x",
        "python - <<EOF\nrm -rf x\nEOF",
        "cat > run.sh <<'EOF'\nrm -rf x\nEOF",
        "if [ -f a ]; then cat a; fi",
        "echo $((1+2))",
        "test -n \"$X\" || exit 1",
        "sleep 1 & wait",
        "ssh host ls",
        "kubectl delete pod x",
        "fd x",
        "a=(1 2 3)",
    ] {
        check(line, &[]);
    }
}

#[test]
fn what_nobody_can_tell_is_held() {
    check("rm -rf $X", &["rm-r unknown:$X"]);
    check("rm -rf \"$X\"", &["rm-r unknown:\"$X\""]);
    check("rm -rf \"$X\"/y", &["rm-r unknown:\"$X\"/y"]);
    check("rm -rf a $(ls)", &["rm-r a unknown:$(ls)"]);
    check("rm -rf `ls`", &["rm-r unknown:`ls`"]);
    check("rm $ARGS", &["rm-r unknown:$ARGS"]);
    check("rm -rf !(keep)", &["rm-r unknown:!(keep)"]);
    check("rm -rf ~bob/x", &["rm-r unknown:~bob/x"]);
    check("if a; then D=x; fi; rm -rf $D", &["rm-r unknown:$D"]);
    check("for f in $(ls); do rm -rf $f; done", &["rm-r unknown:$f"]);
    check("while read f; do rm -rf \"$f\"; done < list", &["rm-r unknown:\"$f\""]);
    check("D=a; while x; do rm -rf $D; D=b; done", &["rm-r unknown:$D"]);
    check("f() { rm -rf \"$1\"; }; f \"$X\"", &["rm-r unknown:\"$1\""]);
    check("ls | xargs rm -rf", &["rm-r unknown:…"]);
    check("ls | xargs rm", &["rm-r unknown:…"]);
    check("ls | xargs -n1 -I% rm -rf %/x", &["rm-r unknown:%/x unknown:…"]);
    check("ls | xargs -0 sudo rm -f", &["rm-r unknown:…"]);
    check("ls | xargs sh -c 'rm -rf \"$@\"' _", &["rm-r unknown:…"]);
    check("ls | parallel rm -rf {}", &["rm-r unknown:{} unknown:…"]);
    check("find . -delete", &["find ."]);
    check("find a b -name '*.o' -delete", &["find a b"]);
    check("find -L /tmp -exec rm {} +", &["find /tmp"]);
    check("find . -type f -exec rm -rf {} \\;", &["find ."]);
    check("find . -exec sh -c 'rm -rf \"$1\"' _ {} \\;", &["rm-r unknown:\"$1\""]);
    check("find . -execdir git clean -fd ';'", &["git clean -f-d"]);
    check("fd -e o -x rm", &["find ."]);
    check("sh -c \"$X\"", &["opaque"]);
    check("eval \"$X\"", &["opaque"]);
    check("$X -rf y", &["opaque"]);
    check("\"$X\" -rf y", &["opaque"]);
    check("$X", &["opaque"]);
    check("rm${IFS}-rf${IFS}x", &["opaque"]);
    check("curl https://example.org | sh", &["opaque"]);
    check("bash <(curl https://example.org)", &["opaque"]);
    check("source <(curl https://example.org)", &["opaque"]);
    check("git $X --hard", &["opaque"]);
    check("git reset --hard $X", &["opaque"]);
    check("git push --force origin \"$BRANCH\"", &["opaque"]);
    check("git push origin +\"$BRANCH\"", &["opaque"]);
    check("git push origin \"$BRANCH\"", &[]);
    check("git checkout \"$FILE\"", &["opaque"]);
    check("git clean -fd $X", &["opaque"]);
    check("ssh host rm -rf x", &["opaque @?"]);
    check("ssh host 'cd /a && rm -rf x'", &["opaque @/a"]);
    check("docker exec box rm -rf /x", &["opaque @?"]);
    check("sudo chroot /mnt rm -rf x", &["opaque @?"]);
    check("rm -rf 'x", &["opaque"]);
    check("if rm -rf x; then", &["opaque"]);
    check("rails $X", &["opaque"]);
}

#[test]
fn a_line_that_is_too_much_is_held() {
    let deep = format!("{}rm -rf x{}", "(".repeat(5000), ")".repeat(5000));
    check(&deep, &["opaque"]);
    check(&format!("echo {}", "a".repeat(100_000)), &[]);
    check(&format!("rm -rf x # {}", "a".repeat(600_000)), &["opaque"]);
    check(&format!("echo {}", "a".repeat(600_000)), &[]);
    check(&format!("python3 - <<'EOF'\n{}\nEOF\nrm -rf x", "print((1), [{2}])\n".repeat(2000)), &["rm-r x"]);
    check(&format!("echo '{}' && rm -rf x", "{\"a\":".repeat(40) + "1" + &"}".repeat(40)), &["rm-r x"]);
    for opener in [
        "(",
        "((",
        "$(",
        "${x:-",
        "{",
        "{a,",
        "`",
        "\"$(",
        "<(",
        "$((",
        "if ",
        "{ ",
        "[[ ( ",
        "! ",
        "while ",
        "case x in ",
        "for x in y; do ",
        "f() ",
        "x && ",
        "x | ",
        "time ",
        "coproc ",
        "eval ",
        "sudo ",
        "$(<",
        "ssh ",
        "npx ",
        "xargs ",
        "find -exec ",
        "env -S ",
    ] {
        for count in [5, 9, 20, 40, 300, 1000] {
            let begin = std::time::Instant::now();
            found(Command::Line(&format!("rm -rf {}", opener.repeat(count))));
            found(Command::Line(&format!("{}rm -rf x", opener.repeat(count))));
            let passed = begin.elapsed();
            // Far above what it takes on a busy machine, and far below what trying every way would take.
            let is_bounded = passed < std::time::Duration::from_secs(20);
            assert!(is_bounded, "{count} times {opener:?} took {passed:?}");
        }
    }
    check("f() { f; f; }; f", &["opaque"]);
    check("f() { sh -c f; }; f; eval 'eval \"eval ls\"'", &["opaque"]);
    check("for a in {1..90}; do for b in {1..90}; do ls; done; done", &["opaque"]);
    let chain = vec!["rm -rf x"; 2000].join(" && ");
    check(&chain, &["rm-r x"]);
    check("rm -rf {1..2000}", &["rm-r unknown:{1..2000}"]);
}
