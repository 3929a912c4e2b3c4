import type { Kind } from './kind.ts'
import { list } from './lists.ts'

const maxReplica = 65_535

/** Returns what is wrong with an entry, and nothing of its URL, which may hold a key. */
const findFault = (entry: string): string | undefined => {
  const number = /^[1-9]\d{0,4}(?==)/.exec(entry)?.[0]
  if (number === undefined || Number(number) > maxReplica)
    return `it does not begin with a number from 1 to ${maxReplica} and =`
  const url = entry.slice(number.length + 1)
  return /^https?:\/\/[^\s,]+$/.test(url) && URL.canParse(url)
    ? undefined
    : `what follows ${number}= is not a URL of http:// or https://`
}

/** The replicas behind one balancer, each as `number=URL`. */
export const replicaPeers = (): Kind<readonly string[]> => ({
  ...list({
    item: /^/,
    wanted: 'numbers and URLs of replicas such as 2=http://10.0.0.2:8545',
    isValid: (entry) => findFault(entry) === undefined,
  }),
  locate: (value) => {
    const entries: readonly unknown[] = Array.isArray(value) ? value : String(value).split(',')
    for (const [index, entry] of entries.entries()) {
      const fault = typeof entry === 'string' ? findFault(entry.trim()) : 'it is not a text'
      if (fault !== undefined) return `entry ${index + 1} of ${entries.length}: ${fault}`
    }
    return undefined
  },
})
