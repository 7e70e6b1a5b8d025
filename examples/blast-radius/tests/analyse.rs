//! Lines and argument lists, and what is found in them.

use blast_radius::analyse::{Action, Command, Danger, Dir, GitAction, Target, analyse};
use std::path::Path;

fn shown(danger: &Danger) -> String {
    let target = |target: &Target| match target {
        Target::Path(path) => path.clone(),
        Target::Glob(pattern) => format!("glob:{pattern}"),
        Target::Unknown(text) => format!("unknown:{text}"),
    };
    let targets = |all: &[Target]| all.iter().map(target).collect::<Vec<_>>().join(" ");
    let action = match &danger.action {
        Action::Remove(remove) => {
            format!("{} {}", if remove.recursive { "rm-r" } else { "rm" }, targets(&remove.targets))
        }
        Action::Find { roots } => format!("find {}", targets(roots)),
        Action::Database { drops: false, .. } => "database".to_owned(),
        Action::Database { drops: true, .. } => "database drops".to_owned(),
        Action::Opaque { .. } => "opaque".to_owned(),
        Action::Git { place, action } => {
            let place = place.git_dir.as_ref().map(|dir| format!(" git-dir={dir}")).unwrap_or_default();
            let action = match action {
                GitAction::Reset { to } => format!("reset {to}"),
                GitAction::Clean { flags, paths } => {
                    format!("clean {} {}", flags.join(""), paths.join(" ")).trim().to_owned()
                }
                GitAction::Discard { from, paths } => {
                    format!(
                        "discard {}from {}",
                        paths.iter().map(|p| format!("{p} ")).collect::<String>(),
                        from.as_deref().unwrap_or("index")
                    )
                }
                GitAction::DiscardIfPath { name } => format!("discard-if-path {name}"),
                GitAction::DiscardAll => "discard-all".to_owned(),
                GitAction::DropStash { which } => format!("stash {}", which.as_deref().unwrap_or("all")),
                GitAction::DropBranches { names, to, remote } => {
                    let to = to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
                    format!("branch {}{to}{}", names.join(" "), if *remote { " remote" } else { "" })
                }
                GitAction::Push { remote, refs, mirror } => {
                    let refs: Vec<_> = refs
                        .iter()
                        .map(|r| format!("{}:{}", r.source.as_deref().unwrap_or(""), r.target))
                        .collect();
                    let mirror = if *mirror { " mirror" } else { "" };
                    format!("push {} {}{mirror}", remote.as_deref().unwrap_or("-"), refs.join(" "))
                        .trim()
                        .to_owned()
                }
                GitAction::Alias { name, rest } => format!("alias {name} {rest}").trim().to_owned(),
            };
            format!("git {action}{place}")
        }
    };
    match &danger.dir {
        Dir::Known { path, fallback: None } if path == Path::new("/w") => action,
        Dir::Known { path, fallback: None } => format!("{action} @{}", path.display()),
        Dir::Known { path, fallback: Some(other) } => {
            format!("{action} @{} else {}", path.display(), other.display())
        }
        Dir::Unknown(_) => format!("{action} @?"),
    }
}

fn found(command: Command<'_>) -> Vec<String> {
    analyse(command, Path::new("/w"), Some(Path::new("/home/ada"))).iter().map(shown).collect()
}

#[track_caller]
fn check(line: &str, expected: &[&str]) {
    assert_eq!(found(Command::Line(line)), expected, "in the line {line:?}");
}

#[test]
fn plain_removals() {
    check("rm -rf build", &["rm-r build"]);
    check("rm -r -f build", &["rm-r build"]);
    check("rm -f a b", &["rm a b"]);
    check("rm -R build", &["rm-r build"]);
    check("rm --recursive build", &["rm-r build"]);
    check("rm --recurs build", &["rm-r build"]);
    check("rm --force a", &["rm a"]);
    check("rm build -rf", &["rm-r build"]);
    check("rm -fr -- -x", &["rm-r -x"]);
    check("rm -vrf 'a b' c\\ d \"e f\"", &["rm-r a b c d e f"]);
    check("rm -rf ~/x $HOME/y \"${HOME}/z\"", &["rm-r /home/ada/x /home/ada/y /home/ada/z"]);
    check("rm -rf $PWD/x", &["rm-r /w/x"]);
    check("rm -rf *.o 'a*' b[0-9]? c[^x]", &["rm-r glob:*.o a* glob:b[0-9]? glob:c[!x]"]);
    check("rm -rf **/x", &["rm-r glob:*/x"]);
    check("rm -rf {a,b}/{1..3}", &["rm-r a/1 a/2 a/3 b/1 b/2 b/3"]);
    check("shred -u secret", &["rm secret"]);
}

