import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseEngineKeyFile } from '../../../src/engine/cometbft/signing/keys.ts'
import { sendHttp } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { runToEnd } from '../../support/program.ts'
import { slow } from '../../support/slow.ts'
import { describeNetwork } from '../describeNetwork.ts'
import { createHomes, HomeProcess, type Homes, headOf, reach } from '../homeProcess.ts'
import { RemoteSigner } from './remoteSigner.ts'

/** A home whose key is in a remote signer: it is not refused, and what the signer does not do is told. */

describeNetwork('a home whose key a remote signer has', slow, () => {
  let homes: Homes
  let folder: string
  let home: string
  let keyFile: string
  let signer: RemoteSigner | undefined

  beforeEach(() => {
    homes = createHomes(1, 200)
    folder = mkdtempSync(join(tmpdir(), 'perihelion-signer-'))
    home = homes.homes[0] as string
    keyFile = join(home, 'engine', 'config', 'priv_validator_key.json')
  })
  afterEach(async () => {
    signer?.close()
    signer = undefined
    await homes.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const readKey = () => parseEngineKeyFile(readFileSync(keyFile, 'utf8'))

  test('starts without the key once the signer is there, and is never taken for one that has a key', async () => {
    const first = await new HomeProcess(home).ready()
    await reach(first, 2)
    await first.stop()
    const key = readKey()
    rmSync(keyFile)
    const socket = join(folder, 'signer.sock')
    const args = ['--priv-validator-laddr', `unix://${socket}`]

    // The signer is away: a start that a supervisor tries again. CometBFT leaves its socket behind.
    const early = new HomeProcess(home, { args })
    expect(await early.ended).toMatchObject({ code: 69 })
    expect(early.errors).toContain(`no remote signer came to unix://${socket} (priv-validator-laddr)`)
    expect(existsSync(socket)).toBe(true)

    // Nothing that was made meanwhile is the key of a validator.
    const identity = JSON.parse((await runToEnd(['network', 'id', '--home', home, '--json'])).stdout)
    expect(identity).toMatchObject({ hasRemoteSigner: true })
    expect(identity).not.toHaveProperty('validatorKey')
    const doctor = await runToEnd(['doctor', '--home', home])
    expect(doctor.stdout).toContain(`the remote signer on unix://${socket} has the key of this node`)
    const without = new HomeProcess(home, { args: ['--priv-validator-laddr', ''] })
    expect(await without.ended).toMatchObject({ code: 78 })
    expect(without.errors).toContain('only stands for that of a remote signer')

    signer = new RemoteSigner(socket, key)
    const node = await new HomeProcess(home, { args }).ready()
    await reach(node, (await headOf(node)) + 2)
    expect(Buffer.from(readKey().publicKey)).not.toEqual(Buffer.from(key.publicKey))
    await node.stop()
  })

  test('says that the signer is away, and that it is back', async () => {
    const first = await new HomeProcess(home).ready()
    await reach(first, 2)
    await first.stop()
    const socket = join(folder, 'signer.sock')
    signer = new RemoteSigner(socket, readKey())
    const node = await new HomeProcess(home, {
      args: ['--priv-validator-laddr', `unix://${socket}`],
    }).ready()
    await reach(node, (await headOf(node)) + 2)
    const readiness = async () => {
      const { status, body } = await sendHttp(node.http, { method: 'GET', path: '/ready' })
      return [status, body] as const
    }
    signer.moveTo(join(folder, 'elsewhere.sock'))
    await eventually(async () => (await readiness())[0] === 503)
    expect(JSON.parse((await readiness())[1])).toMatchObject({
      reasons: ['engine'],
      problem: expect.stringContaining(`the remote signer does not answer on unix://${socket}`),
    })
    signer.moveTo(socket)
    await eventually(async () => (await readiness())[0] === 200)
    await reach(node, (await headOf(node)) + 2)
    const told = node.errors.split('\n').filter((line) => line.includes('the remote signer'))
    expect(told.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(['error', 'info'])
    await node.stop()
  })

  test('is asked alone, however slow it is, until it goes: a second one with the same key waits, and takes over', async () => {
    const socket = join(folder, 'signer.sock')
    const first = new RemoteSigner(socket, readKey())
    signer = first
    const node = await new HomeProcess(home, {
      args: ['--priv-validator-laddr', `unix://${socket}`],
    }).ready()
    await reach(node, 2)
    const second = new RemoteSigner(socket, readKey())
    try {
      first.delayMs = 300
      await reach(node, (await headOf(node)) + 2)
      expect([first.refused, second.signed.size]).toEqual([0, 0])
      first.close()
      await reach(node, (await headOf(node)) + 2)
      // Each has a record of its own: what one signed is not in that of the other.
      expect([...second.signed.keys()].filter((place) => first.signed.has(place))).toEqual([])
      expect(second.signed.size).toBeGreaterThan(0)
    } finally {
      second.close()
    }
    await node.stop()
  })
})
