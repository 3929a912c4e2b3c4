import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEchoServer } from './echoServer.ts'

/**
 * `npm run long -- autobahn`: Autobahn's fuzzing client against our WebSocket transport. WSTEST is its program `wstest`
 * (Python 2.7: `pip install autobahntestsuite`), CASES the cases, separated by commas.
 */
const program = process.env.WSTEST ?? 'wstest'
const cases = (process.env.CASES ?? '*').split(',')

/** What is not asked, each with the reason. */
const excluded: Readonly<Record<string, string>> = {
  '1.2.*': 'JSON-RPC is text: a binary message is read as UTF-8 and answered as text',
  '9.2.*': 'binary, in large messages',
  '9.3.1':
    'a message in more than 16,384 fragments is refused with 1008, because each takes memory of its own',
  '9.3.2': 'the same',
  '9.4.*': 'binary, in fragments',
  '9.6.*': 'binary, in chops',
  '9.8.*': 'binary, many of them',
  '12.*': 'compression is not offered, so that no client can make the server inflate',
  '13.*': 'the same',
}

/** Behaviours that a server may have. */
const passed = new Set(['OK', 'NON-STRICT', 'INFORMATIONAL'])

interface CaseResult {
  readonly behavior: string
  readonly behaviorClose: string
}

const folder = 'build/autobahn'
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
// The largest message of the suite has 16 MB.
const server = await startEchoServer([
  '--json-rpc.max-body-size=20000000',
  '--json-rpc.ws-max-backlog=100000000',
])
const agent = 'perihelion'
const spec = {
  outdir: join(process.cwd(), folder, 'report'),
  servers: [{ agent, url: server.ws.replace('127.0.0.1', 'localhost') }],
  cases,
  'exclude-cases': Object.keys(excluded),
  'exclude-agent-cases': {},
}
writeFileSync(join(folder, 'spec.json'), JSON.stringify(spec))
const child = spawn(program, ['-m', 'fuzzingclient', '-s', join(folder, 'spec.json')], { stdio: 'inherit' })
child.on('error', (error) => {
  process.stdout.write(`${program} cannot be run: ${error.message}: set WSTEST\n`)
  process.exit(1)
})
const [code] = (await once(child, 'close')) as [number | null]
await server.close()
const index = JSON.parse(readFileSync(join(folder, 'report', 'index.json'), 'utf8')) as Record<
  string,
  Record<string, CaseResult>
>
const results = Object.entries(index[agent] ?? {})
const counts = new Map<string, number>()
for (const [, { behavior }] of results) counts.set(behavior, (counts.get(behavior) ?? 0) + 1)
const failed = results.filter(
  ([, { behavior, behaviorClose }]) => !passed.has(behavior) || !passed.has(behaviorClose),
)
for (const [name, { behavior, behaviorClose }] of failed)
  process.stdout.write(`${name}: ${behavior}, close ${behaviorClose}\n`)
for (const [name, reason] of Object.entries(excluded)) process.stdout.write(`not asked: ${name}: ${reason}\n`)
const summary = [...counts].map(([behavior, count]) => `${count} ${behavior}`).join(', ')
process.stdout.write(`${results.length} cases: ${summary}; ${failed.length} failed\n`)
process.exit(failed.length > 0 || results.length === 0 || code !== 0 ? 1 : 0)
