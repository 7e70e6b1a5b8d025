//! What goes wrong at the end.

use crate::breaking;
use crate::life::Life;

pub(crate) fn never(_life: &mut Life) {
    breaking::hang()
}
