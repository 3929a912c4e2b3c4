import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** What the steps made of a stage. */
export interface Image {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly workFolder: string
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  /** The program of the health check, with its arguments. */
  readonly check: readonly string[]
}

/** The variables of its processes: a container has the home of the user too. */
export const withHome = ({ env, user }: Image): NodeJS.ProcessEnv => ({
  HOME: user === 'root' ? '/root' : `/home/${user}`,
  ...env,
})

const patienceMs = 60_000

const inside = ({ root, user }: Image): readonly string[] => ['chroot', `--userspec=${user}`, root]

/** Starts what the image starts, in a network of its own; asks its health check; ends it by a signal. */
export const startImage = async (image: Image, command: readonly string[]): Promise<void> => {
  const words = [...image.entrypoint, ...(command.length > 0 ? command : image.command)]
  const child = spawn(
    'unshare',
    ['-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...inside(image), ...words],
    { env: withHome(image), stdio: ['ignore', 'pipe', 'inherit'] },
  )
  try {
    await ready(child)
    // The network is that of the process; the rest of the check is as the image has it.
    const health = () =>
      spawnSync('nsenter', ['-t', `${child.pid}`, '-n', ...inside(image), ...image.check], {
        env: withHome(image),
        stdio: 'inherit',
      }).status
    if (health() !== 0) throw new Error(`the health check failed: ${image.check.join(' ')}`)
    child.kill('SIGTERM')
    const [code] = child.exitCode === null ? await once(child, 'close') : [child.exitCode]
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`)
  } finally {
    child.kill('SIGKILL')
  }
}

/** Waits until it says that it serves; throws if it ends before. */
const ready = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    const patience = setTimeout(() => reject(new Error('not ready in time')), patienceMs)
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
      if (!/^perihelion ready /m.test(output)) return
      clearTimeout(patience)
      resolve()
    })
    child.once('close', (code) => {
      clearTimeout(patience)
      reject(new Error(`ended with ${code} before it was ready: ${output}`))
    })
  })
