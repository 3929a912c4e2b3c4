import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { slow } from '../../../../test/support/slow.ts'
import { describeConflict } from '../process/process.ts'
import { lockValidatorKey } from './keyLock.ts'
import { type EngineKey, validatorAddress } from './keys.ts'
import { OwnSignatures } from './ownSignatures.ts'
import { raiseSignState, readSignState, signStatePath } from './signState.ts'

const address = new Uint8Array(20).fill(7)
const other = new Uint8Array(20).fill(8)
const startedAt = 1_000_000_000_000

describe('signatures of this validator’s key', () => {
  let known: number
  let reads: number
  let castAt: number | undefined
  let clockStep: number
  const open = () => {
    reads = 0
    return new OwnSignatures(
      { address, path: 'state.json', startedAt },
      {
        read: () => {
          reads++
          return { height: known, round: 0, step: 3 }
        },
        castAt: async () => castAt,
        clockStep: () => clockStep,
      },
    )
  }
  const block = (height: number, blockIdFlag: number, { seconds = 0, voter = address } = {}) => ({
    height,
    time: BigInt(startedAt / 1000 + seconds),
    votes: [
      { validator: { address: other }, blockIdFlag: 2 },
      { validator: { address: voter }, blockIdFlag },
    ],
  })
  beforeEach(() => {
    known = 10
    castAt = startedAt
    clockStep = 0
  })

  it('are its own up to what it has signed, which is read again as it signs', async () => {
    const signatures = open()
    expect(await signatures.findForeign(block(11, 2))).toBeUndefined()
    known = 11
    expect(await signatures.findForeign(block(12, 2))).toBeUndefined()
    expect(reads).toBe(2)
  })

  it.each([
    ['the block', 2],
    ['nil', 3],
  ])('are somebody else’s above that, for %s', async (_, flag) => {
    expect(await open().findForeign(block(12, flag))).toMatch(
      /has signed block 11, and state\.json knows of nothing above 10: it is an old copy/,
    )
    expect(await open().findForeign(block(12, flag, { seconds: 60 }))).toMatch(
      /another process signs with the key .* signed block 11 while this node ran/,
    )
  })

  it('are of an older process where they were cast before this one, whatever it signed meanwhile', async () => {
    const signatures = open()
    known = 11
    castAt = startedAt - 2_000
    expect(await signatures.findForeign(block(12, 2))).toMatch(/has signed block 11, and .* nothing above 10/)
    castAt = undefined
    expect(await open().findForeign(block(12, 2))).toBeUndefined()
  })

  it('are its own after the clock was set back', async () => {
    const signatures = open()
    known = 11
    castAt = startedAt - 60_000
    clockStep = -60_500
    expect(await signatures.findForeign(block(12, 2))).toBeUndefined()
    clockStep = 0
    known = 12
    expect(await signatures.findForeign(block(13, 2))).toBeUndefined()
  })

  it('are not there where it did not vote, or is not a validator', async () => {
    expect(await open().findForeign(block(12, 1))).toBeUndefined()
    expect(await open().findForeign(block(12, 2, { voter: other }))).toBeUndefined()
    expect(await open().findForeign({ height: 1, time: 0n, votes: [] })).toBeUndefined()
  })

  it('are seen in CometBFT’s log too', () => {
    const message = 'found conflicting vote from ourselves; did you unsafe_reset a validator?'
    expect(describeConflict({ _msg: message, height: 7 })).toMatch(
      /a vote of it for block 7 that this node did not/,
    )
    expect(describeConflict({ _msg: 'added vote' })).toBeUndefined()
  })
})

/** The largest round that CometBFT can read. */
const lastRound = 2_147_483_647

describe('the record of signatures', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-sign-'))
    mkdirSync(join(folder, 'data'))
    path = signStatePath(folder)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is read as CometBFT writes it, and only raised', () => {
    writeFileSync(path, '{"height":"12","round":1,"step":3,"signature":"AA==","signbytes":"00"}')
    expect(readSignState(path)).toEqual({ height: 12, round: 1, step: 3 })
    expect(() => raiseSignState(path, 11)).toThrow('has height 12, which is never lowered: got 11')
    // Later rounds of the same height count as signed from then on, too.
    expect(raiseSignState(path, 12).state).toEqual({ height: 12, round: lastRound, step: 3 })
    expect(() => raiseSignState(path, 12)).toThrow('has height 12, which is never lowered: got 12')
    expect(raiseSignState(path, 20)).toEqual({
      state: { height: 20, round: lastRound, step: 3 },
      damagedAt: undefined,
    })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ height: '20', round: lastRound, step: 3 })
  })

  it.each(['{}', '{"height":"x","round":0,"step":0}', ''])(
    'that is damaged (%j) is said in a line',
    (text) => {
      writeFileSync(path, text)
      expect(() => readSignState(path)).toThrow(
        /cannot be read: .*: what this validator has signed is not known/,
      )
      // Raising it is the remedy, and the file is not lost.
      const { state, damagedAt = '' } = raiseSignState(path, 5)
      expect(state).toEqual({ height: 5, round: lastRound, step: 3 })
      expect(readSignState(path)).toEqual(state)
      expect(readFileSync(damagedAt, 'utf8')).toBe(text)
    },
  )

  it('that is missing is written by raising it alone', () => {
    expect(() => readSignState(path)).toThrow(/is missing: what this validator has signed is not known/)
    expect(raiseSignState(path, 5).state).toEqual({ height: 5, round: lastRound, step: 3 })
  })
})

