import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { dashboardMetrics } from '../../scripts/dashboard.ts'
import { freePort } from '../support/freePort.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { testNetwork } from './describeNetwork.ts'

/** Shown by CometBFT only once it has happened. */
const shownLater = new Set(['cometbft_mempool_failed_txs', 'cometbft_p2p_peers'])

const scrape = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text()

testNetwork(
  'the dashboard asks for nothing that a node beside CometBFT does not show',
  { ...slow, timeout: 60_000 },
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'perihelion-dashboard-'))
    const engineMetrics = `127.0.0.1:${await freePort()}`
    const program = runProgram([
      'start',
      ...isolatedFlags(home),
      ...['--engine', 'cometbft', '--block-time', '100ms', '--engine-metrics', engineMetrics],
      ...['--engine-rpc', `http://127.0.0.1:${await freePort()}`],
      ...['--engine-p2p', `127.0.0.1:${await freePort()}`],
    ])
    try {
      // Some figures are there with the first block.
      const { http = '' } = await program.ready()
      let text = ''
      while (!/perihelion_head_number [2-9]/.test(text)) {
        text = `${await scrape(http)}\n${await scrape(`http://${engineMetrics}`)}`
      }
      const isShown = (name: string): boolean =>
        [name, name.replace(/_(?:bucket|sum|count)$/, '')].some((shown) => text.includes(`# TYPE ${shown} `))
      // What begins so is of gateways, whose tests ask for it.
      const wanted = [...dashboardMetrics()].filter((name) => !name.startsWith('perihelion_gateway_'))
      expect(wanted.filter((name) => !shownLater.has(name) && !isShown(name))).toEqual([])
    } finally {
      program.child.kill('SIGTERM')
      await program.ended()
      rmSync(home, { recursive: true, force: true })
    }
  },
)
