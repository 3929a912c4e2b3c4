import { randomBytes } from 'node:crypto'
import { appendFileSync, chmodSync, existsSync } from 'node:fs'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { badFile } from '../../base/exit.ts'
import { readTextFile } from '../../base/files/readFile.ts'
import type { ApiKeyOptions } from './apiKey.ts'
import { hashKey } from './apiKeys.ts'

/** The largest file, of some 50,000 keys. */
const maxBytes = 10 * 2 ** 20

const count = z.int().min(0)

/** What a call of each class costs where the file does not say. */
const defaultCost = { cheap: 1, state: 2, logs: 5, evm: 5, trace: 25, write: 2 }

const cost = z.strictObject({
  cheap: count.default(defaultCost.cheap),
  state: count.default(defaultCost.state),
  logs: count.default(defaultCost.logs),
  evm: count.default(defaultCost.evm),
  trace: count.default(defaultCost.trace),
  write: count.default(defaultCost.write),
})

const key = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, 'expected 1 to 64 letters, digits, points, dashes or underlines'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits'),
  rate: count.default(0),
  burst: z.int().min(1).optional(),
  namespaces: z.array(z.string()).optional(),
  cost: cost.optional(),
})

const file = z.strictObject({ key: z.array(key).default([]) })

/** Reads the API keys of a file. Throws an error of one line if anything in it is not as it must be. */
export const readKeyFile = (path: string): readonly ApiKeyOptions[] => {
  const keys = readKeys(path)
  for (const member of ['name', 'sha256'] as const) {
    const seen = new Set<string>()
    for (const entry of keys) {
      if (seen.has(entry[member])) throw badFile(`${path}: two keys have the ${member} ${entry[member]}`)
      seen.add(entry[member])
    }
  }
  return keys
}

const readKeys = (path: string): readonly ApiKeyOptions[] => {
  let content: unknown
  try {
    content = parse(readTextFile(path, maxBytes))
  } catch (error) {
    const [why] = (error as Error).message.split('\n')
    throw badFile(`the API keys cannot be read (json-rpc.keys): ${path}: ${why}`)
  }
  const read = file.safeParse(content)
  if (!read.success) {
    const [issue] = read.error.issues
    throw badFile(`${path}: ${issue?.path.join('.')}: ${issue?.message} (json-rpc.keys)`)
  }
  return read.data.key.map(({ name, sha256, rate, burst, namespaces, cost: given }) => ({
    name,
    sha256,
    rate,
    burst: burst ?? Math.max(1, rate),
    namespaces,
    cost: given ?? defaultCost,
  }))
}

/** Adds a new key with a name to a file, which is created if it is not there, and returns the key. */
export const addKey = (path: string, name: string): string => {
  const added = randomBytes(32).toString('base64url')
  const entry = key.safeParse({ name, sha256: hashKey(added) })
  if (!entry.success) throw badFile(`the name of a key: ${entry.error.issues[0]?.message}`)
  const isThere = existsSync(path)
  if (isThere && readKeyFile(path).some((known) => known.name === name))
    throw badFile(`${path} has a key with the name ${name} already`)
  const text = `[[key]]\nname = "${name}"\nsha256 = "${hashKey(added)}"\nrate = 0 # no limit; the cost of calls in a second\n`
  try {
    appendFileSync(path, isThere ? `\n${text}` : text, { mode: 0o600 })
    if (!isThere) chmodSync(path, 0o600)
  } catch (error) {
    throw badFile(`the API keys cannot be written (json-rpc.keys): ${(error as Error).message}`)
  }
  return added
}
