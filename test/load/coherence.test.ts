import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ownPorts, run } from '../support/program.ts'
import { temporaryHome } from '../support/testServer.ts'
import { Traffic } from '../support/traffic/traffic.ts'
import { verifyBlock } from '../support/verifier/blocks.ts'
import { verifyProof } from '../support/verifier/proofs.ts'
import { createRpc } from '../support/verifier/rpc.ts'

/** A piece of `npm run long -- coherence`. */
test('every block, receipt and proof of a mixed load fits, by a verifier that shares no code with the node', async () => {
  const home = temporaryHome()
  const program = run(['start', ...ownPorts(home), '--log.level=warn'])
  try {
    const { http = '' } = await program.ready()
    const rpc = createRpc(http)
    const traffic = new Traffic(rpc, 11, 5)
    await traffic.setUp()
    for (let sent = 0; sent < 60; sent++) await traffic.send()
    const head = Number(await rpc<string>('eth_blockNumber'))
    expect(head).toBeGreaterThan(60)
    for (let number = 0; number <= head; number++) await verifyBlock(rpc, number)
    for (const at of [0, 1, head >> 1, head]) {
      for (const address of [...traffic.addresses, traffic.contract, `0x${'99'.repeat(20)}`]) {
        await verifyProof(rpc, address, ['0x0', '0x1'], `0x${at.toString(16)}`)
      }
    }
  } finally {
    program.child.kill('SIGTERM')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  }
})
