//! What git and databases lose.

use crate::found::{check, found};
use blast_radius::analyse::Command;

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
fn git_commands_below_the_usual_ones() {
    check("git rm -f a", &["git discard a from HEAD"]);
    check("git rm -rf .", &["git discard . from HEAD"]);
    check("git rm -r a", &[]);
    check("git rm -rf --cached .", &[]);
    check("git rm -n -f a", &[]);
    check("git rm -rf \"$X\"", &["opaque"]);
    check("git read-tree --reset -u HEAD", &["git discard-all"]);
    check("git read-tree -u --reset HEAD", &["git discard-all"]);
    check("git read-tree -m -u HEAD", &["git discard-all"]);
    check("git read-tree -mu HEAD", &["git discard-all"]);
    check("git read-tree -m -u HEAD main", &[]);
    check("git read-tree HEAD", &[]);
    check("git checkout-index -f -a", &["git discard :/ from index"]);
    check("git checkout-index -fu -- a b", &["git discard a b from index"]);
    check("git checkout-index -a", &[]);
    check("git checkout-index -f -a --prefix=out/", &[]);
    check("git checkout -f -b new", &["git discard-all"]);
    check("git checkout -bfix", &[]);
    check("git checkout -B a origin/a", &["git branch a to origin/a"]);
    check("git checkout -", &[]);
    check("git checkout -- --help .", &["git discard --help . from index"]);
    check("git reset --keep HEAD~3", &["git branch HEAD to HEAD~3"]);
    check("git update-ref -d refs/heads/a", &["git branch a"]);
    check("git update-ref refs/heads/a HEAD~1", &["git branch a to HEAD~1"]);
    check("git update-ref -m why refs/heads/a HEAD~1", &["git branch a to HEAD~1"]);
    check(
        "git update-ref --stdin <<EOF\ndelete refs/heads/a\nupdate refs/heads/b HEAD~1\nEOF",
        &["git branch a", "git branch b to HEAD~1"],
    );
    check("cat x | git update-ref --stdin", &["opaque"]);
    check("git symbolic-ref -d refs/x", &["git branch refs/x"]);
    check("git symbolic-ref HEAD", &[]);
    check("git tag -d a b", &["git branch refs/tags/a refs/tags/b"]);
    check("git tag -f a", &["git branch refs/tags/a"]);
    check("git tag a", &[]);
    check("git fetch origin +a:b", &["git branch b"]);
    check("git fetch -f origin a:b", &["git branch b"]);
    check("git pull origin +a:b", &["git branch b"]);
    check("git fetch -f origin a:refs/remotes/origin/a", &[]);
    check("git fetch origin a:b", &[]);
    check("git worktree remove --force ../a", &["git worktree ../a"]);
    check("git worktree remove -f a", &["git worktree a"]);
    check("git worktree remove a", &[]);
    check("git worktree add -B a ../a", &["git branch a"]);
    check("git submodule deinit -f --all", &["git submodules :/"]);
    check("git submodule deinit -f a", &["git submodules a"]);
    check("git submodule deinit a", &[]);
    check("git reflog expire --expire=now --all", &["git forget reflog"]);
    check("git reflog delete HEAD@{1}", &["git forget reflog"]);
    check("git reflog expire --all", &[]);
    check("git reflog expire -n --expire=now --all", &[]);
    check("git gc --prune=now", &["git forget objects now"]);
    check("git -c gc.pruneExpire=now -c gc.reflogExpire=now gc", &["git forget objects now reflog"]);
    check("git gc --aggressive", &[]);
    check("git prune", &["git forget objects now"]);
    check("git prune --expire=1.day", &["git forget objects 1.day"]);
    check("git prune -n", &[]);
    check("git filter-branch --tree-filter 'rm -f a' HEAD", &["git rewrite"]);
    check("git filter-repo --path a", &["git rewrite for good"]);
    check("git-filter-repo --path a", &["git rewrite for good"]);
    check("git filter-repo --analyze", &[]);
    check("git-reset --hard", &["git reset HEAD"]);
    check("/usr/lib/git-core/git-reset --hard", &["git reset HEAD"]);
}

#[test]
fn commands_that_git_runs() {
    for line in [
        "git bisect run rm -rf x",
        "git rebase -x 'rm -rf x' main",
        "git rebase --exec='rm -rf x' main",
        "git difftool -x 'rm -rf x'",
        "git -c core.pager='rm -rf x' log",
        "git -c core.sshCommand='rm -rf x' fetch",
        "git -c credential.helper='!rm -rf x' fetch",
        "GIT_SEQUENCE_EDITOR='rm -rf x' git rebase -i main",
        "EDITOR='rm -rf x' git commit",
    ] {
        check(line, &["rm-r x"]);
    }
    check("git submodule foreach 'git reset --hard'", &["git reset HEAD @?"]);
    check("git submodule foreach --recursive git clean -fd", &["git clean -f-d @?"]);
    check("git for-each-repo --config=a.b reset --hard", &["git reset HEAD @?"]);
    check("git submodule foreach git pull", &[]);
    check("git bisect run cargo test", &[]);
}

