#!/bin/sh
# Builds and installs taskgen from its sources on Debian 12, as root: sh install.sh DIRECTORY-OF-THE-SOURCES [PREFIX]
set -eu
source=${1:?expected the directory of the sources}
prefix=${2:-/usr/local}
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
sed 's/#.*//' "$source/scripts/packages.txt" | xargs apt-get install -y -qq --no-install-recommends
cd "$source"
cmake --preset release -DBUILD_TESTING=OFF
cmake --build --preset release
cmake --install build/release --prefix "$prefix"
