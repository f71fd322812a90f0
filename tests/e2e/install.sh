# cmake --install: the installed tree works on its own, without the source tree.
. "$(dirname "$0")/lib.sh"
: "${BUILD:?}"

cmake --install "$BUILD" --prefix "$WORK/prefix" >install.log
unset TASKGEN_DATA
for file in bin/taskgen share/taskgen/domains/ml.xml share/taskgen/domains/ops.xml share/taskgen/domains/task-1.schema.json \
    libexec/taskgen/leakybox libexec/taskgen/taskgen-agent share/man/man1/taskgen.1; do
    [ -e "prefix/$file" ] || fail "$file is not installed"
done
prefix/bin/taskgen --domain ml --count 3 >installed.jsonl
"$TASKGEN" --domain ml --count 3 | cmp - installed.jsonl
expect_status 0 prefix/bin/taskgen doctor
expect_in out "prefix/libexec/taskgen/leakybox"
