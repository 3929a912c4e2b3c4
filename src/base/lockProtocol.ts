/**
 * How one of many processes gets a file that names its holder, where files can only be linked, read, renamed and removed,
 * anybody may be killed between any two of these, and a holder that was killed must not hold. A dead holder's file is
 * never taken away: its successor is whoever first links a file called after it, and only then replaces it.
 */

export interface LockHolder {
  readonly pid: number
  /** The kernel's start time of the process, where it can be known. */
  readonly startedAt: string | undefined
  /** No two holders ever have the same. */
  readonly nonce: string
}

/** One step each: other processes may do anything between two of them. */
export interface LockFiles {
  /** Gives a file a second name; false where something has that name already. */
  link(from: string, to: string): boolean
  /** Undefined where nothing is. */
  read(path: string): string | undefined
  rename(from: string, to: string): void
  /** Nothing where nothing is. */
  remove(path: string): void
}

export interface LockAttempt {
  readonly path: string
  /** Holds who we are; it has no other name yet. */
  readonly draft: string
  readonly isAlive: (holder: LockHolder) => boolean
}

/** Ends with who holds the lock, or undefined when it is ours. Pauses before each step, for tests to come between. */
export function* acquireLock(
  files: LockFiles,
  { path, draft, isAlive }: LockAttempt,
): Generator<undefined, LockHolder | undefined> {
  for (;;) {
    yield
    if (files.link(draft, path)) return undefined
    yield
    const found = files.read(path)
    if (found === undefined) continue
    const claims: string[] = []
    let holder = parseHolder(found)
    let claim = successorPath(path, holder)
    for (;;) {
      yield
      const successor = files.read(claim)
      if (successor === undefined) break
      claims.push(claim)
      holder = parseHolder(successor)
      claim = successorPath(path, holder)
    }
    if (holder !== undefined && isAlive(holder)) return holder
    yield
    if (!files.link(draft, claim)) continue
    yield
    if (files.read(path) !== found) {
      // Somebody had been through with all of it: what we claimed is of the past.
      yield
      files.remove(claim)
      continue
    }
    yield
    files.rename(draft, path)
    // Not before: a claim that is gone can be made again, and is then void because the file is a new one.
    for (const done of [...claims, claim]) {
      yield
      files.remove(done)
    }
    return undefined
  }
}

const successorPath = (path: string, holder: LockHolder | undefined): string =>
  `${path}.after-${holder?.nonce ?? 'nobody'}`

/** Undefined for what no process wrote, or wrote to the end. */
const parseHolder = (text: string): LockHolder | undefined => {
  try {
    const holder = JSON.parse(text) as Partial<LockHolder> | null
    const pid = holder?.pid ?? 0
    const nonce = holder?.nonce ?? ''
    // 0 and below would name groups of processes.
    if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
    return { pid, startedAt: holder?.startedAt, nonce: /^[0-9a-f]{1,64}$/.test(nonce) ? nonce : 'nobody' }
  } catch {
    return undefined
  }
}
