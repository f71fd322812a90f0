#!/bin/sh
test "$(cat out.txt)" = 2
