import { fromHex, toHex } from '../../../../src/base/encoding/hex.ts'
import { headerHash } from '../../../../src/comet/data/headerHash.ts'
import { HeaderProofs } from '../../../../src/light/headerProofs.ts'
import { encodeTrust, parseTrust } from '../../../../src/light/savedTrust.ts'
import { readTrieProof } from '../../../../src/light/state/trieProof.ts'
import { openRecordedNetwork, type RecordedHeight } from '../recordedNetwork.ts'
import { forge, openRecordedStates, type RecordedQuery } from '../recordedStates.ts'
import { differingVerdicts, type Verdict } from '../verdicts.ts'

/** The light client as a page has it: recordings of real nodes come in as text, and what it makes of them goes out as text. */

/** A value of a trie with its proof, in hex. */
export interface TrieCase {
  readonly root: string
  readonly path: string
  readonly nodes: readonly string[]
}

export interface Recordings {
  readonly network: readonly RecordedHeight[]
  readonly states: readonly RecordedQuery[]
  readonly verdicts: readonly Verdict[]
  readonly trie: TrieCase
}

/** What a work ended with: `fine`, or the name of the error and its kind. */
const outcomeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work()
    return 'fine'
  } catch (error) {
    const { name, kind = '' } = error as { readonly name: string; readonly kind?: string }
    return `${name} ${kind}`.trim()
  }
}

/** Follows the recorded network from its first block on, with trust that is kept as text. */
const followNetwork = async (recorded: readonly RecordedHeight[]) => {
  const { headers, source, rules, hashAt } = openRecordedNetwork(recorded)
  let kept: string | undefined
  const open = (): HeaderProofs =>
    new HeaderProofs(
      rules.chainId,
      { root: { height: 1, hash: hashAt(1) }, trustingPeriodMs: undefined, maxClockDriftMs: 10_000 },
      {
        commonHeight: (_, latest) => latest,
        mayBeThere: () => false,
        areAllUsable: () => true,
        askOthers: async () => undefined,
        storedHash: () => undefined,
        storedHead: () => undefined,
        store: {
          load: () => (kept === undefined ? undefined : parseTrust(kept)),
          save: (trust) => {
            kept = encodeTrust(trust)
          },
        },
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      },
    )
  const proofs = open()
  await proofs.open(source, headers.length)
  const prove = (height: number, forged?: Uint8Array) => {
    const { header } = headers[height - 1] as (typeof headers)[number]
    return proofs.prove(source, { header, hash: forged ?? hashAt(height), transactions: [] })
  }
  await prove(headers.length - 1)
  const forged = await outcomeOf(() => prove(headers.length, forge(hashAt(headers.length))))
  await prove(headers.length)
  proofs.close()
  return { height: open().trustedHeight, forged }
}

/** Reaches the last block where the first of its votes has another bit, or its header another AppHash. */
const reachForged = async (recorded: readonly RecordedHeight[]) => {
  const { headers, trustAt, source } = openRecordedNetwork(recorded)
  const last = headers.length
  const { header, commit } = headers[last - 1] as (typeof headers)[number]
  const signatures = commit.signatures.map((vote) => ({ ...vote, signature: forge(vote.signature) }))
  const reach = (said: (typeof headers)[number]) =>
    outcomeOf(() =>
      trustAt(1).reach({ ...source, signedHeader: async () => said }, last, headerHash(said.header)),
    )
  return {
    vote: await reach({ header, commit: { ...commit, signatures } }),
    header: await reach({ header: { ...header, appHash: forge(header.appHash) }, commit }),
  }
}

const proveStates = async (recorded: readonly RecordedQuery[]) => {
  let isLying = false
  const { proofs, check, questions } = openRecordedStates(recorded, (value) =>
    isLying && value.length > 0 ? forge(value) : value,
  )
  for (const question of questions) await check(question)
  const proven = proofs.counts().get('proven')
  isLying = true
  const [told] = questions.filter(({ path, reply }) => path.endsWith('Balance') && reply.response.value)
  return { proven, forged: told && (await outcomeOf(() => check(told))) }
}

const proveTrie = async ({ root, path, nodes: given }: TrieCase) => {
  const nodes = given.map(fromHex)
  const read = (proof: readonly Uint8Array[]) => readTrieProof(fromHex(root), fromHex(path), proof)
  return {
    value: toHex(read(nodes) ?? new Uint8Array(0)),
    forged: await outcomeOf(() => read(nodes.map(forge))),
  }
}

/** Returns what becomes of recordings, and of forged ones. */
export const proveRecordings = async (text: string): Promise<string> => {
  const { network, states, verdicts, trie } = JSON.parse(text) as Recordings
  return JSON.stringify({
    hasWebCrypto: typeof crypto !== 'undefined' && crypto.subtle !== undefined,
    followed: await followNetwork(network),
    reached: await reachForged(network),
    states: await proveStates(states),
    trie: await proveTrie(trie),
    differingVerdicts: await differingVerdicts(verdicts),
  })
}
