import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { parseCommitReply } from '../../../src/comet/data/commit.ts'
import type { NativeBlock } from '../../../src/comet/data/nativeBlock.ts'
import { parseBlock } from '../../../src/comet/data/parseBlock.ts'
import { ProvenLie } from '../../../src/comet/data/provenLie.ts'
import { parseValidators } from '../../../src/comet/data/replies.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { createTrustFile } from '../../../src/gateway/trust/trustFile.ts'
import {
  HeaderProofs,
  type HeaderProofsDependencies,
  type TrustOptions,
} from '../../../src/light/headerProofs.ts'
import type { LightSource } from '../../../src/light/trustChain.ts'
import { TrustError, UnprovenStoreError } from '../../../src/light/trustError.ts'
import { SyntheticChain, type SyntheticOptions } from '../replay/synthetic.ts'

/** Proofs of blocks when the store is behind what is trusted, as it is after a broken connection or a crash. */

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const chainOf = (length: number, options: Partial<SyntheticOptions> = {}): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length, content: 'empty', ...options })

/** The true blocks up to a height, and from there on those of somebody who names himself as the only validator. */
const forgedFrom = (at: number, length: number, options: Partial<SyntheticOptions> = {}): SyntheticChain =>
  chainOf(length, { ...options, fork: { at, isSigned: false, hasOwnValidators: true } })

const blockOf = (chain: SyntheticChain, height: number): NativeBlock =>
  parseBlock(JSON.parse(chain.block(height) as string))

const sourceOf = (chain: SyntheticChain, node = 'node'): LightSource => ({
  node,
  signedHeader: async (height) => parseCommitReply(JSON.parse(chain.commit(height) as string)),
  validators: async (height) => parseValidators(JSON.parse(chain.validators(height))).validators,
})

/** Proofs beside a store that is only its newest block. */
const home = (root?: TrustOptions['root'], nodes: Partial<HeaderProofsDependencies> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-proofs-'))
  folders.push(folder)
  let stored: NativeBlock | undefined
  const open = (): HeaderProofs =>
    new HeaderProofs(
      chainOf(1).nativeChainId,
      { root, trustingPeriodMs: undefined, maxClockDriftMs: 10_000 },
      {
        commonHeight: (_, latest) => latest,
        mayBeThere: () => true,
        areAllUsable: () => true,
        askOthers: async () => undefined,
        storedHash: (height) => (stored?.header.height === height ? stored.hash : undefined),
        storedHead: () => stored && { height: stored.header.height, hash: stored.hash },
        store: createTrustFile(join(folder, 'trust.json'), root !== undefined),
        log: createThreadLog(() => undefined),
        ...nodes,
      },
    )
  const store = (block: NativeBlock | undefined): void => {
    stored = block
  }
  return { open, store }
}

/** A home whose store is at `stored`, below what is trusted. */
const behind = async (chain: SyntheticChain, { root = 10, stored = 11, trusted = 60 } = {}) => {
  const { open, store } = home()
  const proofs = open()
  const source = sourceOf(chain)
  await proofs.open(source, root)
  await proofs.prove(source, blockOf(chain, root))
  await proofs.prove(source, blockOf(chain, trusted))
  store(blockOf(chain, stored))
  return { proofs, open, store }
}

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a block that is trusted by setting', () => {
  const chain = chainOf(60)
  const hash = new Uint8Array(32)

  it.each([
    ['a lie while a node is away that may have it', false, ProvenLie],
    ['a wrong setting where each node has another', true, TrustError],
  ])('is %s', async (_, areAllUsable, kind) => {
    const { open } = home({ height: 10, hash }, { areAllUsable: () => areAllUsable })
    expect(await failure(open().open(sourceOf(chain), 60))).toBeInstanceOf(kind)
  })

  it('is waited for if it is just above what a node has, and is a wrong setting far above', async () => {
    const nodes = { mayBeThere: (height: number) => height <= 60 + 64 }
    const errorAt = (height: number): Promise<unknown> =>
      failure(home({ height, hash }, nodes).open().open(sourceOf(chain), 60))
    expect(await errorAt(61)).toMatchObject({ kind: 'future height' })
    expect(await errorAt(1_000)).toBeInstanceOf(TrustError)
  })
})

