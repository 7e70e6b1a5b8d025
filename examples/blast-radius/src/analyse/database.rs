//! Programs that change a database: the migrations of the usual frameworks, and what drops whole databases.

use super::danger::Action;
use super::reader::Reader;
use super::shell::Shell;
use super::word::{Word, joined};

/// A program, what it is asked to do, and how bad that is.
struct Tool {
    programs: &'static [&'static str],
    /// Words that must follow, in this order; the last may be one of several, and `*` at its end stands for anything.
    before: &'static [&'static str],
    changes: &'static [&'static str],
    drops: &'static [&'static str],
    migrations: &'static [&'static str],
}

const TOOLS: &[Tool] = &[
    Tool {
        programs: &["rails", "rake"],
        before: &[],
        changes: &["db:migrate", "db:migrate:*", "db:rollback", "db:forward", "db:prepare", "db:abort_if*"],
        drops: &[
            "db:drop",
            "db:drop:*",
            "db:reset",
            "db:reset:*",
            "db:migrate:reset",
            "db:schema:load",
            "db:structure:load",
            "db:seed:replant",
            "db:truncate_all",
            "db:purge",
            "db:purge:*",
            "db:setup",
        ],
        migrations: &["db/migrate"],
    },
    Tool {
        programs: &["alembic"],
        before: &[],
        changes: &["upgrade", "downgrade"],
        drops: &[],
        migrations: &["alembic/versions", "migrations/versions"],
    },
    Tool {
        programs: &["flask", "quart"],
        before: &["db"],
        changes: &["upgrade", "downgrade"],
        drops: &[],
        migrations: &["migrations/versions"],
    },
    Tool {
        programs: &["aerich"],
        before: &[],
        changes: &["upgrade", "downgrade"],
        drops: &[],
        migrations: &["migrations"],
    },
    Tool {
        programs: &["manage.py", "django-admin", "django"],
        before: &[],
        changes: &["migrate"],
        drops: &["flush", "reset_db", "sqlflush"],
        migrations: &["*/migrations", "migrations"],
    },
    Tool {
        programs: &["prisma"],
        before: &["migrate"],
        changes: &["deploy", "dev", "resolve"],
        drops: &["reset"],
        migrations: &["prisma/migrations"],
    },
    Tool {
        programs: &["prisma"],
        before: &["db"],
        changes: &["push", "execute"],
        drops: &[],
        migrations: &["prisma/migrations"],
    },
    Tool {
        programs: &["diesel"],
        before: &["migration"],
        changes: &["run", "redo", "revert"],
        drops: &[],
        migrations: &["migrations"],
    },
    Tool {
        programs: &["diesel"],
        before: &["database"],
        changes: &["setup"],
        drops: &["reset", "drop"],
        migrations: &["migrations"],
    },
    Tool {
        programs: &["sqlx"],
        before: &["migrate"],
        changes: &["run", "revert"],
        drops: &[],
        migrations: &["migrations"],
    },
    Tool {
        programs: &["sqlx"],
        before: &["database"],
        changes: &["setup"],
        drops: &["drop", "reset"],
        migrations: &["migrations"],
    },
    Tool {
        programs: &["sea-orm-cli", "sea"],
        before: &["migrate"],
        changes: &["up", "down"],
        drops: &["fresh", "refresh", "reset"],
        migrations: &["migration/src"],
    },
    Tool {
        programs: &["flyway"],
        before: &[],
        changes: &["migrate", "undo", "repair"],
        drops: &["clean"],
        migrations: &["src/main/resources/db/migration", "sql", "db/migration"],
    },
    Tool {
        programs: &["liquibase"],
        before: &[],
        changes: &["update", "rollback*", "update-to-tag", "update-count"],
        drops: &["drop-all", "dropAll"],
        migrations: &["src/main/resources/db/changelog", "changelog"],
    },
    Tool {
        programs: &["knex"],
        before: &[],
        changes: &["migrate:latest", "migrate:up", "migrate:down", "migrate:rollback"],
        drops: &[],
        migrations: &["migrations", "db/migrations"],
    },
    Tool {
        programs: &["typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm"],
        before: &[],
        changes: &["migration:run", "migration:revert", "schema:sync"],
        drops: &["schema:drop"],
        migrations: &["src/migrations", "src/migration", "migrations"],
    },
    Tool {
        programs: &["sequelize", "sequelize-cli"],
        before: &[],
        changes: &["db:migrate", "db:migrate:*"],
        drops: &["db:drop"],
        migrations: &["migrations"],
    },
    Tool {
        programs: &["drizzle-kit"],
        before: &[],
        changes: &["push", "push:*", "migrate"],
        drops: &["drop"],
        migrations: &["drizzle"],
    },
    Tool {
        programs: &["goose"],
        before: &[],
        changes: &["up", "up-to", "up-by-one", "down", "down-to", "redo"],
        drops: &["reset"],
        migrations: &["migrations", "db/migrations"],
    },
    Tool {
        programs: &["migrate"],
        before: &[],
        changes: &["up", "down", "goto", "force"],
        drops: &["drop"],
        migrations: &["migrations", "db/migrations"],
    },
    Tool {
        programs: &["dbmate"],
        before: &[],
        changes: &["up", "migrate", "rollback", "down"],
        drops: &["drop"],
        migrations: &["db/migrations"],
    },
    Tool {
        programs: &["atlas"],
        before: &["migrate"],
        changes: &["apply", "down"],
        drops: &[],
        migrations: &["migrations"],
    },
    Tool {
        programs: &["atlas"],
        before: &["schema"],
        changes: &["apply"],
        drops: &["clean"],
        migrations: &["migrations"],
    },
    Tool {
        programs: &["ef", "dotnet-ef"],
        before: &["database"],
        changes: &["update"],
        drops: &["drop"],
        migrations: &["Migrations"],
    },
    Tool {
        programs: &["dotnet"],
        before: &["ef", "database"],
        changes: &["update"],
        drops: &["drop"],
        migrations: &["Migrations"],
    },
    Tool {
        programs: &["artisan"],
        before: &[],
        changes: &["migrate", "migrate:rollback", "migrate:install"],
        drops: &["migrate:fresh", "migrate:refresh", "migrate:reset", "db:wipe"],
        migrations: &["database/migrations"],
    },
    Tool {
        programs: &["console", "doctrine", "doctrine-migrations"],
        before: &[],
        changes: &[
            "doctrine:migrations:migrate",
            "doctrine:migrations:execute",
            "migrations:migrate",
            "doctrine:schema:update",
        ],
        drops: &["doctrine:schema:drop", "doctrine:database:drop"],
        migrations: &["migrations"],
    },
    Tool {
        programs: &["mix"],
        before: &[],
        changes: &["ecto.migrate", "ecto.rollback"],
        drops: &["ecto.drop", "ecto.reset"],
        migrations: &["priv/repo/migrations"],
    },
    Tool {
        programs: &["supabase"],
        before: &["db"],
        changes: &["push"],
        drops: &["reset"],
        migrations: &["supabase/migrations"],
    },
    Tool {
        programs: &["hasura"],
        before: &["migrate"],
        changes: &["apply"],
        drops: &[],
        migrations: &["migrations"],
    },
    Tool { programs: &["dropdb"], before: &[], changes: &[], drops: &["*"], migrations: &[] },
    Tool {
        programs: &["mysqladmin", "mariadb-admin"],
        before: &[],
        changes: &[],
        drops: &["drop"],
        migrations: &[],
    },
];

