import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addressOf,
  createCandidate,
  signCandidate,
  testChainId,
} from '../../../test/support/signedCandidates.ts'
import { slow } from '../../../test/support/slow.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { forks } from '../../chain/config/forks.ts'
import { ethereumLimits } from '../../chain/config/limits.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { signAuthorization } from '../../chain/transaction/signature.ts'
import type {
  RecoveredTransaction,
  TransactionSignature,
  UnsignedTransaction,
} from '../../chain/transaction/transaction.ts'
import { leastGas } from '../../chain/transaction/transactionRules.ts'
import { codes } from '../../cosmos/codes.ts'
import { perihelionDialect } from '../../cosmos/transaction/dialect.ts'
import { decodeProposerEntry, encodeProposerEntry } from '../../cosmos/transaction/proposerEntry.ts'
import { unwrapTransaction } from '../../cosmos/transaction/unwrap.ts'
import { wrapTransaction } from '../../cosmos/transaction/wrap.ts'
import { decodeBlockEntries } from './nativeBlock.ts'
import { prepareProposal, processProposal } from './proposal.ts'
import { maxBlockEntries, type ProposalRules } from './rules.ts'

const reward = new Uint8Array(20).fill(0xab)
const rules: ProposalRules = {
  height: 7n,
  timestamp: 1_000n,
  fork: 'osaka',
  chainId: testChainId,
  limits: ethereumLimits,
  gasLimit: 100_000n,
  fullBlocks: false,
}
const limits = { rules, reward, maxBytes: 1_000_000 }

const entriesOf = (
  options: typeof limits,
  candidates: Iterable<RecoveredTransaction>,
): readonly Uint8Array[] => prepareProposal(options, candidates).entries

const wrap = ({ transaction, raw, sender }: RecoveredTransaction, from = sender): Uint8Array =>
  wrapTransaction({ transaction, raw, from }, perihelionDialect)

const entry = encodeProposerEntry({ height: 7n, reward })
const noncesOf = (entries: readonly Uint8Array[]): (bigint | undefined)[] =>
  entries.slice(1).map((bytes) => unwrapTransaction(bytes, perihelionDialect).native?.transaction.nonce)

describe('a proposal of this node', () => {
  it('names the proposer first and keeps the order of the pool', () => {
    const candidates = [createCandidate(0, 3n), createCandidate(1, 9n), createCandidate(0, 4n)]
    const entries = entriesOf(limits, candidates)
    expect(decodeProposerEntry(entries[0] as Uint8Array)).toEqual({ height: 7n, reward })
    expect(noncesOf(entries)).toEqual([3n, 9n, 4n])
    expect(processProposal(entries, rules).accepted).toBe(true)
  })

  it('ends the part of a sender at what does not fit the gas, and takes others still', () => {
    const candidates = [
      createCandidate(0, 0n),
      createCandidate(0, 1n, { gasLimit: 90_000n }),
      createCandidate(0, 2n),
      createCandidate(1, 5n),
    ]
    expect(noncesOf(entriesOf(limits, candidates))).toEqual([0n, 5n])
  })

  it('asks for no more candidates when no gas is left', () => {
    let asked = 0
    const endless = function* () {
      for (;;) yield createCandidate(0, BigInt(asked++))
    }
    expect(entriesOf(limits, endless())).toHaveLength(5)
    expect(asked).toBe(4)
  })

  it('stays within the bytes as the engine counts them', () => {
    const candidates = Array.from({ length: 4 }, (_, nonce) => createCandidate(nonce, BigInt(nonce)))
    const all = entriesOf(limits, candidates)
    // Tag and varint: two bytes for an entry below 128 bytes, three above.
    const exact = all.reduce((sum, { length }) => sum + length + (length < 128 ? 2 : 3), 0)
    expect(entriesOf({ ...limits, maxBytes: exact }, candidates)).toHaveLength(5)
    expect(entriesOf({ ...limits, maxBytes: exact - 1 }, candidates)).toHaveLength(4)
  })

  it('leaves blob transactions out', () => {
    const blob = signCandidate(0, {
      type: 3,
      chainId: testChainId,
      nonce: 0n,
      maxPriorityFeePerGas: 1n,
      maxFeePerGas: 10n ** 10n,
      gasLimit: 21_000n,
      to: reward,
      value: 0n,
      data: new Uint8Array(0),
      accessList: [],
      maxFeePerBlobGas: 1n,
      blobVersionedHashes: [new Uint8Array(32).fill(1)],
    })
    expect(entriesOf(limits, [blob, createCandidate(0, 1n)])).toHaveLength(1)
    expect(reasonOf([entry, wrap(blob)])).toMatch(/^entry 1: blob transactions are not accepted/)
  })
})

