#!/usr/bin/env bash
# Test the native code in builds other than the installed one.
# Usage: bench/builds.sh PYTHON [check|sanitize|threads|optimise]...   (default: all four)
#   PYTHON     of an environment that holds the build and test dependencies
#   check      conservation of flits, phits and credits, checked in every simulated cycle or block
#   sanitize   AddressSanitizer and UndefinedBehaviorSanitizer
#   threads    ThreadSanitizer: runs side by side, which share networks and samplers, and on threads
#   optimise   -O1 against -O3: equal results of the runs of bench/digest.py
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv --system-site-packages --without-pip "$work/venv"
site=$("$work/venv/bin/python" -c 'import site; print(site.getsitepackages()[0])')
# See the packages of the given environment, but not its editable install of tvlb.
packages=$("$python" -c 'import site; print(site.getsitepackages()[0])')
mkdir "$work/packages"
for entry in "$packages"/*; do
    case "$(basename "$entry")" in
        *tvlb*|sim_bridge) ;;
        *) ln -s "$entry" "$work/packages/" ;;
    esac
done
echo "$work/packages" > "$site/packages.pth"
mkdir "$work/run"
cp -r tests docs pyproject.toml bench "$work/run/"

# These builds have no command; that all surfaces agree does not depend on the build.
without_server=(--ignore=tests/sim_bridge/test_every_router.py)

build() { # NAME SETTING...: into $work/NAME
    local name=$1 settings=()
    shift
    for setting in "$@"; do settings+=("--config-settings=$setting"); done
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
        --target "$work/$name" "${settings[@]}" --config-settings=build-dir="$work/build-$name" .
}

run() { # NAME ARGUMENT...: Python with the build of that name
    local name=$1
    shift
    (cd "$work/run" && PYTHONPATH="$work/$name" "$work/venv/bin/python" "$@")
}

check() {
    build check cmake.define.TVLB_CHECK=ON
    run check -c 'from sim_bridge import _core; assert _core.CHECKS_EVERY_CYCLE'
    run check -m pytest -p no:cacheprovider -q -m "not slow" "${without_server[@]}" tests/sim_bridge
}

sanitize() {
    build sanitize cmake.define.TVLB_SANITIZE=address,undefined cmake.build-type=Debug
    # libstdc++ too: ASan looks up the C++ throw function when it starts, before any module brings it.
    local runtime
    runtime="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
    # CPython and its extension modules leak by design at exit; errors of access are what counts.
    LD_PRELOAD="$runtime" ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 \
        UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
        run sanitize -m pytest -p no:cacheprovider -q --capture=sys -m "not slow" "${without_server[@]}" \
        tests/sim_bridge tests/paths tests/balance tests/forwarding
}

threads() {
    build threads cmake.define.TVLB_SANITIZE=thread cmake.build-type=Debug
    (
        LD_PRELOAD=$(g++ -print-file-name=libtsan.so)
        export LD_PRELOAD TSAN_OPTIONS=halt_on_error=1
        run threads -m pytest -p no:cacheprovider -q --capture=sys -m "not slow" \
            tests/sim_bridge/test_runs.py tests/sim_bridge/test_threads.py
        run threads bench/digest.py --workers 2 paths families
    )
}

optimise() {
    local digests=()
    for level in 1 3; do
        build "o$level" "cmake.define.TVLB_OPTIMISATION=-O$level"
        digests+=("$(run "o$level" bench/digest.py)")
        printf -- '-O%s:\n%s\n' "$level" "${digests[-1]}"
    done
    [ "${digests[0]}" = "${digests[1]}" ]
}

for what in "${@:-check sanitize threads optimise}"; do
    for one in $what; do
        echo "== $one"
        "$one"
    done
done
