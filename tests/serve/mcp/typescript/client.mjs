// Talks to a server with the public TypeScript client: reads a task as JSON from the first
// argument, prints what came back as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const task = JSON.parse(process.argv[2]);
const client = new Client({ name: "typescript-client", version: "1.0.0" });
const transport = task.url
  ? new StreamableHTTPClientTransport(new URL(task.url))
  : new StdioClientTransport({ command: task.command, args: task.args, env: task.env });
await client.connect(transport);
const { tools } = await client.listTools(); // from here on results are checked by their schemas
const results = [];
for (const { name, arguments: given } of task.calls) {
  results.push(await client.callTool({ name, arguments: given }));
}
const { resources } = await client.listResources();
const read = [];
for (const { uri } of resources) {
  read.push((await client.readResource({ uri })).contents[0]);
}
await client.close();
console.log(JSON.stringify({ tools, results, read }));
