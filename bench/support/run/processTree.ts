import { readdirSync, readFileSync } from 'node:fs'

/** Fields of /proc/<pid>/stat (proc(5)) are in ticks of 10 ms on every Linux that Node runs on. */
const msPerTick = 10

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined // it ended meanwhile
  }
}

const threadsOf = (pid: number): number[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [] // it ended meanwhile
  }
}

/** A child belongs to the thread that started it. */
const childrenOf = (pid: number): number[] =>
  threadsOf(pid).flatMap((thread) =>
    (read(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )

/** Returns a process and everything that it started and that still runs. */
export const processTree = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(processTree)]

/** Returns user and system time of a process and of its children that ended, from its line of statistics. */
export const parseCpuMs = (stat: string): { readonly own: number; readonly ended: number } => {
  // The name of the program, which may hold anything, ends at the last bracket.
  const fields = stat
    .slice(stat.lastIndexOf(') ') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
  return { own: (user + system) * msPerTick, ended: (endedUser + endedSystem) * msPerTick }
}

/** Returns the CPU time of the children of this process that have ended, in milliseconds. */
export const endedChildrenCpuMs = (): number => parseCpuMs(readFileSync('/proc/self/stat', 'utf8')).ended

/** Returns the CPU time of a process and all that it started, also of those that ended, in milliseconds. */
export const cpuMsOf = (pid: number): number =>
  processTree(pid).reduce((sum, one) => {
    const stat = read(`/proc/${one}/stat`)
    if (stat === undefined) return sum
    const { own, ended } = parseCpuMs(stat)
    return sum + own + ended
  }, 0)

/** Returns the CPU time of one thread of a process, in milliseconds. */
export const threadCpuMs = (pid: number, thread: number): number =>
  parseCpuMs(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')).own

const memoryMbOf = (pid: number, field: RegExp): number =>
  processTree(pid).reduce((sum, one) => {
    const [, kilobytes = '0'] = field.exec(read(`/proc/${one}/status`) ?? '') ?? []
    return sum + Number(kilobytes) / 1024
  }, 0)

/** Returns the resident memory of a process and all that it started, in megabytes. */
export const rssMbOf = (pid: number): number => memoryMbOf(pid, /^VmRSS:\s+(\d+)/m)

/** The same without the pages of files, which the system reclaims when it needs them. */
export const ownMbOf = (pid: number): number => memoryMbOf(pid, /^RssAnon:\s+(\d+)/m)

const sampleMs = 100

/** Watches a process and what it starts until it is told to stop or they end. CPU is right to what a sample takes. */
export const watchProcess = (
  pid: number,
): { stop(): { readonly cpuMs: number; readonly peakMb: number } } => {
  const first = cpuMsOf(pid)
  let [cpuMs, peakMb] = [0, 0]
  const sample = (): void => {
    cpuMs = Math.max(cpuMs, cpuMsOf(pid) - first)
    peakMb = Math.max(peakMb, rssMbOf(pid))
  }
  const timer = setInterval(sample, sampleMs)
  return {
    stop: () => {
      clearInterval(timer)
      sample()
      return { cpuMs, peakMb }
    },
  }
}

/**
 * Returns what the threads of a process beside its main one have given the kernel to be written, in bytes (proc(5), `io`): the
 * pages of its store. Sockets are the main thread's. `write_bytes` would count whole folios of the page cache, many
 * times what is written.
 */
export const bytesWrittenOf = (pid: number): number =>
  threadsOf(pid)
    .filter((thread) => thread !== pid)
    .reduce((sum, thread) => {
      const [, bytes = '0'] = /^wchar: (\d+)/m.exec(read(`/proc/${pid}/task/${thread}/io`) ?? '') ?? []
      return sum + Number(bytes)
    }, 0)

/**
 * Returns how long the processors of the machine have worked for programs, in milliseconds. The network's share is left
 * out: it belongs to who sends, and the kernel counts it apart.
 */
export const machineCpuMs = (): number => {
  const [, user = 0, nice = 0, system = 0, , , , , steal = 0] = (read('/proc/stat') ?? 'cpu')
    .split('\n', 1)
    .flatMap((line) => line.split(/\s+/).map(Number))
  return (user + nice + system + steal) * msPerTick
}
