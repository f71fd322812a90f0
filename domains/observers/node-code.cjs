'use strict';
/* Node.js loads this file before a server's own code, because taskgen has put it into NODE_OPTIONS. It lets V8 count which parts of the
 * server's code run, and tells taskgen, when that asks.
 *
 * TASKGEN_OBSERVE holds how many Node.js processes it is to the server (1: this one is; a launcher like npx is 2 away) and the socket
 * where taskgen listens. Both variables are as they were without us before the server's first line runs, so that neither it nor its
 * children nor its tools' output show them. Nothing here may change what the server does: no output, no handle that keeps it from
 * ending, and whatever fails is left at that.
 *
 * taskgen sends lines: "drop N" (forget what ran so far) or "take N" (say what ran since, and forget it). The answer is one line of JSON,
 * {"n":N} or with "directory" (of the server's first script) and "scripts" beside it. */
const VARIABLE = 'TASKGEN_OBSERVE';
const INHERITED = 'taskgen-observe'; /* where threads of the server find the socket */
const LINE_MAX = 64;

function takeVariables() {
  const given = process.env[VARIABLE];
  if (given === undefined) return undefined;
  const space = given.indexOf(' ');
  const away = Number(given.slice(0, space));
  if (away > 1) {
    process.env[VARIABLE] = `${away - 1}${given.slice(space)}`;
    return undefined;
  }
  delete process.env[VARIABLE];
  const theirs = (process.env.NODE_OPTIONS || '').replace(/^--require "(?:[^"\\]|\\.)*" ?/, '');
  if (theirs) process.env.NODE_OPTIONS = theirs;
  else delete process.env.NODE_OPTIONS;
  return given.slice(space + 1);
}

function serve(path) {
  const { Session } = require('inspector');
  const { fileURLToPath } = require('url');
  const { dirname } = require('path');
  const { realpathSync } = require('fs');
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

  function directory() {
    try {
      return dirname(realpathSync(process.argv[1]));
    } catch {
      return '';
    }
  }

  /* Functions that ran, each with its ranges as start, end, count, one after the other. */
  function functionsOf(script) {
    const functions = [];
    for (const f of script.functions) {
      if (f.ranges[0].count === 0) continue;
      const ranges = [];
      for (const r of f.ranges) ranges.push(r.startOffset, r.endOffset, r.count);
      functions.push([f.functionName, ranges]);
    }
    return functions;
  }

  function scriptsOf(result) {
    const scripts = [];
    for (const script of result) {
      if (!script.url.startsWith('file://')) continue;
      const file = fileURLToPath(script.url);
      if (file === __filename) continue;
      const functions = functionsOf(script);
      if (functions.length) scripts.push([file, functions]);
    }
    return scripts;
  }

  const socket = require('net').connect(path);
  socket.unref();
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());

  function answer(line) {
    const [word, number] = line.split(' ');
    session.post('Profiler.takePreciseCoverage', (failed, taken) => {
      const reply = { n: Number(number) };
      if (!failed && word === 'take') {
        reply.directory = directory();
        reply.scripts = scriptsOf(taken.result);
      }
      socket.write(`${JSON.stringify(reply)}\n`);
    });
  }

  let pending = '';
  socket.on('data', (text) => {
    pending += text;
    const lines = pending.split('\n');
    pending = lines.pop().slice(0, LINE_MAX);
    for (const line of lines) answer(line);
  });
}

try {
  const threads = require('worker_threads');
  const path = threads.isMainThread ? takeVariables() : threads.getEnvironmentData(INHERITED);
  if (path !== undefined) {
    if (threads.isMainThread) threads.setEnvironmentData(INHERITED, path);
    serve(path);
  }
} catch {
  /* not to be observed, then */
}
