import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { locatePeer } from '../../../bench/support/peers/locate.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { checkBlock, Findings } from '../parity/checkBlock.ts'
import { checkStates } from '../parity/checkStates.ts'
import type { Replayed } from '../parity/types.ts'
import {
  accountReader,
  produceBlock,
  repeatBlock,
  startAnvilNode,
  startOwnNode,
  type VariedNode,
} from './nodes.ts'
import {
  anvilForm,
  digestOf,
  explainAnvil,
  loadRecorded,
  ourForms,
  partingPlace,
  type Said,
} from './others.ts'
import { VariedChain } from './variedChain.ts'

/** `npm run long -- traceChecker` makes 1,000, and others with another SEED. */
const count = Number(process.env.TRANSACTIONS ?? 40)
const seed = Number(process.env.SEED ?? 1)
const anvil = locatePeer('anvil')?.file
const reason = anvil === undefined ? ' (skipped: there is no anvil; ANVIL or BENCH_PEERS names it)' : ''
/** What was recorded of this chain. */
const recorded = loadRecorded()
const known = recorded?.seed === seed ? recorded.transactions : []

describe(`${count} varied transactions from seed ${seed} in Parity’s format`, () => {
  const folder = temporaryHome()
  const found = new Findings()
  const notLikeAnvil: string[] = []
  const notAsRecorded: string[] = []
  const notAState: string[] = []
  let compared = 0

  const compareWithRecorded = (replayed: Replayed): void => {
    const was = known[compared++]
    if (was === undefined) return
    const hash = replayed.transactionHash ?? ''
    if (was.hash !== hash) notAsRecorded.push(`${hash} is not ${was.hash}: the chain is another one`)
    const said = ourForms(replayed)
    for (const [name, digest] of Object.entries(was.digests) as [keyof Said, string][]) {
      const isSame = digestOf(said[name]) === digest
      if (isSame === (was.exceptions?.[name] !== undefined))
        notAsRecorded.push(`${hash}: ${name} ${isSame ? 'is the same, though it is excepted' : 'differs'}`)
    }
  }

  beforeAll(
    async () => {
      const chain = new VariedChain(seed)
      const nodes: VariedNode[] = []
      try {
        const own = await startOwnNode(folder, chain)
        nodes.push(own)
        const peer = anvil === undefined ? undefined : await startAnvilNode(anvil, folder)
        if (peer !== undefined) nodes.push(peer)
        while (found.count < count) {
          const raws = await chain.nextBlock(count - found.count, accountReader(own))
          const block = await produceBlock(own, raws)
          const findings = await checkBlock(own.client, Number(block.number))
          const before = found.count
          found.add(findings)
          for (const replayed of findings.replayed) compareWithRecorded(replayed)
          notAState.push(...(await checkStates(own.client, Number(block.number), findings.replayed)))
          if (peer !== undefined) {
            await repeatBlock(peer, block, raws)
            const theirs = await peer.client.call<readonly Replayed[]>(
              'trace_replayBlockTransactions',
              block.number,
              ['trace', 'stateDiff'],
            )
            for (const [index, ours] of findings.replayed.entries()) {
              const their = theirs[index] as Replayed
              const [form, theirForm] = [anvilForm(ours), anvilForm(their)]
              if (form !== theirForm && explainAnvil(ours, their) === undefined)
                notLikeAnvil.push(
                  `${block.number}/${index} ${ours.transactionHash}\n${partingPlace(form, theirForm)}`,
                )
            }
          }
          if (count > 100 && Math.floor(before / 100) < Math.floor(found.count / 100))
            process.stderr.write(
              `${found.count} of ${count} transactions, ${found.wrong.length} wrong, ${notLikeAnvil.length} not like anvil\n`,
            )
        }
      } finally {
        for (const node of nodes) await node.close()
      }
    },
    120_000 + 1_000 * count,
  )

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('agree with the call tracer, the prestate tracer, the opcode log and the receipts', () => {
    expect(found.wrong.slice(0, 20)).toEqual([])
    expect(found.count).toBe(count)
    expect([...found.types].sort()).toEqual(['call', 'create', 'suicide'])
    const expected = ['Reverted', 'Out of gas', ...(count < 1_000 ? [] : rare)]
    expect([...found.errors]).toEqual(expect.arrayContaining(expected))
  })

  test('tell changes that lead from the state before a block to the state after it', () => {
    expect(notAState.slice(0, 20)).toEqual([])
  })

  test.skipIf(anvil === undefined)(`are what anvil says of the same chain${reason}`, () => {
    expect(notLikeAnvil.slice(0, 20)).toEqual([])
  })

  test('are what anvil and revm-inspectors said when they were recorded', () => {
    expect(notAsRecorded.slice(0, 20)).toEqual([])
  })
})

/** What some of a thousand transactions end with. */
const rare = [
  'Bad instruction',
  'Stack underflow',
  'Out of stack',
  'Bad jump destination',
  'Mutable Call In Static Context',
  'Out of bounds',
  'Insufficient balance for transfer',
  'Contract address collision',
  'Invalid code',
  'Built-in failed',
]
