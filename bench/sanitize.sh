#!/usr/bin/env bash
# Build the native code with ASan and UBSan and run the tests that exercise it.
# Usage: bench/sanitize.sh PYTHON   (an environment that holds the build and test dependencies)
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
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
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --target "$work/tvlb" --config-settings=cmake.define.TVLB_SANITIZE=ON \
    --config-settings=cmake.build-type=Debug --config-settings=build-dir="$work/build" .

# libstdc++ too: ASan looks up the C++ throw function when it starts, before any module brings it.
runtime="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
mkdir "$work/run"
cp -r tests pyproject.toml "$work/run/"
cd "$work/run"
# CPython and its extension modules leak by design at exit; errors of access are what counts.
LD_PRELOAD="$runtime" ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 PYTHONPATH="$work/tvlb" \
    "$work/venv/bin/python" -m pytest -p no:cacheprovider -q --capture=sys \
    tests/sim_bridge tests/paths tests/balance