describe('a store that is behind what is trusted', () => {
  it.each(['the same process', 'another one after a crash'])(
    'takes nothing that is made up: %s',
    async (at) => {
      const { proofs, open } = await behind(chainOf(60))
      proofs.close()
      const again = at === 'the same process' ? proofs : open()
      const forged = forgedFrom(12, 15)
      const error = await failure(again.prove(sourceOf(forged, 'liar'), blockOf(forged, 15)))
      expect(error).toBeInstanceOf(ProvenLie)
      expect((error as ProvenLie).kind).toBe('other validators')
      expect((error as ProvenLie).evidence).toBeDefined()
    },
  )

  it('takes nothing that is made up after a proof that ended between two headers', async () => {
    const chain = chainOf(60, { rotateEvery: 5 })
    const { open, store } = home()
    const proofs = open()
    await proofs.open(sourceOf(chain), 10)
    await proofs.prove(sourceOf(chain), blockOf(chain, 10))
    store(blockOf(chain, 10))
    const stopped: LightSource = {
      ...sourceOf(chain),
      signedHeader: async (height) => {
        if ((proofs.trustedHeight ?? 0) > 11) throw new Error('the line broke')
        return sourceOf(chain).signedHeader(height)
      },
    }
    await failure(proofs.prove(stopped, blockOf(chain, 60)))
    expect(proofs.trustedHeight).toBeGreaterThan(11)
    expect(proofs.trustedHeight).toBeLessThan(60)
    const forged = forgedFrom(11, 11, { rotateEvery: 5 })
    const error = await failure(proofs.prove(sourceOf(forged, 'liar'), blockOf(forged, 11)))
    expect(error).toBeInstanceOf(ProvenLie)
  })

  it('takes the true blocks of a node that is late, and goes on to the newest', async () => {
    const chain = chainOf(70, { rotateEvery: 7 })
    const { proofs, store } = await behind(chain)
    const late = sourceOf(chain, 'late')
    for (const height of [12, 13, 40, 59, 60, 61, 70]) {
      await proofs.prove(late, blockOf(chain, height))
      store(blockOf(chain, height))
    }
    expect(proofs.trustedHeight).toBe(70)
  })

  it('begins anew, as an empty one, when the store was removed', async () => {
    const chain = chainOf(60)
    const { proofs, store } = await behind(chain)
    store(undefined)
    const forged = forgedFrom(5, 20)
    await proofs.prove(sourceOf(forged, 'liar'), blockOf(forged, 20))
    store(blockOf(forged, 20))
    const error = await failure(proofs.examine(sourceOf(chain), 20, blockOf(forged, 20).hash))
    expect(error).toBeInstanceOf(TrustError)
  })
})

describe('blocks below the root', () => {
  const begin = async (chain: SyntheticChain) => {
    const { open, store } = home()
    const proofs = open()
    await proofs.open(sourceOf(chain), 60)
    return { proofs, open, store }
  }

  it('are checked from the stored one on, also those that were there before and were not stored', async () => {
    const chain = chainOf(60)
    const { proofs, store } = await begin(chain)
    const source = sourceOf(chain)
    await proofs.prove(source, blockOf(chain, 10))
    store(blockOf(chain, 10))
    await proofs.prove(source, blockOf(chain, 40))
    for (const height of [11, 30, 40]) {
      const forged = forgedFrom(11, height)
      const error = await failure(proofs.prove(source, blockOf(forged, height)))
      expect(error).toBeInstanceOf(ProvenLie)
      expect(await failure(proofs.prove(sourceOf(forged, 'liar'), blockOf(forged, height)))).toBeInstanceOf(
        ProvenLie,
      )
    }
    await proofs.prove(source, blockOf(chain, 60))
  })

  it('that somebody made up, and that were not stored, make no liar of another node', async () => {
    const chain = chainOf(60)
    const { proofs } = await begin(chain)
    const forged = forgedFrom(2, 20)
    await proofs.prove(sourceOf(forged, 'liar'), blockOf(forged, 20))
    await proofs.prove(sourceOf(chain), blockOf(chain, 30))
  })

  it('that are stored and made up make no liar of another node: the operator is told', async () => {
    const chain = chainOf(60, { rotateEvery: 7 })
    const { proofs, store, open } = await begin(chain)
    const forged = forgedFrom(2, 20)
    await proofs.prove(sourceOf(forged, 'liar'), blockOf(forged, 20))
    store(blockOf(forged, 20))
    proofs.close()
    for (const one of [proofs, open()]) {
      const error = await failure(one.examine(sourceOf(chain), 20, blockOf(forged, 20).hash))
      expect(error).toBeInstanceOf(UnprovenStoreError)
      expect((error as Error).message).toContain('not proven')
    }
  })
})

