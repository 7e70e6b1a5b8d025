//! What a client pays: a look at the whole is one table, and the rest grows with what is used.

use crate::index::shelf::{Shelf, generated, name, open};
use pintle_registry::index::{ImportError, import};

/// Imports so many packages.
fn imported(packages: u64) -> Shelf {
    let shelf = Shelf::new();
    import(&shelf.root(), (0..packages).map(|number| generated(&format!("acme-{number:07}"), 3))).unwrap();
    shelf
}

#[test]
fn bins_grow_and_every_package_is_still_found() {
    let shelf = imported(128);
    assert_eq!(shelf.bare().head().bin_bits, 0);
    shelf.publish("acme-x", "1.0.0");
    let registry = shelf.bare();
    assert_eq!((registry.head().bin_bits, registry.head().packages), (1, 129));
    assert_eq!(registry.names().unwrap().len(), 129);
    for number in 0..128 {
        assert!(registry.contains(&name(&format!("acme-{number:07}"))).unwrap());
    }
    assert!(matches!(import(&shelf.root(), []), Err(ImportError::NotEmpty { packages: 129 })));
}

/// Measures a registry of 4,000 packages and computes what one of a million costs: only the table is larger.
#[test]
fn the_first_twenty_packages_of_a_million_cost_less_than_half_a_megabyte() {
    let shelf = imported(4_000);
    let registry = open(&shelf.root(), Some(&shelf.cache()), false).unwrap();
    assert_eq!(registry.head().bin_bits, 5, "4,000 packages have 32 bins");
    for number in 0..20 {
        registry.candidates(&name(&format!("acme-{:07}", number * 199))).unwrap().unwrap();
    }
    let traffic = registry.traffic();
    assert!(traffic.requests <= 1 + 1 + 20 + 20, "{traffic:?}");
    let table = |bits: u64| 6 + (32 << bits);
    let bins = traffic.requests - 1 - 1 - 20;
    let bytes_of_bins: u64 = shelf.files("b").iter().map(|path| path.metadata().unwrap().len()).sum();
    let per_bin = bytes_of_bins / 32;
    assert!((5_000..8_000).contains(&per_bin), "{per_bin} bytes for about 125 names");
    let others = traffic.bytes - table(5) - bins * per_bin;
    let of_a_million = table(13) + 20 * per_bin + others;
    assert!(of_a_million < 500_000, "{of_a_million}");
    registry.save_cache();
    let registry = open(&shelf.root(), Some(&shelf.cache()), false).unwrap();
    for number in 0..20 {
        registry.candidates(&name(&format!("acme-{:07}", number * 199))).unwrap().unwrap();
    }
    assert_eq!(registry.traffic().requests, 1, "nothing changed, so one request");
}