const reasonOf = (entries: readonly Uint8Array[]): string => {
  const verdict = processProposal(entries, rules)
  return verdict.accepted ? 'accepted' : verdict.reason
}

describe('a proposal of another', () => {
  const good = createCandidate(0, 0n)

  it('is accepted with its senders', () => {
    const verdict = processProposal([entry, wrap(good)], rules)
    expect(verdict.accepted && [...verdict.senders.values()]).toEqual([addressOf(0)])
    expect(reasonOf([entry])).toBe('accepted')
  })

  it.each([
    ['the first entry does not name the proposer', []],
    ['the first entry does not name the proposer', [wrap(good)]],
    ['the proposer is named for height 8, not 7', [encodeProposerEntry({ height: 8n, reward }), wrap(good)]],
    ['entry 1: message is not a /cosmos.evm.vm.v1.MsgEthereumTx', [entry, entry]],
    ['entry 2: message is not a /cosmos.evm.vm.v1.MsgEthereumTx', [entry, wrap(good), entry]],
    ['entry 1: expected 1 message, got 0', [entry, new Uint8Array(0)]],
    ['entry 1: tx parse error', [entry, Uint8Array.of(0x0f)]],
    ['entry 2: comes twice', [entry, wrap(good), wrap(good)]],
    ['entry 1: signed for chain 1, not 31337', [entry, wrap(createCandidate(0, 0n, { chainId: 1n }))]],
    [
      'entry 5: gas of the block over 100000',
      [entry, ...[0n, 1n, 2n, 3n, 4n].map((nonce) => wrap(createCandidate(0, nonce)))],
    ],
    [
      'entry 1: gas 20999 is below the intrinsic 21000',
      [entry, wrap(createCandidate(0, 0n, { gasLimit: 20_999n }))],
    ],
    [
      `entry 1: invalid sender: signed by 0x${Buffer.from(addressOf(0)).toString('hex')}, not 0x${'ab'.repeat(20)}`,
      [entry, wrap(good, reward)],
    ],
  ])('is rejected: %s', (reason, entries) => {
    expect(reasonOf(entries)).toBe(reason)
  })

  it('is rejected for more entries than a block may have, before any is decoded', () => {
    const empty = new Uint8Array(0)
    const full = [entry, ...Array<Uint8Array>(maxBlockEntries - 1).fill(empty)]
    expect(processProposal(full, rules)).toMatchObject({ reason: expect.stringContaining('entry 1:') })
    expect(processProposal([...full, empty], rules)).toMatchObject({
      reason: `${maxBlockEntries + 1} entries are more than ${maxBlockEntries}`,
    })
  })

  it('is rejected for a signature that has no signer', () => {
    const signed = (signature: TransactionSignature): Uint8Array => {
      const transaction = { ...good.transaction, signature }
      return wrap({ ...good, transaction, raw: encodeTransaction(transaction) })
    }
    const { yParity, r, s } = good.transaction.signature
    expect(reasonOf([entry, signed({ yParity, r, s })])).toBe('accepted')
    const noSigner = 'entry 1: invalid sender: invalid transaction v, r, s values'
    expect(reasonOf([entry, signed({ yParity, r: 0n, s })])).toBe(noSigner)
    // The other signature of the same key, which EIP-2 forbids.
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    expect(reasonOf([entry, signed({ yParity: 1 - yParity, r, s: order - s })])).toBe(noSigner)
  })

  it('follows the rules of its fork', () => {
    const set = processProposal([entry, wrap(good)], { ...rules, fork: 'berlin' })
    expect(set).toEqual({ accepted: false, reason: 'entry 1: type 2 is not part of berlin' })
  })
})