describe.runIf(process.platform === 'linux')('a key', () => {
  let key: EngineKey
  const opened: Server[] = []
  beforeEach(() => {
    const privateKey = randomBytes(64)
    key = { privateKey, publicKey: privateKey.subarray(32) }
  })
  afterEach(() => {
    for (const server of opened.splice(0)) server.close()
  })

  /** The names of locks that there are, which everybody can read; the kernel shows zeros as @. */
  const locks = (): readonly string[] =>
    [...readFileSync('/proc/net/unix', 'utf8').matchAll(/@(perihelion-validator-\w+)@*$/gm)].map(
      ([, name]) => `\0${name}`,
    )

  /** Locks the key, and returns the name of the lock as another user can see it. */
  const lock = async (proofMs?: number): Promise<{ seen: string; unlock: () => Promise<void> }> => {
    const before = locks()
    const unlock = await lockValidatorKey(key, proofMs)
    const seen = locks().find((name) => !before.includes(name))
    if (seen === undefined) throw new Error('there is no lock')
    return { seen, unlock }
  }

  /** Takes the first lock of the key, as another user can who has seen it. */
  const squat = async (answer: (socket: Socket) => void): Promise<void> => {
    const { seen, unlock } = await lock()
    await unlock()
    const server = createServer((socket) => {
      socket.on('error', () => {})
      answer(socket)
    })
    opened.push(server)
    server.listen(seen)
    await once(server, 'listening')
  }

  it('is held by one process of a computer at a time', async () => {
    const unlock = await lockValidatorKey(key)
    await expect(lockValidatorKey(key)).rejects.toThrow('another process of this computer signs with the key')
    await unlock()
    await (await lockValidatorKey(key))()
  })

  it('has a lock whose name does not follow from what is public', async () => {
    const unlock = await lockValidatorKey(key)
    expect(locks()).not.toEqual([])
    expect(locks().join()).not.toContain(validatorAddress(key.publicKey))
    await unlock()
  })

  it('is not kept from its validator by somebody with the name of its lock who invents a proof', async () => {
    await squat((socket) => void socket.end(randomBytes(32)))
    const unlock = await lockValidatorKey(key)
    await expect(lockValidatorKey(key)).rejects.toThrow('another process of this computer signs with the key')
    // The name that was in the way is free again, and whoever takes it still finds the validator.
    opened.pop()?.close()
    await expect(lockValidatorKey(key)).rejects.toThrow('another process of this computer signs with the key')
    await unlock()
  })

  it.each([
    ['says nothing: it may be a node that hangs', () => {}],
    ['hangs up: it may be a node without a free file descriptor', (socket: Socket) => void socket.destroy()],
    ['ends before its proof is whole', (socket: Socket) => void socket.end(randomBytes(31))],
  ])('does not start beside somebody who %s', async (_, answer) => {
    await squat(answer)
    await expect(lockValidatorKey(key, 100)).rejects.toThrow('does not prove that it has the key')
  })

  describe('that is locked, for somebody who asks its lock', () => {
    const hour = 3_600_000
    const sockets: Socket[] = []
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.destroy()
    })

    /** Connects as somebody who does not hang up; `closed` ends when the lock does. */
    const ask = async (name: string) => {
      const socket = connect({ path: name, allowHalfOpen: true })
      sockets.push(socket)
      let received = 0
      socket.on('data', (bytes) => {
        received += bytes.length
      })
      socket.on('error', () => {})
      const ended = Promise.race([once(socket, 'end'), once(socket, 'close')])
      ended.catch(() => {})
      await once(socket, 'connect')
      return { socket, ended, received: () => received }
    }

    /** Writes until nobody reads it any more. */
    const writeUntilClosed = async (socket: Socket, bytes: Uint8Array, everyMs: number): Promise<void> => {
      const timer = setInterval(() => socket.write(bytes), everyMs)
      await new Promise((resolve) => socket.on('close', resolve))
      clearInterval(timer)
    }

    it('reads the challenge and nothing after it', async () => {
      const { seen, unlock } = await lock(hour)
      const { socket, ended, received } = await ask(seen)
      socket.write(randomBytes(32))
      await ended
      expect(received()).toBe(32)
      await writeUntilClosed(socket, new Uint8Array(1_000), 5)
      await unlock()
    })

    it('waits for a challenge for so long in all, not from byte to byte', slow, async () => {
      const { seen, unlock } = await lock(1_000)
      const { socket, received } = await ask(seen)
      await writeUntilClosed(socket, new Uint8Array(1), 100)
      expect(received()).toBe(0)
      await unlock()
    })

    it('is released while connections are open', async () => {
      const { seen, unlock } = await lock(hour)
      const silent = await ask(seen)
      // When the second one is answered, the first one has been accepted.
      const answered = await ask(seen)
      answered.socket.write(randomBytes(32))
      await answered.ended
      await unlock()
      await silent.ended
    })

    it('answers some connections at a time', async () => {
      const { seen, unlock } = await lock(hour)
      const asking = []
      for (let i = 0; i < 40; i++) asking.push(await ask(seen))
      await Promise.race(asking.map(({ ended }) => ended))
      await unlock()
    })
  })
})
