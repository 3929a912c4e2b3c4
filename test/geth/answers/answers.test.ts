import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChainFiles, serveChain } from '../../support/programs/chainFiles.ts'
import { findGeth } from '../../support/programs/findProgram.ts'
import type { RpcResponse } from '../../support/rpc/rpcClient.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { serveInGeth } from '../gethChain.ts'
import { unpackChain } from '../traces/fixtures.ts'
import { type ChainFacts, readChainFacts } from './chainFacts.ts'
import { allKnownDifferences, type Difference } from './differences.ts'
import { allQuestions, askAll, keyOf, type Question } from './question.ts'
import { isSame, type KnownAnswer, loadRecording } from './recording.ts'

/** One in so many stands for the others where there is little time. */
const share = 25

interface Found {
  readonly question: Question
  readonly geth: KnownAnswer
  readonly own: RpcResponse
}

describe('what geth answers on the same chain', { timeout: 1_800_000 }, () => {
  const recording = loadRecording()
  let folder: string
  let files: ChainFiles
  let own: Awaited<ReturnType<typeof serveChain>>
  let facts: ChainFacts

  beforeAll(async () => {
    folder = temporaryHome()
    files = unpackChain(folder)
    own = await serveChain(files, join(folder, 'served'), [
      '--json-rpc.api=eth,net,web3,debug,txpool',
      '--json-rpc.evm-timeout=60s',
      '--json-rpc.trace-timeout=60s',
      '--json-rpc.http-timeout=60s',
      '--json-rpc.queue-timeout=60s',
    ])
    facts = await readChainFacts(own.client)
  })
  afterAll(async () => {
    await own.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Asks ours, and returns how often each known difference was met; fails for every other. */
  const compare = async (questions: readonly Question[]) => {
    const counts = new Map<Difference, number>()
    const unknown: Found[] = []
    let same = 0
    await askAll(own.client, questions, (question, answer) => {
      const geth = recording.answers[keyOf(question)]
      if (geth === undefined) throw new Error(`geth was not asked: ${JSON.stringify(question).slice(0, 300)}`)
      if (isSame(geth, answer)) {
        same++
        return
      }
      const known = allKnownDifferences.find(({ holds }) => holds({ question, geth, own: answer }))
      if (known === undefined) unknown.push({ question, geth, own: answer })
      else counts.set(known, (counts.get(known) ?? 0) + 1)
    })
    expect(unknown.slice(0, 5), `${unknown.length} answers differ in a way that has no name`).toEqual([])
    return { counts, same }
  }

  test('is answered here, but for what is named: a piece', async () => {
    const questions = allQuestions(facts).filter((_, index) => index % share === 0)
    expect((await compare(questions)).same).toBeGreaterThan(questions.length / 3)
  })

  test('is answered here, but for what is named: all', slow, async () => {
    const questions = allQuestions(facts)
    expect(questions.map(keyOf).sort()).toEqual(Object.keys(recording.answers).sort())
    const { counts, same } = await compare(questions)
    const lines = allKnownDifferences.map((known) => `${counts.get(known) ?? 0} ${known.name}`)
    console.log(
      [`${questions.length} questions to ${recording.version}, ${same} the same`, ...lines].join('\n'),
    )
    const gone = allKnownDifferences.filter((known) => !counts.has(known)).map(({ name }) => name)
    expect(gone, 'differences that are none any more').toEqual([])
  })

  test('is what geth answers now, where it is there', async (ctx) => {
    const geth = findGeth()
    if (geth === undefined) return ctx.skip('geth is neither on the path nor named by GETH')
    const home = join(folder, 'geth')
    mkdirSync(home)
    const peer = await serveInGeth(files, { geth, folder: home })
    try {
      const isWhole = process.env.GETH_ANSWERS === 'all'
      const questions = allQuestions(facts).filter((_, index) => isWhole || index % share === 0)
      const changed: Question[] = []
      await askAll(peer.client, questions, (question, answer) => {
        const isKnown = question.method === 'web3_clientVersion' || question.method === 'debug_printBlock'
        const known = recording.answers[keyOf(question)]
        if (!isKnown && (known === undefined || !isSame(known, answer))) changed.push(question)
      })
      expect(changed.slice(0, 5)).toEqual([])
    } finally {
      await peer.close()
    }
  })
})
