import { type ChildProcess, spawn } from 'node:child_process'

/** Starts a process of clients with as many open files as the system allows. */
export const startClients = (file: string): ChildProcess =>
  spawn(
    'sh',
    ['-c', 'ulimit -n "$(ulimit -Hn)" && exec "$@"', 'sh', process.execPath, '--import', 'tsx', file],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )

/** Tells a process of clients something, and returns its response. */
export const askClients = <T>(child: ChildProcess, command: object): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = (code: number | null): void => reject(new Error(`a process of clients ended: ${code}`))
    child.once('exit', end)
    child.once('message', (answer) => {
      child.off('exit', end)
      resolve(answer as T)
    })
    child.send(command)
  })
