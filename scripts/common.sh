# Shared by quickstart and test: run as root or with sudo; install what is missing, and only that.
# Sourced by bash scripts that set -euo pipefail and have changed into the project's root.

say() {
    printf '== %s\n' "$*"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "this needs root or sudo: $*" >&2
        exit 3
    fi
}

# install_packages LISTFILE: Debian packages, one a line, comments after '#'.
install_packages() {
    local missing=() package
    while read -r package _; do
        case $package in '' | '#'*) continue ;; esac
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done <"$1"
    if [ ${#missing[@]} -eq 0 ]; then
        say "packages of $1: all there"
        return
    fi
    say "packages of $1: installing ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# build PRESET: configures and builds under build/PRESET.
build() {
    say "building ($1)"
    cmake --preset "$1" -DCMAKE_MESSAGE_LOG_LEVEL=WARNING "${@:2}" >/dev/null
    cmake --build --preset "$1" -- --quiet
}