describe('a proposal that is filled by use', () => {
  const filled: ProposalRules = { ...rules, fullBlocks: true }
  const reasonWith = (by: ProposalRules, candidates: readonly RecoveredTransaction[]): string => {
    const result = processProposal([entry, ...candidates.map((one) => wrap(one))], by)
    return result.accepted ? 'accepted' : result.reason
  }
  const four = [0, 1, 2, 3].map((sender) => createCandidate(sender, 0n, { gasLimit: 100_000n }))

  it('may have gas limits of more than the block, where their least gas is within it', () => {
    expect(reasonWith(filled, four)).toBe('accepted')
    expect(reasonWith(rules, four)).toBe('entry 2: gas of the block over 100000')
    const fifth = createCandidate(4, 0n)
    expect(reasonWith(filled, [...four, fifth])).toBe('entry 5: gas of the block over 100000')
    // Of a transaction that needs more than the others, there are fewer.
    const long = createCandidate(4, 0n, { data: new Uint8Array(2_000), gasLimit: 41_000n })
    expect(reasonWith(filled, [...four.slice(0, 2), long])).toBe('accepted')
    expect(reasonWith(filled, [...four.slice(0, 3), long])).toBe('entry 4: gas of the block over 100000')
  })

  it('has no transaction that could never find room, and none twice', () => {
    expect(reasonWith(filled, [createCandidate(0, 0n, { gasLimit: 100_001n })])).toMatch('gas of the block')
    expect(reasonWith(filled, [...four.slice(0, 1), ...four.slice(0, 1)])).toBe('entry 2: comes twice')
  })

  it('has gas limits of at most a thousand times the block’s gas', () => {
    const large: ProposalRules = {
      ...filled,
      gasLimit: 63_000_000n,
      limits: { ...ethereumLimits, transactionGas: undefined },
    }
    const candidates = Array.from({ length: 1_001 }, (_, nonce) =>
      createCandidate(0, BigInt(nonce), { gasLimit: 63_000_000n }),
    )
    expect(reasonWith(large, candidates.slice(0, 1_000))).toBe('accepted')
    expect(reasonWith(large, candidates)).toBe('entry 1001: gas of the block over 63000000')
  })

  it('has no more transactions and bytes than one whose gas limits are within the block’s gas', () => {
    const candidate = fc
      .record({
        sender: fc.nat(5),
        zeros: fc.nat(3_000),
        others: fc.nat(300),
        extra: fc.bigInt(0n, 120_000n),
      })
      .map(({ sender, zeros, others, extra }) => ({
        sender,
        data: new Uint8Array(zeros + others).fill(1, zeros),
        extra,
      }))
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 8 }), fc.boolean(), (drafts, fullBlocks) => {
        const sign = (extraOf: (extra: bigint) => bigint) =>
          drafts.map(({ sender, data, extra }, nonce) => {
            const { transaction } = createCandidate(sender, BigInt(nonce), { data })
            const gasLimit = leastGas(transaction, 'osaka') + extraOf(extra)
            return createCandidate(sender, BigInt(nonce), { data, gasLimit })
          })
        const candidates = sign((extra) => extra)
        const proposed = prepareProposal({ ...limits, rules: { ...rules, fullBlocks } }, candidates)
        expect(processProposal(proposed.entries, { ...rules, fullBlocks }).accepted).toBe(true)
        const before = reasonWith(rules, candidates)
        const after = reasonWith(filled, candidates)
        // What was accepted stays so, and what is accepted now would have been with lower gas limits.
        if (before === 'accepted') expect(after).toBe('accepted')
        if (after === 'accepted')
          expect(
            reasonWith(
              rules,
              sign(() => 0n),
            ),
          ).toBe('accepted')
      }),
      { numRuns: 60 },
    )
  })

  it('leaves out by its gas limit what is not likely to find room', () => {
    const likely = { of: () => 25_000n, mayTry: () => true }
    const propose = (candidates: readonly RecoveredTransaction[], given = likely) =>
      prepareProposal({ ...limits, rules: filled }, candidates, given).entries.length - 1
    const ninety = [0, 1, 2, 3].map((sender) => createCandidate(sender, 0n, { gasLimit: 70_000n }))
    expect(propose(ninety)).toBe(2)
    expect(prepareProposal({ ...limits, rules: filled }, ninety).entries).toHaveLength(2)
    // What may not be tried is proposed only where it is sure of its room.
    expect(propose(ninety, { ...likely, mayTry: () => false })).toBe(1)
    // Nothing uses less than its least gas, nor more than its limit.
    const small = [0, 1, 2, 3, 4].map((sender) => createCandidate(sender, 0n))
    expect(propose(small, { ...likely, of: () => 0n })).toBe(4)
    expect(propose(small, { ...likely, of: () => 10n ** 9n })).toBe(4)
  })
})

