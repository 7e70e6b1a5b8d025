//! The words that stand for a choice in `contract.toml`. Written once, for reading and for telling.

use super::model::{Collision, HookKind, Matching, OnFault, QueueRule, Risk};

macro_rules! words {
    ($($type:ident { $($variant:ident => $word:literal),* $(,)? })*) => {
        $(impl $type {
            /// Every choice, with its word.
            pub const WORDS: &[(&str, Self)] = &[$(($word, Self::$variant)),*];

            /// Returns its word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        })*
    };
}

words! {
    HookKind {
        Guard => "guard",
        Transform => "transform",
        Claim => "claim",
        Collect => "collect",
        Around => "around",
        Observe => "observe",
        Stream => "stream",
    }
    OnFault { Block => "block", Skip => "skip", Log => "log" }
    QueueRule { DropOldest => "drop_oldest", Coalesce => "coalesce", Close => "close" }
    Collision {
        Suffix => "suffix",
        FirstWins => "first_wins",
        LastWins => "last_wins",
        Reject => "reject",
        Owned => "owned",
    }
    Matching { Text => "text", Path => "path" }
    Risk { High => "high", Medium => "medium", Low => "low" }
}
