//! A directory is removed, and nothing that is elsewhere and only mounted in it.

#![cfg(target_os = "linux")]

use pintle_registry::store::fs::remove_tree;
use rustix::mount::{UnmountFlags, mount_bind, unmount};

#[test]
fn what_is_mounted_in_a_directory_is_not_removed_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let (tree, elsewhere) = (dir.path().join("tree"), dir.path().join("elsewhere"));
    std::fs::create_dir_all(tree.join("a/b")).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::File::create(elsewhere.join("kept")).unwrap();
    if mount_bind(&elsewhere, tree.join("a/b")).is_err() {
        eprintln!("left out: whoever runs this may not mount");
        return;
    }
    let error = remove_tree(&tree).unwrap_err();
    unmount(tree.join("a/b"), UnmountFlags::DETACH).unwrap();
    assert!(elsewhere.join("kept").exists());
    assert!(error.path.ends_with("tree/a/b") && error.source.to_string().contains("unmount it"), "{error:?}");
    remove_tree(&tree).unwrap();
    assert!(!tree.exists());
}
