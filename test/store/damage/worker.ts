import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Checks, chooseDamage, digestRows, tryDamage } from './damage.ts'

/**
 * Checks damaged copies of a file one after the other, each announced before it is tried: the parent of a process that
 * ends in between knows which one ended it.
 */
const [path, seed, from, to, checks] = process.argv.slice(2) as [string, string, string, string, Checks]
const file = readFileSync(path)
const digest = digestRows(path)

const say = (message: unknown): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(message, () => resolve())
  })

for (let index = Number(from); index < Number(to); index++) {
  const damage = chooseDamage(file, Number(seed), index)
  await say({ index, name: damage.name })
  const folder = join(dirname(path), `try-${process.pid}-${index}`)
  await say({ index, verdict: await tryDamage(file, digest, damage, folder, checks) })
}
process.disconnect()
