//! Compiles the calls of BOINC's library, for the feature `boinc` alone.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "boinc")]
    {
        println!("cargo::rerun-if-changed=src/search/workunit/boinc.c");
        cc::Build::new()
            .file("src/search/workunit/boinc.c")
            .warnings_into_errors(true)
            .compile("camicia_boinc");
        // After the calls that need them. The library is written in C++.
        for library in ["boinc_api", "boinc", "stdc++"] {
            println!("cargo::rustc-link-lib={library}");
        }
    }
}
