import { describe, expect, test } from 'vitest'
import { startReplay } from '../gateway/replay/server/server.ts'
import { SyntheticChain } from '../gateway/replay/synthetic.ts'
import { slow } from '../support/slow.ts'
import { blocksOf, pages, readPage } from './markdown.ts'
import { PageRun } from './pageRun.ts'

/** A page with blocks that are run, and the nodes of a foreign chain if it has a gateway. */
const run = async (page: string): Promise<readonly string[]> => {
  const text = readPage(page)
  const chain = /^perihelion gateway/m.test(text)
    ? await startReplay({
        chain: new SyntheticChain({ family: 'cosmos-evm-0.7', length: 5, content: { transactions: 2 } }),
      })
    : undefined
  const pageRun = new PageRun(chain === undefined ? {} : { 26657: new URL(chain.url).port })
  const skipped: string[] = []
  try {
    for (const block of blocksOf(text)) {
      const reason = await pageRun.run(block).catch((error: Error) => {
        throw new Error(`${page}:${block.line}: ${error.message}`, { cause: error })
      })
      if (reason !== undefined) skipped.push(`${page}:${block.line}: ${reason}`)
    }
    return skipped
  } finally {
    await pageRun.close()
    await chain?.close()
  }
}

const withCommands = pages.filter((page) => blocksOf(readPage(page)).some(({ directive }) => directive))

describe('the commands of the pages do what the pages say', () => {
  const check = async (page: string): Promise<void> => {
    for (const line of await run(page)) console.log(`not run: ${line}`)
  }
  const isOfTool = (page: string): boolean => page.startsWith('docs/tools/')
  test.each(withCommands.filter((page) => !isOfTool(page)))('%s', check)
  test.each(withCommands.filter(isOfTool))('%s', slow, check)

  test('there are such pages', () => {
    expect(withCommands.length).toBeGreaterThan(5)
  })
})