#[test]
fn spellings_that_hide() {
    for line in [
        "\\rm -rf x",
        "/bin/rm -rf x",
        "\"rm\" -rf x",
        "r''m -rf x",
        "r\"\"m -r'f' x",
        "'r'm -\"rf\" x",
        "$'\\x72m' -rf x",
        "$'rm' $'-rf' x",
        "command rm -rf x",
        "builtin command rm -rf x",
        "exec rm -rf x",
        "exec -a ls rm -rf x",
        "sudo rm -rf x",
        "sudo -u bob -- rm -rf x",
        "sudo -EH rm -rf x",
        "sudo A=1 rm -rf x",
        "doas -u root rm -rf x",
        "env A=1 rm -rf x",
        "env -i -u HOME rm -rf x",
        "env -S 'rm -rf x'",
        "env -S'rm -rf' x",
        "A=1 B=2 rm -rf x",
        "nohup rm -rf x &",
        "time rm -rf x",
        "time -p rm -rf x",
        "! rm -rf x",
        "nice -n 5 rm -rf x",
        "nice -5 rm -rf x",
        "ionice -c3 rm -rf x",
        "timeout 5 rm -rf x",
        "timeout -s KILL 5s rm -rf x",
        "busybox rm -rf x",
        "setsid rm -rf x",
        "stdbuf -oL rm -rf x",
        "strace -f -o /tmp/t rm -rf x",
        "sh -c 'rm -rf x'",
        "bash -lc 'rm -rf x'",
        "bash -euxo pipefail -c 'rm -rf x'",
        "bash --norc -c 'rm -rf x'",
        "sudo sh -c 'rm -rf x'",
        "eval 'rm -rf x'",
        "eval rm -rf x",
        "eval \"rm\" '-rf x'",
        "(rm -rf x)",
        "{ rm -rf x; }",
        "((1)); rm -rf x",
        "true && rm -rf x",
        "false || rm -rf x",
        "true; rm -rf x",
        "true\nrm -rf x",
        "true & rm -rf x",
        "echo a | rm -rf x",
        "rm -rf x | cat",
        "if true; then rm -rf x; fi",
        "if rm -rf x; then :; fi",
        "if a; then :; elif rm -rf x; then :; fi",
        "if a; then :; else rm -rf x; fi",
        "while rm -rf x; do :; done",
        "until false; do rm -rf x; done",
        "for i in 1 2; do rm -rf x; done",
        "case a in a) rm -rf x;; esac",
        "f() { rm -rf x; }; f",
        "f() { rm -rf $1; }; f x",
        "function f { rm -rf \"$@\"; }; f x",
        "[[ -d x ]] && rm -rf x",
        "echo $(rm -rf x)",
        "echo \"`rm -rf x`\"",
        "A=$(rm -rf x)",
        "echo ${A:-$(rm -rf x)}",
        "cat <(rm -rf x)",
        "echo > >(rm -rf x)",
        "echo \"$((1 + $(rm -rf x)))\"",
        "D=x; rm -rf $D",
        "D=x && rm -rf \"$D\"",
        "export D=x; rm -rf ${D}",
        "A='-rf x'; rm $A",
        "R=rm; $R -rf x",
        "echo 'rm -rf x' | sh",
        "echo rm -rf x | sudo bash",
        "bash <<< 'rm -rf x'",
        "sh <<EOF\nrm -rf x\nEOF",
        "cat <<'EOF' | bash -s\nrm -rf x\nEOF",
        "printf 'rm -rf x' | sh",
        "rm \\\n -rf x",
        "rm -rf x # a comment",
        "rm>/dev/null -rf x",
        ">log rm -rf x",
        "rm -rf x 2>&1",
        "trap 'rm -rf x' EXIT",
        "watch 'rm -rf x'",
        "su -c 'rm -rf x' bob",
        "npx rm -rf x",
        "poetry run rm -rf x",
        "coproc rm -rf x",
        "sh -c 'rm -rf \"$1\"' sh x",
        "sh -c 'rm -rf $0' x | cat",
    ] {
        let all = found(Command::Line(line));
        let is_there = all.iter().any(|danger| danger == "rm-r x")
            // What `$0` is, is not followed, but it is held.
            || line.contains("$0") && all == ["rm-r unknown:$0"];
        assert!(is_there, "in the line {line:?} was found {all:?}");
    }
}

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
        "git push",
        "git push origin main",
        "git push -u origin main",
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
fn where_it_runs() {
    check("cd a && rm -rf x", &["rm-r x @/w/a"]);
    check("cd a; rm -rf x", &["rm-r x @/w/a else /w"]);
    check("set -e; cd a; rm -rf x", &["rm-r x @/w/a"]);
    check("cd a || exit 1; rm -rf x", &["rm-r x @/w/a else /w"]);
    check("cd a || true; rm -rf x", &["rm-r x @?"]);
    check("cd a/../b && rm -rf x", &["rm-r x @/w/b"]);
    check("cd /a && cd b && rm -rf x", &["rm-r x @/a/b"]);
    check("cd && rm -rf x", &["rm-r x @/home/ada"]);
    check("cd ~/p && rm -rf x", &["rm-r x @/home/ada/p"]);
    check("cd a && cd - && rm -rf x", &["rm-r x"]);
    check("cd $D && rm -rf x", &["rm-r x @?"]);
    check("cd \"$(mktemp -d)\" && rm -rf x", &["rm-r x @?"]);
    check("D=a; cd $D && rm -rf x", &["rm-r x @/w/a"]);
    check("(cd a && make); rm -rf x", &["rm-r x"]);
    check("cd a | cat; rm -rf x", &["rm-r x"]);
    check("pushd a && rm -rf x && popd && rm -rf y", &["rm-r x @/w/a", "rm-r y"]);
    check("popd && rm -rf x", &["rm-r x @?"]);
    check("if a; then cd b; fi; rm -rf x", &["rm-r x @?"]);
    check("for d in a b; do (cd $d && rm -rf x); done", &["rm-r x @/w/a", "rm-r x @/w/b"]);
    check("env -C a rm -rf x", &["rm-r x @/w/a"]);
    check("sudo -D /a rm -rf x", &["rm-r x @/a"]);
    check("sh -c 'cd a && rm -rf x'; rm -rf y", &["rm-r x @/w/a", "rm-r y"]);
    check("eval 'cd a' && rm -rf x", &["rm-r x @/w/a"]);
    check("f() { cd a; }; f; rm -rf x", &["rm-r x @/w/a else /w"]);
    check("git -C a reset --hard", &["git reset HEAD @/w/a"]);
    check("git -C a -C b reset --hard", &["git reset HEAD @/w/a/b"]);
    check("git --git-dir=/g/.git --work-tree /g reset --hard", &["git reset HEAD git-dir=/g/.git"]);
    check("GIT_DIR=/g git reset --hard", &["git reset HEAD git-dir=/g"]);
    check("export GIT_DIR=/g; git reset --hard", &["git reset HEAD git-dir=/g"]);
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
fn git_commands() {
    check("git reset --hard", &["git reset HEAD"]);
    check("git reset --hard HEAD~3", &["git reset HEAD~3"]);
    check("git reset --har origin/main -q", &["git reset origin/main"]);
    check("git -c x=y reset --hard", &["git reset HEAD"]);
    check("git --no-pager -c a=b --git-dir g reset --hard", &["git reset HEAD git-dir=g"]);
    check("/usr/bin/git reset --hard", &["git reset HEAD"]);
    check("git clean -fdx", &["git clean -f-d-x"]);
    check("git clean -f -d -X src 'a b'", &["git clean -f-d-X src a b"]);
    check("git clean -ffd -e '*.o' -- x", &["git clean -f-f-d--exclude=*.o x"]);
    check("git clean --force -d --exclude=a", &["git clean -d--exclude=a-f"]);
    check("git clean -i", &["git clean"]);
    check("git checkout -- .", &["git discard . from index"]);
    check("git checkout .", &["git discard . from index"]);
    check("git checkout -- a b", &["git discard a b from index"]);
    check("git checkout HEAD -- a", &["git discard a from HEAD"]);
    check("git checkout main a", &["git discard a from main"]);
    check("git checkout *.rs", &["git discard *.rs from index"]);
    check("git checkout main", &["git discard-if-path main"]);
    check("git checkout -f main", &["git discard-all"]);
    check("git checkout --force", &["git discard-all"]);
    check("git switch --discard-changes main", &["git discard-all"]);
    check("git switch -C a origin/a", &["git branch a to origin/a"]);
    check("git restore .", &["git discard . from index"]);
    check("git restore --source=HEAD~1 a", &["git discard a from HEAD~1"]);
    check("git restore -s HEAD a b", &["git discard a b from HEAD"]);
    check("git restore -SW .", &["git discard . from HEAD"]);
    check("git stash drop", &["git stash stash@{0}"]);
    check("git stash drop 2", &["git stash stash@{2}"]);
    check("git stash clear", &["git stash all"]);
    check("git branch -D a b", &["git branch a b"]);
    check("git branch --delete --force a", &["git branch a"]);
    check("git branch -df a", &["git branch a"]);
    check("git branch -Dr origin/a", &["git branch origin/a remote"]);
    check("git branch -f a HEAD~2", &["git branch a to HEAD~2"]);
    check("git yolo --now", &["git alias yolo --now"]);
    check("git -c alias.y='reset --hard' y HEAD~1", &["git reset HEAD~1"]);
    check("git -c 'alias.y=!rm -rf' y x", &["rm-r x"]);
}

#[test]
fn forced_pushes() {
    check("git push --force", &["git push -"]);
    check("git push -f origin main", &["git push origin main:main"]);
    check("git push -fu origin main", &["git push origin main:main"]);
    check("git push --force-with-lease origin a:b", &["git push origin a:b"]);
    check("git push --force-with-lease=main:abc origin", &["git push origin"]);
    check("git push origin +main", &["git push origin main:main"]);
    check("git push origin a +b:refs/heads/c", &["git push origin b:c"]);
    check("git push --mirror backup", &["git push backup  mirror"]);
    check("git push --delete origin a b", &["git push origin :a :b"]);
    check("git push origin -d a", &["git push origin :a"]);
    check("git push origin :a", &["git push origin :a"]);
    check("git push --prune origin 'refs/heads/*'", &["git push origin  mirror"]);
    check("git push -o ci.skip -f origin main", &["git push origin main:main"]);
}

#[test]
fn databases() {
    for line in [
        "rails db:migrate",
        "bin/rails db:migrate",
        "bundle exec rails db:migrate",
        "RAILS_ENV=production rake db:migrate",
        "alembic upgrade head",
        "python -m alembic downgrade -1",
        "poetry run alembic upgrade head",
        "python manage.py migrate",
        "./manage.py migrate app",
        "uv run python manage.py migrate",
        "npx prisma migrate deploy",
        "pnpm exec prisma db push",
        "diesel migration run",
        "diesel migration redo",
        "sqlx migrate revert",
        "cargo sqlx migrate run",
        "flyway -url=jdbc:x migrate",
        "knex migrate:latest",
        "yarn knex migrate:rollback",
        "flask db upgrade",
        "dotnet ef database update",
        "php artisan migrate --force",
        "mix ecto.migrate",
        "php bin/console doctrine:migrations:migrate",
        "goose -dir m up",
        "migrate -path db -database x up",
        "cd a && rails db:migrate",
    ] {
        let all = found(Command::Line(line));
        assert!(
            matches!(all.as_slice(), [one] if one.starts_with("database") && !one.contains("drops")),
            "{line:?}: {all:?}"
        );
    }
    for line in [
        "rails db:drop",
        "rake db:reset",
        "rails db:drop db:create db:migrate",
        "python3 manage.py flush --no-input",
        "prisma migrate reset",
        "flyway clean",
        "dropdb site",
        "sudo -u postgres dropdb site",
        "mysqladmin -f drop site",
        "php artisan migrate:fresh",
        "psql -c 'DROP TABLE users'",
        "sqlite3 a.db 'delete from users;'",
        "psql -d x -c 'truncate users'",
    ] {
        let all = found(Command::Line(line));
        assert_eq!(all, ["database drops"], "{line:?}");
    }
    check("docker compose exec web rails db:migrate", &["opaque @?"]);
    check("kubectl exec -it pod -- python manage.py migrate", &["opaque @?"]);
}

#[test]
fn exact_arguments_are_not_expanded() {
    let check = |words: &[&str], expected: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(found(Command::Exact(&words)), expected, "in {words:?}");
    };
    check(&["rm", "-rf", "*", "$X", "~", "a b\nc"], &["rm-r * $X ~ a b\nc"]);
    check(&["sh", "-c", "rm -rf *"], &["rm-r glob:*"]);
    check(&["sudo", "rm", "-rf", "x"], &["rm-r x"]);
    check(&["ls", "&&", "rm", "-rf", "x"], &[]);
    check(&["echo", "$(rm -rf x)"], &[]);
    check(&["git", "-C", "/a", "clean", "-fd"], &["git clean -f-d @/a"]);
    check(&[], &[]);
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

#[test]
fn the_command_is_shown_as_it_was_written() {
    let of = |line: &str| analyse(Command::Line(line), Path::new("/w"), None)[0].command.clone();
    assert_eq!(of("cd a && sudo rm -rf 'b c' && ls"), "rm -rf 'b c'");
    assert_eq!(of("ls | xargs -0 rm -rf"), "xargs -0 rm -rf");
    assert_eq!(of("git -C a reset --hard"), "git -C a reset --hard");
    let exact = analyse(
        Command::Exact(&["rm".to_owned(), "-rf".to_owned(), "a b".to_owned()]),
        Path::new("/w"),
        None,
    );
    assert_eq!(exact[0].command, "rm -rf 'a b'");
    assert!(!exact[0].after_others);
    assert!(analyse(Command::Line("make && rm -rf x"), Path::new("/w"), None)[0].after_others);
    assert!(!analyse(Command::Line("cd a && echo b && rm -rf x"), Path::new("/w"), None)[0].after_others);
}
