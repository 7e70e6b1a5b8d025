//! The last of what a command printed, however much that was. It keeps bytes and does not look at them.

/// How much is kept.
const KEPT: usize = 64 * 1024;

/// The last 64 KiB of what is put in.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// At most twice as much as is kept, so that what is old is moved out seldom.
    bytes: Vec<u8>,
    dropped: bool,
}

impl Tail {
    /// Puts more in.
    pub(super) fn push(&mut self, piece: &[u8]) {
        if piece.len() >= KEPT {
            self.dropped |= piece.len() > KEPT || !self.bytes.is_empty();
            self.bytes.clear();
            self.bytes.extend_from_slice(&piece[piece.len() - KEPT..]);
            return;
        }
        self.bytes.extend_from_slice(piece);
        if self.bytes.len() > 2 * KEPT {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let more = self.bytes.len().saturating_sub(KEPT);
        self.bytes.drain(..more);
        self.dropped |= more > 0;
    }

    /// Returns what is kept, and whether there was more.
    pub(super) fn end(mut self) -> (Vec<u8>, bool) {
        self.cut();
        (self.bytes, self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Tail};

    #[test]
    fn the_last_is_kept_whatever_the_pieces_are() {
        #[track_caller]
        fn check(pieces: &[usize], truncated: bool) {
            let all: Vec<u8> = (0..pieces.iter().sum::<usize>()).map(|at| (at % 251) as u8).collect();
            let (mut tail, mut rest) = (Tail::default(), &all[..]);
            for piece in pieces {
                let (first, after) = rest.split_at(*piece);
                tail.push(first);
                rest = after;
            }
            let expected = all[all.len().saturating_sub(KEPT)..].to_vec();
            assert!(tail.end() == (expected, truncated), "{pieces:?}");
        }
        check(&[], false);
        check(&[0], false);
        check(&[1], false);
        check(&[KEPT], false);
        check(&[KEPT - 1, 1], false);
        check(&[KEPT, 0], false);
        check(&[KEPT, 1], true);
        check(&[1, KEPT], true);
        check(&[KEPT + 1], true);
        check(&[KEPT / 2; 9], true);
        check(&[7; 40_000], true);
        check(&[KEPT * 3, 10, KEPT - 1], true);
    }
}
