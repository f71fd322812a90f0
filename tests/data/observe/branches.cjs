#!/usr/bin/env node
'use strict';
/* An MCP server with some tools: `branch` goes left or right, `environment` says what the server and a child of it have in theirs,
 * `thread` has a thread of the server do something, `end` ends it. */
const { execFileSync } = require('child_process');
const { Worker, isMainThread, parentPort } = require('worker_threads');

function inThread() {
  return 'thread';
}

function left() {
  return 'left';
}

function right() {
  return 'right';
}

function branch(way) {
  if (way === 'left') {
    return left();
  }
  return right();
}

function environment() {
  const child = execFileSync('/usr/bin/env', { encoding: 'utf8' });
  return JSON.stringify({ own: process.env, child, options: process.execArgv, ways: process.argv.length });
}

const handlers = {
  branch: (given, say) => say(branch(given.way)),
  environment: (given, say) => say(environment()),
  thread: (given, say) => worker.once('message', say).postMessage(''),
  end: () => process.exit(3),
};

const schema = { type: 'object', properties: { way: { type: 'string' } } };
const tools = Object.keys(handlers).map((name) => ({ name, inputSchema: schema }));

function answer(request, reply) {
  const { name, arguments: given } = request.params || {};
  switch (request.method) {
    case 'initialize':
      reply({ result: { protocolVersion: request.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'branches', version: '1' } } });
      break;
    case 'tools/list':
      reply({ result: { tools } });
      break;
    case 'tools/call':
      handlers[name](given, (text) => reply({ result: { content: [{ type: 'text', text }] } }));
      break;
    default:
      reply({ error: { code: -32601, message: 'no such method' } });
  }
}

function serve() {
  const lines = require('readline').createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const request = JSON.parse(line);
    if (request.id !== undefined)
      answer(request, (reply) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...reply })}\n`));
  });
  lines.on('close', () => process.exit(0));
}

let worker;
if (isMainThread) {
  worker = new Worker(__filename);
  worker.once('online', serve);
} else {
  parentPort.on('message', () => parentPort.postMessage(inThread()));
}
