//! The macro that makes a program and a library of one extension.

/// Makes an extension of a type that implements [`Extension`](crate::Extension). Its name and version are those of the
/// package that is compiled; a name that differs in the manifest is given as `export!(Type, "name")`.
///
/// It defines `pub fn main()` for a program, and exports the entry function for a library, so one source can be both:
/// `crate-type = ["cdylib", "rlib"]` for the library, and a program whose `main` calls that of the library.
#[macro_export]
macro_rules! export {
    ($extension:ty) => {
        $crate::export!($extension, env!("CARGO_PKG_NAME"));
    };
    ($extension:ty, $name:expr) => {
        /// Runs this extension as a program, for its host.
        pub fn main() {
            $crate::process::run::<$extension>($crate::Identity {
                name: $name,
                version: env!("CARGO_PKG_VERSION"),
            });
        }

        const _: () = {
            static LOADED: $crate::native::Loaded<$extension> =
                $crate::native::Loaded::new($crate::Identity {
                    name: $name,
                    version: env!("CARGO_PKG_VERSION"),
                });
            static VTABLE: $crate::native::abi::Vtable = $crate::native::vtable::<$extension>();

            impl $crate::native::Exported for $extension {
                fn loaded() -> &'static $crate::native::Loaded<Self> {
                    &LOADED
                }
            }

            #[unsafe(no_mangle)]
            extern "C" fn pintle_entry_v1() -> *const $crate::native::abi::Vtable {
                &VTABLE
            }
        };
    };
}
