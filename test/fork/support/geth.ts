import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { locatePeer } from '../../../bench/support/peers/locate.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/freePort.ts'
import { callOver } from './remoteChain.ts'

/** Geth, if it is here: GETH or BENCH_PEERS names it. */
export const gethFile = locatePeer('geth')?.file

export interface RunningGeth {
  readonly url: string
  close(): Promise<void>
}

/** Starts geth's own dev chain, which makes a block for each transaction. */
export const startGeth = async (file: string): Promise<RunningGeth> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-geth-'))
  const port = await freePort()
  const child = spawn(
    file,
    [
      ...['--dev', '--datadir', folder, '--ipcdisable', '--port', '0', '--nodiscover'],
      ...['--http', '--http.port', String(port), '--http.api', 'eth,net,web3,debug'],
      ...['--gcmode', 'archive', '--state.scheme', 'hash', '--verbosity', '1'],
    ],
    { stdio: 'ignore' },
  )
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => {
    try {
      return (await callOver(url)('eth_chainId')) !== ''
    } catch {
      return false
    }
  })
  return {
    url,
    close: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
