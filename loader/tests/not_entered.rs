//! A host that does not call `enter`: this test program, whose `main` is the usual one of tests.

use pintle_loader::worker::{Nursery, SpawnError};

#[test]
fn a_host_that_does_not_enter_is_told_so() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
    let error = runtime.block_on(Nursery::shared().fence()).unwrap_err();
    assert!(matches!(error, SpawnError::NotEntered), "{error}");
    assert!(error.to_string().contains("`pintle_loader::worker::enter()`"));
}
