import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { testSome } from '../../support/slow.ts'
import { calls, casesOf, surroundings } from './cases.ts'
import { scripts } from './scripts.ts'
import { createScriptRunner } from './trace.ts'

type GethAnswer = { readonly result?: unknown; readonly error?: string }

/** Recorded by `npm run long -- recordTracers`. */
const answers = JSON.parse(readFileSync(new URL('./geth.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, GethAnswer>
>

/** geth's engine says where in the script it was. */
const withoutPlace = (message: string): string =>
  message.replace(/ at (?:\w+ \()?<eval>:\d+:\d+\(\d+\)\)?(?= {4}in |$)/, '')

/** The words of the engine itself: ours has others for the same. */
const ownWords: Readonly<Record<string, RegExp>> = {
  'badSyntax of loop': /^SyntaxError: /,
  'noSuchName of loop': /^ReferenceError: '?fooTracer'? is not defined$/,
}

/** geth gives text beyond ASCII that is a result by itself as a list of numbers; here it is text. */
const ownResults: Readonly<Record<string, string>> = {
  'resultText of loop': '\u00e9\u20ac<&>\\n',
  'resultLoneSurrogate of loop': '\ud800',
}

describe('scripts give what geth gives', () => {
  let run: Awaited<ReturnType<typeof createScriptRunner>>
  beforeAll(async () => {
    run = await createScriptRunner()
  })

  const cases = casesOf(scripts)

  test('all of them are recorded', () => {
    expect(cases.map(({ name }) => name).sort()).toEqual(Object.keys(answers).sort())
  })

  testSome(20, cases)('$name', async ({ name, script, call }) => {
    const { result, error } = answers[name] as GethAnswer
    const inputs = { script: scripts[script] as string, call: calls[call], ...surroundings }
    if (error === undefined) {
      expect(JSON.parse(await run(inputs))).toEqual(ownResults[name] ?? result)
      return
    }
    await expect(run(inputs)).rejects.toThrow(ownWords[name] ?? withoutPlace(error))
  })
})
