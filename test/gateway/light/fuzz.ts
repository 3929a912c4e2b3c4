import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyBytes } from '../../../src/base/encoding/bytes.ts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { parseCommitReply } from '../../../src/comet/data/commit.ts'
import { headerHash } from '../../../src/comet/data/headerHash.ts'
import type { NativeBlock } from '../../../src/comet/data/nativeBlock.ts'
import { parseBlock } from '../../../src/comet/data/parseBlock.ts'
import { parseHeader } from '../../../src/comet/data/parseHeader.ts'
import { parseValidators } from '../../../src/comet/data/replies.ts'
import { UpstreamError } from '../../../src/comet/data/upstreamError.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { createTrustFile } from '../../../src/gateway/trust/trustFile.ts'
import { HeaderProofs } from '../../../src/light/headerProofs.ts'
import { type LightSource, TrustChain } from '../../../src/light/trustChain.ts'
import { TrustError } from '../../../src/light/trustError.ts'
import { ValidatorSet } from '../../../src/light/validatorSet.ts'
import type { TrustedHeader } from '../../../src/light/verifyHeader.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { attack, honest, type Said } from './attacks.ts'

export interface FuzzTally {
  readonly cases: number
  refused: number
  /** Lies that changed nothing of what is trusted. */
  harmless: number
  readonly wrong: string[]
  readonly crashes: string[]
}

export interface FuzzOptions {
  readonly cases: number
  readonly seed: number
  /** Whether signatures are verified; without it headers are believed that fit their own commit. */
  readonly isVerified?: boolean
  readonly onProgress?: (done: number, tally: FuzzTally) => void
}

const length = 48

/** What a node says in a JSON-RPC reply, before it is parsed: mutations may leave no JSON at all. */
const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new UpstreamError('the reply is not JSON')
  }
}

const sourceOf = (says: (height: number) => Said): LightSource => ({
  node: 'liar',
  signedHeader: async (height) => parseCommitReply(parseText(says(height).commit)),
  validators: async (height) => parseValidators(parseText(says(height).validators)).validators,
})

const known = new WeakMap<SyntheticChain, Map<number, TrustedHeader>>()

const trustAt = (chain: SyntheticChain, height: number): TrustChain => {
  const headers = known.get(chain) ?? new Map<number, TrustedHeader>()
  known.set(chain, headers)
  const trusted = headers.get(height) ?? {
    header: parseHeader(JSON.parse(chain.block(height) ?? '').block.header),
    validators: new ValidatorSet(parseValidators(JSON.parse(chain.validators(height))).validators),
  }
  headers.set(height, trusted)
  const rules = { chainId: chain.nativeChainId, trustingPeriodMs: undefined, maxClockDriftMs: 10_000 }
  return new TrustChain(rules, trusted)
}

interface Home {
  readonly proofs: HeaderProofs
  stored: number
}
const homes = new WeakMap<SyntheticChain, Home>()

/** A home that trusts the newest header of the chain, and whose store ends somewhere below it. */
const behind = async (chain: SyntheticChain, folder: string, stored: number): Promise<HeaderProofs> => {
  const known = homes.get(chain)
  if (known !== undefined) {
    known.stored = stored
    return known.proofs
  }
  const hashAt = (height: number): Uint8Array => chain.built(height)?.hash ?? emptyBytes
  const proofs = new HeaderProofs(
    chain.nativeChainId,
    { root: undefined, trustingPeriodMs: undefined, maxClockDriftMs: 10_000 },
    {
      commonHeight: (_, latest) => latest,
      mayBeThere: () => true,
      areAllUsable: () => true,
      askOthers: async () => undefined,
      storedHash: () => undefined,
      storedHead: () => ({ height: home.stored, hash: hashAt(home.stored) }),
      store: createTrustFile(join(folder, `${toHex(hashAt(1))}.json`), false),
      log: createThreadLog(() => undefined),
    },
  )
  const home: Home = { proofs, stored }
  const node = sourceOf((height) => honest(chain, height))
  await proofs.open(node, 1)
  for (const height of [1, length])
    await proofs.prove(node, parseBlock(JSON.parse(chain.block(height) ?? '')))
  homes.set(chain, home)
  return proofs
}

/** Trusts a header, is lied to about a later one, and returns the hash of what is believed then. */
const believe = async (chain: SyntheticChain, random: Random, folder: string | undefined) => {
  const from = 1 + random.below(length - 1)
  const height = random.chance(0.4) ? from + 1 : from + 1 + random.below(length - from)
  const [name, lie] = attack(chain, height, random)
  // Headers between are true, or lies too.
  const liesBetween = random.chance(0.3)
  const between = new Map<number, Said>()
  const source = sourceOf((asked) => {
    if (asked === height) return lie
    const said = between.get(asked) ?? (liesBetween ? attack(chain, asked, random)[1] : honest(chain, asked))
    between.set(asked, said)
    return said
  })
  const signed = await source.signedHeader(height)
  const claimed = headerHash(signed.header)
  const said = { name, height: signed.header.height, hash: claimed }
  if (folder === undefined) return said
  if (height < length && random.chance(0.3)) {
    const proofs = await behind(chain, folder, from)
    // Only the header is proven.
    const block = { header: { ...signed.header, height }, hash: claimed } as NativeBlock
    await proofs.prove(source, block)
    return { ...said, name: `${name}, below what is trusted,` }
  }
  const trust = trustAt(chain, from)
  await trust.reach(source, height, claimed)
  const { header } = trust.newest
  return { name, height: header.height, hash: headerHash(header) }
}

/** Lies about headers, commits and validators. What is believed has to be a block of the chain. */
export const runFuzz = async ({
  cases,
  seed,
  isVerified = true,
  onProgress,
}: FuzzOptions): Promise<FuzzTally> => {
  const chains = [undefined, 5, 16].map(
    (rotateEvery, at) =>
      new SyntheticChain({
        family: 'cosmos-evm-0.7',
        content: 'empty',
        length,
        seed: 3 + at,
        ...(rotateEvery === undefined ? {} : { rotateEvery }),
      }),
  )
  const tally: FuzzTally = { cases, refused: 0, harmless: 0, wrong: [], crashes: [] }
  const folder = isVerified ? mkdtempSync(join(tmpdir(), 'perihelion-fuzz-')) : undefined
  for (let at = 0; at < cases; at++) {
    const random = createRandom(seed * 1_000_003 + at)
    const chain = random.pick(chains)
    try {
      const { name, height, hash } = await believe(chain, random, folder)
      const real = chain.built(height)?.hash
      if (real && toHex(real) === toHex(hash)) tally.harmless++
      else tally.wrong.push(`case ${at}: ${name} made block ${height} believed`)
    } catch (error) {
      if (error instanceof UpstreamError || error instanceof TrustError) tally.refused++
      else tally.crashes.push(`case ${at}: ${(error as Error).stack}`)
    }
    if ((at + 1) % 10_000 === 0) onProgress?.(at + 1, tally)
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  return tally
}
