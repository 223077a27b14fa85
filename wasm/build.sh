#!/bin/sh
# Builds the exact engine of the replay page: src/pages/replay/engine.wasm.
#
#   wasm/build.sh
#
# Run it after a change of src/cards, src/game/exact.rs or src/pages/replay/film.rs; the test
# `pages::the_engine_of_the_page_plays_as_the_program_does` says when it was forgotten. The file
# is committed, so that the program builds with plain cargo.
#
# It needs a Rust compiler for WebAssembly. With rustup:
#   rustup target add wasm32-unknown-unknown
# On Debian 12, where that target is no package, the standard library is built from source:
#   apt-get install rustc-web cargo-web rust-web-src lld-19
# (These packages do not stand beside Debian's rustup or rustc. They can also be unpacked with
# `dpkg -x` into a folder; then call this script with RUST_ROOT=THAT_FOLDER/usr.)
set -eu
cd "$(dirname "$0")"
target=wasm32-unknown-unknown
if [ -n "${RUST_ROOT:-}" ]; then
    LD_LIBRARY_PATH="$RUST_ROOT/lib/x86_64-linux-gnu:$RUST_ROOT/../lib/x86_64-linux-gnu"
    RUSTC=$RUST_ROOT/bin/rustc
    PATH=$RUST_ROOT/bin:$RUST_ROOT/lib/llvm-19/bin:$PATH
    export LD_LIBRARY_PATH RUSTC PATH
fi
rustc=${RUSTC:-rustc}
# No path of this machine gets into the file.
RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$(cd .. && pwd)=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
RUSTFLAGS="$RUSTFLAGS --remap-path-prefix=$("$rustc" --print sysroot)=rust"
export RUSTFLAGS
if [ -d "$("$rustc" --print sysroot)/lib/rustlib/$target" ]; then
    cargo build --release --locked --target $target
else
    RUSTC_BOOTSTRAP=1
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=${LINKER:-wasm-ld-19}
    command -v "$CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER" >/dev/null ||
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
    export RUSTC_BOOTSTRAP CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER
    cargo build --release --locked --target $target \
        -Z build-std=std,panic_abort -Z build-std-features=optimize_for_size
fi
cp "${CARGO_TARGET_DIR:-target}/$target/release/camicia_engine.wasm" ../src/pages/replay/engine.wasm
wc -c ../src/pages/replay/engine.wasm
