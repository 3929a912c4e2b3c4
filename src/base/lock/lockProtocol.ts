/**
 * The protocol by which one of many processes acquires a lock file that names its holder. Files can only be linked, read,
 * renamed and removed, a process may be killed between any two of these steps, and a holder that was killed must not keep
 * the lock. The file of a dead holder is never removed: its successor is the process that first links a claim file named
 * after that holder, and only then replaces the lock file.
 */

export interface LockHolder {
  readonly pid: number
  /** The kernel's start time of the process; undefined if it cannot be read. */
  readonly startedAt: string | undefined
  /** Where the id is that of the process; undefined in files of older versions. */
  readonly place?: string | undefined
  /** A random text that no other holder has. */
  readonly nonce: string
}

/** The file operations. Each is one step, and other processes may do anything between two steps. */
export interface LockFiles {
  /** Gives a file a second name; returns false if the name exists. */
  link(from: string, to: string): boolean
  /** Returns the content of a file; undefined if it does not exist. */
  read(path: string): string | undefined
  rename(from: string, to: string): void
  /** Removes a file, if it exists. */
  remove(path: string): void
}

export interface LockAttempt {
  readonly path: string
  /** The path of a file that names this process and has no other name yet. */
  readonly draft: string
  readonly isAlive: (holder: LockHolder) => boolean
}

/**
 * Returns the holder of the lock; undefined if this process acquired it. It yields before each step, so that tests
 * can interleave processes.
 */
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
      if (claims.includes(claim)) throw circle(claim)
    }
    if (holder !== undefined && isAlive(holder)) return holder
    yield
    if (!files.link(draft, claim)) continue
    yield
    if (files.read(path) !== found) {
      // Another process has completed the protocol meanwhile, so that the claim is void.
      yield
      files.remove(claim)
      continue
    }
    yield
    files.rename(draft, path)
    // Only now: a removed claim can be made again, and is then void because the lock file is a new one.
    for (const claimPath of [...claims, claim]) {
      yield
      files.remove(claimPath)
    }
    return undefined
  }
}

/** Returns the living holder of a lock without asking for it; undefined if there is none. */
export const readHolder = (
  files: Pick<LockFiles, 'read'>,
  { path, isAlive }: Pick<LockAttempt, 'path' | 'isAlive'>,
): LockHolder | undefined => {
  let holder: LockHolder | undefined
  const seen = new Set<string>()
  for (let at = path; ; at = successorPath(path, holder)) {
    if (seen.has(at)) throw circle(at)
    seen.add(at)
    const found = files.read(at)
    if (found === undefined) break
    holder = parseHolder(found)
  }
  return holder !== undefined && isAlive(holder) ? holder : undefined
}

/** Files that lost their content, as at a power cut, name each other endlessly. */
const circle = (path: string): Error => new Error(`${path} names nobody: remove it`)

const successorPath = (path: string, holder: LockHolder | undefined): string =>
  `${path}.after-${holder?.nonce ?? 'nobody'}`

/** Parses the content of a lock file; returns undefined for invalid or incomplete content. */
const parseHolder = (text: string): LockHolder | undefined => {
  try {
    const holder = JSON.parse(text) as Partial<LockHolder> | null
    const pid = holder?.pid ?? 0
    const nonce = holder?.nonce ?? ''
    // 0 and below would address process groups.
    if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
    return {
      pid,
      startedAt: holder?.startedAt,
      place: holder?.place,
      nonce: /^[0-9a-f]{1,64}$/.test(nonce) ? nonce : 'nobody',
    }
  } catch {
    return undefined
  }
}
