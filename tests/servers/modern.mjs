// A server on the official SDK that speaks the stateless era (2026-07-28) and the older one: over stdio, or over HTTP on 127.0.0.1 when
// PORT is set. For tests/e2e/modern.sh.
import { createServer } from 'node:http';
import { McpServer, acceptedContent, createMcpHandler, createRequestStateCodec, fromJsonSchema, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const schema = (properties, required = Object.keys(properties)) => fromJsonSchema({ type: 'object', properties, required });
const STRING = { type: 'string' };
const codec = createRequestStateCodec({ key: 'a key for tests that is long enough' });

function build() {
    const server = new McpServer({ name: 'sdk-two', version: '1' }, { requestState: { verify: codec.verify } });
    server.registerTool('echo', { description: 'Say it again', inputSchema: schema({ message: STRING }), annotations: { readOnlyHint: true } },
        async ({ message }) => text(message));
    server.registerTool('region', {
        description: 'Say where and what, the place also as a header',
        inputSchema: schema({ place: { ...STRING, 'x-mcp-header': 'Place' }, count: { type: 'integer', 'x-mcp-header': 'Count' }, what: STRING }, ['place']),
    }, async ({ place, count, what }) => text(`${place} ${count} ${what}`));
    server.registerTool('ask', { description: 'Ask the user for a name', inputSchema: schema({}) }, async (_, context) => {
        const answer = acceptedContent(context.mcpReq.inputResponses, 'who');
        if (answer) return text(`hello ${answer.name}, ${context.mcpReq.requestState().step}`);
        return inputRequired({
            inputRequests: { who: inputRequired.elicit({ message: 'Who are you?', requestedSchema: { type: 'object', properties: { name: STRING }, required: ['name'] } }) },
            requestState: await codec.mint({ step: 2 }),
        });
    });
    server.registerTool('slow', { description: 'Take some time', inputSchema: schema({ ms: { type: 'integer', minimum: 0, maximum: 5000 } }) },
        async ({ ms }) => { await new Promise((done) => setTimeout(done, ms)); return text('done'); });
    return server;
}

if (process.env.PORT)
    createServer(toNodeHandler(createMcpHandler(build, { onerror: (e) => console.error(String(e)) }))).listen(Number(process.env.PORT), '127.0.0.1');
else
    serveStdio(build);
