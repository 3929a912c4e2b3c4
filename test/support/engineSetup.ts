import { readFileSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { missingEngine } from '../network/homeProcess.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Why there is no CometBFT for the tests; empty where there is one. */
    missingEngine: string
  }
}

/** The files that need CometBFT know it by this name. */
const marker = 'describeNetwork.ts'

/**
 * Finds CometBFT before the tests of networks start, or builds it where Go is there. Each worker would build it for itself
 * otherwise, at the same time and without a word. A run without such tests does not look for it.
 */
export default async ({ vitest, provide }: TestProject): Promise<void> => {
  const isNeeded = vitest.state.getPaths().some((path) => readFileSync(path, 'utf8').includes(marker))
  if (!isNeeded) return provide('missingEngine', '')
  const started = performance.now()
  let isBuilt = false
  const missing = await missingEngine((text) => {
    isBuilt = true
    console.log(text)
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  if (isBuilt) console.log(missing === undefined ? `CometBFT is there after ${seconds} s` : missing)
  provide('missingEngine', missing ?? '')
}
