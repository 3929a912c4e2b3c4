import { type Kind, printable } from './kind.ts'
import { listOf } from './lists.ts'

/** A replica behind the balancer, written as `number=URL`. */
export interface ReplicaPeer {
  readonly replica: number
  readonly url: string
}

const parseEntry = (entry: string): ReplicaPeer => {
  const at = entry.indexOf('=')
  return { replica: Number(entry.slice(0, at)), url: entry.slice(at + 1) }
}

const maxReplica = 65_535

/** Returns what is wrong with an entry, and nothing of its URL, which may hold a key. */
const findFault = (entry: string): string | undefined => {
  const { replica, url } = parseEntry(entry)
  const isNumber = Number.isInteger(replica) && replica >= 1 && replica <= maxReplica
  // Other ways to write a number, such as 01 or 1e3, are none here.
  if (!isNumber || !entry.startsWith(`${replica}=`))
    return `it does not begin with a number from 1 to ${maxReplica} and =`
  return /^https?:\/\/[^\s,]+$/.test(url) && URL.canParse(url)
    ? undefined
    : `what follows ${replica}= is not a URL of http:// or https://`
}

/** The replicas behind one balancer, each as `number=URL`. */
export const replicaPeers = (): Kind<readonly ReplicaPeer[]> => ({
  ...listOf({
    label: 'list',
    wanted: 'numbers and URLs of replicas such as 2=http://10.0.0.2:8545',
    item: (entry) =>
      findFault(entry) === undefined && printable.test(entry) ? { value: parseEntry(entry) } : undefined,
    show: ({ replica, url }) => `${replica}=${url}`,
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
