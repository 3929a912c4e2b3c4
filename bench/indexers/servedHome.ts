import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isolatedFlags, runProgram } from '../../test/support/program.ts'
import { type Connection, call, connect } from '../support/load/connection.ts'
import { ownProgram } from '../support/peers/ownProgram.ts'
import { cpuMsOf, rssMbOf } from '../support/run/processTree.ts'

/** A node that serves a chain which does not grow. */
export interface ServedHome {
  readonly home: string
  readonly url: string
  readonly connection: Connection
  cpuMs(): number
  rssMb(): number
  close(): Promise<void>
}

export const serveHome = async (home: string, ...flags: readonly string[]): Promise<ServedHome> => {
  // The connection is idle while other sides are measured.
  const options = ['--engine=none', '--json-rpc.api=eth,debug,trace', '--json-rpc.http-idle-timeout=1h']
  const program = runProgram(['start', ...isolatedFlags(home), ...options, ...flags], {}, ownProgram())
  const { http = '' } = await program.ready()
  const connection = await connect(Number(new URL(http).port))
  return {
    ...{ home, url: http, connection },
    cpuMs: () => cpuMsOf(program.child.pid as number), // it is ready, so it has one
    rssMb: () => rssMbOf(program.child.pid as number),
    close: async () => {
      connection.close()
      program.child.kill('SIGTERM')
      await program.ended()
    },
  }
}

/** What a search is reported before its index is there; on a busy machine it may take longer than a request has. */
const indexIsBehind = /index of calls .* has reached block|request timed out/

/** Waits until a search over the whole chain is answered from the index. */
export const waitForIndex = async ({ connection }: ServedHome, toAddress: string): Promise<void> => {
  for (;;) {
    try {
      await call(connection, 'trace_filter', { fromBlock: '0x1', toAddress: [toAddress] })
      return
    } catch (error) {
      if (!indexIsBehind.test((error as Error).message)) throw error
    }
    await sleep(50)
  }
}

/** The bytes of the file of the index. */
export const indexBytes = (home: string): number => statSync(join(home, 'data', 'calls.mdb')).size
