import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/support/freePort.ts'
import { connect } from '../support/load/connection.ts'
import type { Side } from '../support/run/part.ts'
import { cpuMsOf, rssMbOf } from '../support/run/processTree.ts'
import type { AnswersStage } from './stage.ts'

const constant = '{"jsonrpc":"2.0","id":1,"result":"0x1234"}'

/** A bare server, which answers every request with the same bytes. */
const createFloor = (name: string, file: string): Side<AnswersStage> => ({
  name,
  kind: 'floor',
  open: async () => {
    const port = await freePort()
    const program = fileURLToPath(new URL(file, import.meta.url))
    const child = spawn(process.execPath, [program, String(port), constant], { stdio: 'ignore' })
    const pid = child.pid as number // the runtime is there
    const isUp = (): Promise<boolean> =>
      connect(port).then(
        (connection) => {
          connection.close()
          return true
        },
        () => false,
      )
    while (!(await isUp())) await sleep(20)
    return {
      stage: {
        ...{ port, pid },
        cpuMs: () => cpuMsOf(pid),
        rssMb: () => rssMbOf(pid),
        chain: undefined,
        ticker: undefined,
      },
      close: async () => {
        child.kill('SIGTERM')
        await once(child, 'exit')
      },
    }
  },
})

export const floors: readonly Side<AnswersStage>[] = [
  createFloor('bare node:http', 'bareHttp.mjs'),
  createFloor('bare raw socket', 'bareSocket.mjs'),
]