/// Options with which the programs only say what they would do.
const DRY: [&str; 9] =
    ["--sql", "--plan", "--check", "--dry-run", "--pretend", "--help", "-h", "--version", "--show-sql-only"];

/// Adds a danger if a command changes a database.
pub(super) fn database(reader: &mut Reader, program: &str, words: &[Word], shell: &Shell) {
    let mut tools = TOOLS.iter().filter(|tool| tool.programs.contains(&program)).peekable();
    if tools.peek().is_none() {
        return;
    }
    let known: Vec<&str> = words[1..].iter().filter_map(Word::known).collect();
    if known.iter().any(|word| DRY.contains(word)) {
        return;
    }
    for tool in tools {
        let mut rest = known.iter();
        if !tool.before.iter().all(|need| rest.any(|word| word == need)) {
            continue;
        }
        let rest: Vec<&str> = rest.copied().collect();
        let has = |list: &[&str]| rest.iter().any(|word| list.iter().any(|want| fits(word, want)));
        let drops = has(tool.drops);
        if drops || has(tool.changes) {
            return reader.add(joined(words), Action::Database { drops, migrations: tool.migrations }, shell);
        }
    }
    if words[1..].iter().find(|word| !word.is_option()).is_some_and(|word| word.known().is_none()) {
        let why = "what it would do to the database depends on a word that is known only when it runs";
        reader.opaque(words, why, shell);
    }
}

fn fits(word: &str, want: &str) -> bool {
    match want.strip_suffix('*') {
        Some(head) => word.starts_with(head) && !word.starts_with('-') && !word.ends_with(":status"),
        None => word == want,
    }
}
