import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findGeth } from '../../support/programs/findProgram.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { serveInGeth } from '../gethChain.ts'
import { unpackChain } from '../traces/fixtures.ts'
import { readChainFacts } from './chainFacts.ts'
import { allQuestions, askAll, keyOf } from './question.ts'
import { type KnownAnswer, saveRecording, toKnown } from './recording.ts'

/** Keeps what geth answers: `npm run long -- recordAnswers`, with geth on the path or in GETH. */

const geth = findGeth()
if (geth === undefined) throw new Error('geth is neither on the path nor named by GETH')
const folder = temporaryHome()
const own = join(folder, 'own')
mkdirSync(own)
try {
  const { client, close } = await serveInGeth(unpackChain(own), { geth, folder: join(folder, 'geth') })
  try {
    const answers: Record<string, KnownAnswer> = {}
    await askAll(client, allQuestions(await readChainFacts(client)), (question, answer) => {
      answers[keyOf(question)] = toKnown(answer)
    })
    const version = await client.call<string>('web3_clientVersion')
    saveRecording({ version: version.replace(/\/.*(v[\d.]+)-.*/, '/$1'), answers })
    process.stdout.write(`${Object.keys(answers).length} answers\n`)
  } finally {
    await close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