describe('a proof that nobody waits for any more', () => {
  it('goes on without a header between that a later proof has passed', async () => {
    const chain = chainOf(60, { rotateEvery: 5 })
    const source = sourceOf(chain)
    const proofs = home().open()
    await proofs.open(source, 10)
    const between: number[] = []
    const slow: LightSource = {
      ...source,
      signedHeader: async (height) => {
        if (height !== 60 && between.push(height) === 1) await proofs.prove(source, blockOf(chain, 59))
        return source.signedHeader(height)
      },
    }
    await proofs.prove(slow, blockOf(chain, 60))
    expect(between).toHaveLength(1)
    expect(proofs.trustedHeight).toBe(60)
  })

  it.each([
    ['made up blocks were stored', true],
    ['blocks of another replica were stored', false],
  ])('does not prove a store after %s', async (_, isMadeUp) => {
    const chain = chainOf(61)
    const forged = forgedFrom(2, 20)
    const { open, store } = home()
    const proofs = open()
    await proofs.open(sourceOf(chain), 60)
    let answer = (): void => undefined
    const isAnswered = new Promise<void>((resolve) => (answer = resolve))
    const slow: LightSource = {
      ...sourceOf(chain),
      signedHeader: async (height) => {
        await isAnswered
        return sourceOf(chain).signedHeader(height)
      },
    }
    const abandoned = proofs.prove(slow, blockOf(chain, 61))
    if (isMadeUp) await proofs.prove(sourceOf(forged, 'liar'), blockOf(forged, 20))
    else proofs.expectUnproven()
    store(blockOf(forged, 20))
    answer()
    await abandoned
    expect(proofs.trustedHeight).toBe(61)
    for (const one of [proofs, open()])
      expect(await failure(one.examine(sourceOf(chain), 20, blockOf(forged, 20).hash))).toBeInstanceOf(
        TrustError,
      )
  })
})

describe('another header than the known one', () => {
  it('is kept with what the node said', async () => {
    const chain = chainOf(60)
    const { proofs } = await behind(chain, { stored: 60 })
    const known = blockOf(chain, 50).hash
    for (const fork of [
      { at: 40, isSigned: true },
      { at: 40, isSigned: false },
      { at: 40, isSigned: false, hasOwnValidators: true },
    ]) {
      const error = await failure(proofs.examine(sourceOf(chainOf(60, { fork })), 50, known))
      expect(error).toBeInstanceOf(ProvenLie)
      expect(JSON.stringify((error as ProvenLie).evidence)).toContain('"signatures"')
    }
  })

  it('is not a lie of a node after blocks of another replica were taken, until they are proven', async () => {
    const chain = chainOf(70)
    const { proofs, open } = await behind(chain, { stored: 60 })
    proofs.expectUnproven()
    const fork = { at: 40, isSigned: false, hasOwnValidators: true }
    const other = chainOf(60, { fork })
    const again = open()
    for (const one of [proofs, again])
      expect(await failure(one.examine(sourceOf(other), 50, blockOf(chain, 50).hash))).toBeInstanceOf(
        TrustError,
      )
    await again.prove(sourceOf(chain), blockOf(chain, 61))
    expect(await failure(again.examine(sourceOf(other), 50, blockOf(chain, 50).hash))).toBeInstanceOf(
      ProvenLie,
    )
  })

  it('is not a lie of a node while nothing is trusted', async () => {
    const proofs = home().open()
    const chain = chainOf(5)
    expect(await failure(proofs.prove(sourceOf(chain), blockOf(chain, 5)))).toBeInstanceOf(TrustError)
  })
})
