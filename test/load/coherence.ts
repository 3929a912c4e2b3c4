// Mixed load by 50 senders against the built program, and a checker that reads only the RPC:
// `npm run long -- coherence --minutes 20 --seed 1`.
import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ownPorts, run } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { temporaryHome } from '../support/testServer.ts'
import { Traffic } from '../support/traffic/traffic.ts'
import { verifyBlock } from '../support/verifier/blocks.ts'
import { verifyProof } from '../support/verifier/proofs.ts'
import { createRpc } from '../support/verifier/rpc.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' } },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
/** Transactions under way at once. */
const lanes = 5
const reportMs = 30_000
const maxUnchecked = 300

const home = temporaryHome()
const program = run(['start', ...ownPorts(home), '--log.level=warn'])
const { http = '' } = await program.ready()
const rpc = createRpc(http)
const random = createRandom(seed)
const traffics = Array.from({ length: lanes }, (_, lane) => new Traffic(rpc, seed * 100 + lane, 50 / lanes))
for (const traffic of traffics) await traffic.setUp()

const end = Date.now() + minutes * 60_000
let sent = 0
let verified = 0
/** The newest block that the checker knows of. */
let latest = 0
let proofs = 0
const memory: number[] = []

/** Memory of the process itself; the pages of the data file that the system keeps for it are not counted. */
const privateBytes = (): number => {
  const status = readFileSync(`/proc/${program.child.pid}/status`, 'utf8')
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}

const load = async (traffic: Traffic): Promise<void> => {
  while (Date.now() < end) {
    // The checker asks a dozen questions for each block: the load waits for it, so that nothing is left unchecked.
    while (latest - verified > maxUnchecked) await sleep(20)
    await traffic.send()
    sent++
  }
}

const check = async (): Promise<void> => {
  let next = 0
  for (;;) {
    const head = Number(await rpc<string>('eth_blockNumber'))
    if (next > head && Date.now() >= end) return
    latest = head
    for (; next <= head; next++) {
      await verifyBlock(rpc, next)
      verified++
    }
    const traffic = random.pick(traffics)
    const address = random.pick(traffic.addresses)
    const at = `0x${random.below(head).toString(16)}`
    await verifyProof(rpc, address, [], at)
    await verifyProof(rpc, traffic.contract, ['0x0', '0x1'], at)
    proofs += 2
  }
}

const watch = async (): Promise<void> => {
  while (Date.now() < end) {
    memory.push(privateBytes())
    const mb = Math.round((memory.at(-1) as number) / 1e6)
    console.log(`${sent} sent, ${verified} blocks and ${proofs} proofs verified, ${mb} MB of memory`)
    await sleep(Math.min(reportMs, Math.max(0, end - Date.now())))
  }
}

try {
  await Promise.all([...traffics.map(load), check(), watch()])
  memory.push(privateBytes())
  const megabytes = memory.map((bytes) => Math.round(bytes / 1e6))
  console.log(`memory, every ${reportMs / 1000} s, in MB: ${megabytes.join(' ')}`)
  console.log(`${sent} transactions, ${verified} blocks coherent, ${proofs} proofs right`)
} finally {
  program.child.kill('SIGTERM')
  console.log(`the node ended with ${await program.ended()}`)
  rmSync(home, { recursive: true, force: true })
}
