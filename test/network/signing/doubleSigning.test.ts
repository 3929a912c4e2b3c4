import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseEngineKeyFile, validatorAddress } from '../../../src/engine/cometbft/signing/keys.ts'
import { freePort } from '../../support/freePort.ts'
import { runToEnd } from '../../support/program.ts'
import { slow } from '../../support/slow.ts'
import { describeNetwork } from '../describeNetwork.ts'
import {
  askEngine,
  callHome,
  createHomes,
  HomeProcess,
  type Homes,
  headOf,
  reach,
  toNumber,
  until,
} from '../homeProcess.ts'
import { RemoteSigner } from './remoteSigner.ts'

/** A key that signs twice is never to be: copies of homes, old records of signatures, and a key outside of the node. */

interface Commit {
  readonly signed_header: {
    readonly commit: {
      readonly height: string
      readonly signatures: readonly { readonly validator_address: string; readonly block_id_flag: number }[]
    }
  }
}

const didSign = async (node: HomeProcess, height: number, address: string): Promise<boolean> => {
  const { signed_header: header } = await askEngine<Commit>(node, `commit?height=${height}`)
  return header.commit.signatures.some((one) => one.validator_address === address && one.block_id_flag === 2)
}

/** Waits until a validator has signed a block above a height; returns that block's. */
const signsAbove = async (node: HomeProcess, height: number, address: string): Promise<number> => {
  let at = height + 1
  await until(`${address} signs`, async () => {
    if ((await headOf(node)) <= at) return false
    if (await didSign(node, at, address)) return true
    at++
    return false
  })
  return at
}

/** Pieces of evidence that the network has decided on, from block 2 on. */
const evidenceCount = async (node: HomeProcess): Promise<number> => {
  let count = 0
  for (let height = 2; height <= (await headOf(node)) - 1; height++) {
    const { block } = await askEngine<{
      readonly block: { readonly evidence: { readonly evidence: readonly unknown[] } }
    }>(node, `block?height=${height}`)
    count += block.evidence.evidence.length
  }
  return count
}

const keyOf = (home: string) =>
  parseEngineKeyFile(readFileSync(join(home, 'engine', 'config', 'priv_validator_key.json'), 'utf8'))

/** Flags with which a copy of a home listens elsewhere than its original. */
const elsewhere = async () => [
  ...['--json-rpc.address=127.0.0.1:0', '--json-rpc.ws-address=127.0.0.1:0'],
  ...['--engine-rpc', `http://127.0.0.1:${await freePort()}`],
  ...['--engine-p2p', `127.0.0.1:${await freePort()}`],
]

describeNetwork('a validator’s key', slow, () => {
  let homes: Homes
  let folder: string
  let nodes: readonly HomeProcess[]
  const remoteSigners: RemoteSigner[] = []

  beforeEach(async () => {
    homes = createHomes(4, 300)
    folder = mkdtempSync(join(tmpdir(), 'perihelion-copy-'))
    nodes = homes.homes.map((home) => new HomeProcess(home))
    await Promise.all(nodes.map((node) => node.ready()))
  })
  afterEach(async () => {
    for (const signer of remoteSigners.splice(0)) signer.close()
    await homes.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  test('is not used by a copy of its home: beside the original, nor with an old record of signatures', async () => {
    const [watcher, original] = nodes as [HomeProcess, HomeProcess]
    const address = validatorAddress(keyOf(original.home).publicKey)
    const copy = join(folder, 'copy')
    await reach(original, 3)
    // A copy of a home that runs, as a snapshot of its disk would be.
    await original.stop()
    cpSync(original.home, copy, { recursive: true, filter: (path) => !/\.(?:sock|ipc)$/.test(path) })
    const again = await new HomeProcess(original.home).ready()
    const beside = new HomeProcess(copy, { args: await elsewhere() })
    expect(await beside.ended).toMatchObject({ code: 75 })
    expect(beside.errors).toContain(`signs with the key of this validator (${address})`)
    // The original goes on and is gone for good; the copy is an old backup of it now.
    await signsAbove(watcher, await headOf(watcher), address)
    await again.stop()
    const head = await headOf(watcher)
    await reach(watcher, head + 2)
    const old = new HomeProcess(copy, { args: await elsewhere() })
    expect(await old.ended).toMatchObject({ code: 78 })
    expect(old.errors).toMatch(
      /has signed block \d+, and .*priv_validator_state\.json knows of nothing above \d+/,
    )
    // What the message says lets it go on, above what it may have signed.
    const height = await headOf(watcher)
    const raised = await runToEnd(['network', 'sign-state', '--home', copy, '--raise', `${height}`])
    expect(raised).toMatchObject({ code: 0, stdout: `height ${height} round ${2 ** 31 - 1} step 3\n` })
    const restored = await new HomeProcess(copy, { args: await elsewhere() }).ready()
    const signed = await signsAbove(watcher, height, address)
    expect(signed).toBeGreaterThan(height)
    expect(await evidenceCount(watcher)).toBe(0)
    await restored.stop()
  })

  test('may be in a remote signer, on a Unix socket or over TCP, and then no home signs with it beside', async () => {
    const [watcher, node] = nodes as [HomeProcess, HomeProcess]
    const key = keyOf(node.home)
    const address = validatorAddress(key.publicKey)
    await reach(node, 3)
    await node.stop()
    const copy = join(folder, 'copy')
    cpSync(node.home, copy, { recursive: true, filter: (path) => !/\.(?:sock|ipc)$/.test(path) })
    // The drill: the node is down, the network goes on, the signer takes the key, and the node starts without it.
    await reach(watcher, (await headOf(watcher)) + 2)
    rmSync(join(node.home, 'engine', 'config', 'priv_validator_key.json'))
    const socket = join(folder, 'signer.sock')
    const signer = new RemoteSigner(socket, key)
    remoteSigners.push(signer)
    const signed = await new HomeProcess(node.home, {
      args: ['--priv-validator-laddr', `unix://${socket}`],
    }).ready()
    const first = await signsAbove(watcher, await headOf(watcher), address)
    expect([...signer.signed.keys()].some((place) => place.startsWith(`${first}/`))).toBe(true)
    // It proposes too, and the tips go where the contract says.
    await until('it proposes', async () => [...signer.signed.keys()].some((place) => place.endsWith('/1')))
    const { stdout } = await runToEnd(['network', 'id', '--home', node.home])
    expect(stdout).toContain('the remote signer has it')
    // A home that still has the key finds out that somebody else signs, before it does. As the same node, its peers would not take it.
    rmSync(join(copy, 'engine', 'config', 'node_key.json'))
    const beside = new HomeProcess(copy, { args: await elsewhere() })
    expect(await beside.ended).toMatchObject({ code: 78 })
    expect(beside.errors).toMatch(
      /with the key of this validator|the key of this validator \(\w+\) has signed/,
    )
    expect(await evidenceCount(watcher)).toBe(0)
    expect(await callHome(signed, 'eth_getBlockByNumber', toNumber(first), false)).not.toBeNull()
    await signed.stop()
    // The same over TCP, which CometBFT encrypts.
    const port = await freePort()
    signer.moveTo(port)
    const overTcp = await new HomeProcess(node.home, {
      args: ['--priv-validator-laddr', `tcp://127.0.0.1:${port}`],
    }).ready()
    const later = await signsAbove(watcher, await headOf(watcher), address)
    expect([...signer.signed.keys()].some((place) => place.startsWith(`${later}/`))).toBe(true)
    expect(await evidenceCount(watcher)).toBe(0)
    expect(signer.refused).toBe(0)
    await overTcp.stop()
  })
})
