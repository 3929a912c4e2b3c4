import { expect, test } from 'vitest'
import { parseAbciQuery } from '../../../src/comet/data/abciQuery.ts'
import { parseCommitReply } from '../../../src/comet/data/commit.ts'
import { headerHash } from '../../../src/comet/data/headerHash.ts'
import { NativeQueryError } from '../../../src/comet/data/nativeQuery.ts'
import { ProvenLie } from '../../../src/comet/data/provenLie.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { cosmosStateRules } from '../../../src/light/state/cosmosState.ts'
import { ics23Proofs } from '../../../src/light/state/ics23Proofs.ts'
import { StateProofs } from '../../../src/light/state/stateProofs.ts'
import { readLines } from './fixtures.ts'

/** What a real node (evmd 0.5.1) said of accounts, contracts and nobody, with its proofs. */

interface Line {
  readonly height?: number
  readonly commit?: unknown
  readonly path: string
  readonly data: string
  readonly reply: { readonly response: { readonly value?: string | null } }
}

const [{ height = 0, commit } = {} as Partial<Line>, ...lines] = readLines<Line>('states.jsonl.gz')
const signed = parseCommitReply(commit)
const questions = lines.filter(({ path }) => path.startsWith('/cosmos.evm'))

const setUp = (alter: (path: string, value: Uint8Array) => Uint8Array = (_, value) => value) => {
  const proofs = new StateProofs({
    rules: cosmosStateRules({ evmPackage: 'cosmos.evm.vm.v1', feeDenom: 'atest', decimals: 18 }),
    kind: ics23Proofs,
    highest: () => height,
    committed: () => ({ appHash: signed.header.appHash, hash: headerHash(signed.header) }),
    log: createThreadLog(() => undefined),
  })
  const find = (path: string, data: string) => {
    const found = lines.find((line) => line.path === path && line.data === data)
    if (found === undefined) throw new Error(`${path} ${data} is not recorded`)
    return parseAbciQuery(found.reply, height)
  }
  const node = {
    name: 'evmd',
    prove: async (store: string, key: Uint8Array) => {
      const proven = find(`store/${store}/key`, Buffer.from(key).toString('hex'))
      return { ...proven, value: alter(store, proven.value) }
    },
    signedHeader: async () => signed,
  }
  const check = ({ path, data }: Line) =>
    proofs.check(
      { path, request: Buffer.from(data, 'hex'), height },
      node,
      Promise.resolve(alter(path, find(path, data).value)),
    )
  return { proofs, check }
}

test('every answer of a real node is proven by the next header', async () => {
  const { proofs, check } = setUp()
  for (const question of questions) await check(question)
  expect(questions).toHaveLength(20)
  expect([...proofs.counts()]).toEqual([['proven', 20]])
})

test('no answer is, where a bit of a value is another', async () => {
  let isLying = false
  const { proofs, check } = setUp((_, value) => {
    if (!isLying || value.length === 0) return value
    const copy = Buffer.from(value)
    copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1)
    return copy
  })
  for (const question of questions) await check(question)
  isLying = true
  const told = questions.filter(({ reply }) => reply.response.value)
  for (const question of told) {
    // Slots that are all zero have not shown yet that their keys are known: then it is refused, and nobody called a liar.
    const isKnown = !question.path.endsWith('Storage')
    await expect(check(question)).rejects.toBeInstanceOf(isKnown ? ProvenLie : NativeQueryError)
  }
  expect(told.length).toBeGreaterThan(15)
  expect(proofs.counts().get('proven')).toBe(20)
})