describe('a decided block', () => {
  const good = createCandidate(0, 0n)

  it('has a response for each entry, good or bad', () => {
    const { beneficiary, entries } = decodeBlockEntries(
      [entry, Uint8Array.of(1, 2, 3), wrap(good), wrap(good, reward), entry],
      rules,
      new Map(),
    )
    expect(beneficiary).toEqual(reward)
    expect(entries).toEqual([
      { kind: 'proposer' },
      { kind: 'rejected', rejection: { code: codes.malformed, message: 'tx parse error' } },
      { kind: 'candidate', candidate: good },
      { kind: 'rejected', rejection: { code: codes.wrongSigner, message: expect.any(String) } },
      { kind: 'rejected', rejection: { code: codes.invalidType, message: expect.any(String) } },
    ])
  })

  it('has a cheap answer for entries that are only fields, the same on every node', () => {
    const bomb = new Uint8Array(Buffer.alloc(130_000, Uint8Array.of(0x7a, 0)))
    const { entries } = decodeBlockEntries([entry, bomb, new Uint8Array(0)], rules, new Map())
    expect(entries.map((found) => (found.kind === 'rejected' ? found.rejection.code : found.kind))).toEqual([
      'proposer',
      codes.malformed,
      codes.invalidRequest,
    ])
    expect(processProposal([entry, bomb], rules)).toEqual({
      accepted: false,
      reason: 'entry 1: tx parse error',
    })
  })

  it('pays nobody where it names no proposer of its height', () => {
    const other = encodeProposerEntry({ height: 6n, reward })
    const { beneficiary, entries } = decodeBlockEntries([other], rules, new Map())
    expect(beneficiary).toEqual(new Uint8Array(20))
    expect(entries[0]?.kind).toBe('rejected')
    expect(decodeBlockEntries([], rules, new Map()).entries).toEqual([])
  })

  it('takes senders that are known without another recovery', () => {
    const known = new Map([[`0x${Buffer.from(good.hash).toString('hex')}`, reward]])
    // A wrong one shows that nothing was recovered.
    expect(decodeBlockEntries([entry, wrap(good, reward)], rules, known).entries[1]?.kind).toBe('candidate')
  })
})

describe('whatever the pool holds and whatever the fork', () => {
  const high = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  /** The other signature of the same key for the same transaction, which is valid before Homestead. */
  const withHighS = (candidate: RecoveredTransaction): RecoveredTransaction => {
    const { yParity, r, s } = candidate.transaction.signature
    const transaction = { ...candidate.transaction, signature: { yParity: 1 - yParity, r, s: high - s } }
    const raw = encodeTransaction(transaction)
    return { ...candidate, transaction, raw, hash: keccak256(raw) }
  }
  const gasLimit = fc.constantFrom(20_999n, 21_000n, 53_000n, 400_000n, 2n ** 24n, 2n ** 24n + 1n, 2n ** 63n)
  const fields = fc.record({
    sender: fc.integer({ min: 0, max: 2 }),
    type: fc.constantFrom(0, 1, 2, 3, 4),
    nonce: fc.constantFrom(0n, 1n, 2n, 2n ** 64n - 1n),
    gasLimit,
    maxFeePerGas: fc.constantFrom(0n, 10n ** 9n, 2n ** 255n),
    to: fc.constantFrom(undefined, reward),
    length: fc.constantFrom(0, 1, 49_152, 49_153),
    chainId: fc.constantFrom(undefined, testChainId, 1n),
    isHighS: fc.boolean(),
  })
  const toCandidate = (
    given: typeof fields extends fc.Arbitrary<infer Fields> ? Fields : never,
  ): RecoveredTransaction => {
    const { sender, type, chainId, maxFeePerGas, length, isHighS, ...common } = given
    const shared = { ...common, value: 0n, data: new Uint8Array(length).fill(1), accessList: [] }
    const dynamic = { ...shared, chainId: chainId ?? 1n, maxFeePerGas, maxPriorityFeePerGas: 0n }
    const unsigned: readonly UnsignedTransaction[] = [
      { ...shared, type: 0, chainId, gasPrice: maxFeePerGas },
      { ...shared, type: 1, chainId: chainId ?? 1n, gasPrice: maxFeePerGas },
      { ...dynamic, type: 2 },
      { ...dynamic, type: 3, maxFeePerBlobGas: 1n, blobVersionedHashes: [new Uint8Array(32).fill(1)] },
      { ...dynamic, type: 4, authorizations: length === 0 ? [] : [authorization] },
    ]
    const candidate = signCandidate(sender, unsigned[type] as UnsignedTransaction) // one for each type
    return isHighS ? withHighS(candidate) : candidate
  }
  const authorization = signAuthorization(
    { chainId: testChainId, address: reward, nonce: 0n },
    new Uint8Array(32).fill(7),
  )

  it('a proposal of this node is one that it would accept from another', slow, () => {
    fc.assert(
      fc.property(
        fc.array(fields, { maxLength: 12 }),
        fc.constantFrom(...forks),
        fc.constantFrom(21_000n, 500_000n, 60_000_000n, 2n ** 63n),
        fc.constantFrom(300, 60_000, 1_000_000),
        (list, fork, blockGas, maxBytes) => {
          const blockRules = { ...rules, fork, gasLimit: blockGas }
          const candidates = list.map(toCandidate)
          const { entries } = prepareProposal({ rules: blockRules, reward, maxBytes }, candidates)
          expect(processProposal(entries, blockRules)).toMatchObject({ accepted: true })
        },
      ),
      { numRuns: 150 },
    )
  })
})
