#!/bin/sh
# No two libraries define one name: which of the two a program gets would be decided by the order in which it is linked.
# usage: names_once.sh LIBRARY...
set -eu
twice=$(nm -g --defined-only "$@" 2>/dev/null | awk '$2 ~ /^[TDBR]$/ { print $3 }' | grep -v '^__' | sort | uniq -d)
[ -z "$twice" ] || { printf 'defined twice: %s\n' $twice; exit 1; }
