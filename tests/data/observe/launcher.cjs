'use strict';
/* Starts the server beside it in its own place, by way of a shell, as npx does. */
const { spawn } = require('child_process');

const server = spawn('/bin/sh', ['-c', `node "${__dirname}/branches.cjs"; exit $?`], { stdio: 'inherit' });
server.on('exit', (code) => process.exit(code));
