import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { freePort } from '../support/freePort.ts'
import { runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { testNetwork } from './describeNetwork.ts'
import { askEngine, createHomes, HomeProcess, reach } from './homeProcess.ts'

const id = 'ab'.repeat(20)

interface Status {
  readonly node_info: { readonly listen_addr: string; readonly moniker: string }
}

testNetwork(
  'what settings say about CometBFT holds at each start, and what else its file says is kept',
  { ...slow, timeout: 180_000 },
  async () => {
    const homes = createHomes(1, 200)
    const [home = ''] = homes.homes
    const file = join(home, 'engine', 'config', 'config.toml')
    const edit = (pattern: RegExp, text: string): void => {
      const before = readFileSync(file, 'utf8')
      expect(before).toMatch(pattern)
      writeFileSync(file, before.replace(pattern, text))
    }
    const run = async (...args: readonly string[]) => {
      const node = await new HomeProcess(home, { args }).ready()
      await reach(node, 1)
      const { node_info: info } = await askEngine<Status>(node, 'status')
      await node.stop()
      return { info, said: node.errors }
    }
    try {
      const p2p = `127.0.0.1:${await freePort()}`
      const metrics = `127.0.0.1:${await freePort()}`
      const peer = `${id}@127.0.0.1:${await freePort()}`
      // An operator's own edits: one of a key that no setting has, one of a key that none is given for.
      edit(/^moniker = .*$/m, 'moniker = "edited" # by hand')
      edit(/^timeout_commit = .*$/m, 'timeout_commit = "150ms"')
      const first = await run(
        ...['--engine-p2p', p2p, '--engine-metrics', metrics, '--persistent-peers', peer],
        ...['--private-peers', id, '--peer-exchange=false'],
      )
      expect(first.info).toMatchObject({ listen_addr: `tcp://${p2p}`, moniker: 'edited' })
      expect(first.said).toMatch(
        /p2p\.laddr is \S*tcp:\/\/\S+, where it said .*engine-p2p \(--engine-p2p\) says so/,
      )
      const text = readFileSync(file, 'utf8')
      expect(text).toContain('moniker = "edited" # by hand')
      expect(text).toContain('timeout_commit = "150ms"')
      expect(text).toMatch(new RegExp(`^persistent_peers = "${peer}"$`, 'm'))
      expect(text).toMatch(new RegExp(`^private_peer_ids = "${id}"$`, 'm'))
      expect(text).toMatch(/^pex = false$/m)
      expect(text).toMatch(new RegExp(`^prometheus_listen_addr = "${metrics}"$`, 'm'))
      // A start that says nothing keeps all of it, and tells what the file says of its own.
      const plain = await run()
      expect(plain.info.listen_addr).toBe(`tcp://${p2p}`)
      expect(readFileSync(file, 'utf8')).toBe(text)
      expect(plain.said).toMatch(/is kept where no setting says otherwise \(.*engine-p2p.*p2p\.laddr = /)
      // app.toml says otherwise than an edit: the edit is replaced, with a line that says so.
      const app = join(home, 'config', 'app.toml')
      writeFileSync(app, readFileSync(app, 'utf8').replace(/^engine-p2p = .*$/m, `engine-p2p = "${p2p}"`))
      writeFileSync(file, text.replace(`tcp://${p2p}`, `tcp://127.0.0.1:${await freePort()}`))
      const replaced = await run()
      expect(replaced.info.listen_addr).toBe(`tcp://${p2p}`)
      expect(replaced.said).toMatch(/where it said .*: engine-p2p \(.*app\.toml:\d+\) says so/)
    } finally {
      await homes.remove()
    }
  },
)

testNetwork(
  'an address of CometBFT that another process has is named with its setting',
  { ...slow, timeout: 120_000 },
  async () => {
    const homes = createHomes(2, 200)
    const [one = '', two = ''] = homes.homes
    const other = createServer().listen(0, '127.0.0.1')
    try {
      await once(other, 'listening')
      const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
      // A home each, because the file of CometBFT keeps what a flag said.
      for (const [home, flag, value] of [
        [one, 'engine-p2p', address],
        [two, 'engine-rpc', `http://${address}`],
      ] as const) {
        const program = runProgram(['start', '--home', home, `--${flag}=${value}`])
        const code = await program.ended()
        expect(program.stderr()).toContain(
          `perihelion: the address ${address} is taken by another process: choose another with --${flag}\n`,
        )
        expect(code).toBe(69)
      }
    } finally {
      other.close()
      await homes.remove()
    }
  },
)
