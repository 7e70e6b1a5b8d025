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