#[test]
fn settings_and_aliases_that_the_line_gives() {
    check("git -c alias.y='reset --hard' y", &["git reset HEAD"]);
    check("git -c ALIAS.Y='reset --hard' y", &["git reset HEAD"]);
    check("git config alias.y 'reset --hard'; git y", &["git reset HEAD"]);
    check("git config --global alias.y '!rm -rf' && git y x", &["rm-r x"]);
    check("git config set alias.y '!rm -rf x' && git y", &["rm-r x"]);
    check("A='reset --hard' git --config-env=alias.y=A y", &["git reset HEAD"]);
    check(
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.y GIT_CONFIG_VALUE_0='reset --hard' git y",
        &["git reset HEAD"],
    );
    check("git --git-dir=g -c alias.y='reset --hard' y", &["git reset HEAD git-dir=g"]);
    check("git config --get alias.y", &[]);
    check("git config alias.y '!rm -rf x'", &[]);
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
    check("git send-pack --force host:x a", &["git push host:x a:a"]);
    check("git send-pack host:x +a:b", &["git push host:x a:b"]);
    check("git send-pack --mirror host:x", &["git push host:x  mirror"]);
    check("git send-pack host:x a", &[]);
    check("git http-push --force https://x a", &["git push https://x a:a"]);
}

#[test]
fn pushes_that_settings_may_force() {
    check("git push", &["git push-as-set -"]);
    check("git push origin main", &["git push-as-set origin main"]);
    check("git push -u origin main", &["git push-as-set origin main"]);
    check("git push origin a:b c", &["git push-as-set origin c"]);
    check("git push origin a:b", &[]);
    check("git push --tags", &[]);
    check("git push --dry-run", &[]);
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
fn what_a_client_of_a_database_is_told_is_read() {
    for line in [
        "psql -c 'DROP TABLE users'",
        "psql --command='drop table users'",
        "psql -d x -c 'truncate users'",
        "psql -c 'truncate table \"users\"'",
        "psql -c 'drop owned by ada'",
        "psql -c 'drop role ada'",
        "psql -c 'alter table users drop column mail'",
        "psql -c 'alter table users drop mail'",
        "psql -c 'drop/**/table users'",
        "psql -c 'drop -- now\n table users'",
        "psql -c 'delete from users'",
        "psql -c 'delete from a; select 1 from b where c'",
        "psql -c \"delete from a; select 'where'\"",
        "psql -c 'delete from a -- where'",
        "psql -c 'update users set mail = null'",
        "psql -c \"select '--'; drop table users\"",
        "psql -c \"do 'begin execute ''drop table users''; end'\"",
        "psql -c \"drop table $T\"",
        "psql <<< 'drop table users'",
        "psql <<< \"drop table $T\"",
        "psql <<END\nselect 1;\ndrop table users;\nEND",
        "psql x <<END\ndrop table $T;\nEND",
        "echo 'drop table users' | sqlite3 x.db",
        "echo \"drop table $T\" | sqlite3 x.db",
        "printf 'drop table %s;\\n' users | sqlite3 x.db",
        "cat <<END | mysql site\ndelete from users;\nEND",
        "sqlite3 a.db 'delete from users;'",
        "mysql -e '/*! drop table users */'",
        "mysql -e \"insert into t values('it\\\\'s'); drop table x; insert into t values('b')\"",
        "mysql -e 'delete users from users join b'",
        "wrangler d1 execute site --command 'drop table users'",
        "redis-cli FLUSHALL",
        "redis-cli -n 2 flushdb async",
        "echo flushall | redis-cli",
        "mongosh site --eval 'db.dropDatabase()'",
        "mongosh --eval 'db.users.deleteMany( {} )'",
        "mongo <<END\ndb.users.drop()\nEND",
    ] {
        assert_eq!(found(Command::Line(line)), ["database drops"], "{line:?}");
    }
    check("psql -c \"$SQL\"", &["opaque"]);
    check("psql -c '\\! rm -rf a'", &["rm-r a"]);
    check("sqlite3 x.db '.shell rm -rf a'", &["rm-r a"]);
    for line in [
        "psql -c 'select 1'",
        "psql -c 'delete from users where id = 1'",
        "psql -c \"delete from users where id = $ID\"",
        "psql -c \"update users set mail = 'drop table x' where id = 1\"",
        "psql -c \"insert into notes values ('drop table users')\"",
        "psql -c 'alter table users alter mail drop not null'",
        "psql -c 'drop index by_mail'",
        "psql -c 'create table a (b int references c on update cascade on delete set null)'",
        "psql -c 'insert into a values (1) on conflict (b) do update set c = 2'",
        "psql -c 'select * from a for update'",
        "psql -c 'select 1 -- drop table users'",
        "psql -f schema.sql",
        "psql < schema.sql",
        "pg_dump a | psql b",
        "mysql -e 'select truncate(1.5, 1)'",
        "echo 'select 1' | sqlite3 x.db",
        "redis-cli get flushed",
        "mongosh --eval 'db.users.find({})'",
        "wrangler delete",
    ] {
        check(line, &[]);
    }
}
