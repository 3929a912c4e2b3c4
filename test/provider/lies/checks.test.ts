import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'
import { afterAll, describe, expect, test } from 'vitest'
import { bundleLight } from '../../../scripts/lightBundle.ts'
import { createLightProvider } from '../../../src/provider/index.ts'
import { slow } from '../../support/slow.ts'
import { type Check, chain, checks } from './checks.ts'

type Create = typeof createLightProvider

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Builds the provider without a check. */
const buildWithout = async ({ without }: Check): Promise<Create> => {
  const left = new Set(without)
  const takeAway: Plugin = {
    name: 'take-away',
    transform: (code, id) => {
      let changed = code
      for (const change of without) {
        const [file, text, other] = change
        if (!id.endsWith(file)) continue
        expect(changed.split(text).length, `${text} in ${file}`).toBe(2)
        changed = changed.replace(text, other)
        left.delete(change)
      }
      return changed
    },
  }
  const chunks = await bundleLight([takeAway])
  expect([...left]).toEqual([])
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-checks-'))
  folders.push(folder)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  for (const { fileName, code } of chunks) writeFileSync(join(folder, fileName), code)
  const { createLightProvider: create } = (await import(join(folder, 'index.js'))) as {
    readonly createLightProvider: Create
  }
  return create
}

const url = 'http://liar.example'

const askLiar = (create: Create, { lie, options, ask }: Check): Promise<unknown> => {
  const honest = chain.fetchAt(() => 20)
  return ask(
    create({
      urls: [url],
      trust: { height: 1, hash: chain.hashAt(1) },
      maxAgeMs: 600_000,
      ...options,
      fetch: async (to, init) => {
        const { method, params } = JSON.parse(String(init.body))
        const result = lie(method, params)
        return result === undefined ? honest(to, init) : new Response(JSON.stringify({ result }))
      },
    }),
  )
}

describe('each check of the light client', slow, () => {
  test.each(checks)('$name: a lie is found, and believed without it', async (check) => {
    await expect(askLiar(createLightProvider, check)).rejects.toThrow(url)
    expect(await askLiar(await buildWithout(check), check)).toEqual(check.believed)
  })
})
