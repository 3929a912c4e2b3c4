import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { testNetwork } from './describeNetwork.ts'
import { createHomes, HomeProcess, headOf, reach } from './homeProcess.ts'

interface Listed {
  readonly name: string | null
  readonly pubkey: string
  readonly power: string
  readonly missed: number
  readonly reward: string
}

testNetwork(
  '`perihelion validators` lists who decides, and who is away',
  { ...slow, timeout: 240_000 },
  async () => {
    const homes = createHomes(4, 200)
    try {
      const nodes = homes.homes.map((home) => new HomeProcess(home))
      await Promise.all(nodes.map((node) => node.ready()))
      const [first, , , away] = nodes as [HomeProcess, HomeProcess, HomeProcess, HomeProcess]
      const file = join(first.home, 'away.json')
      writeFileSync(file, (await runToEnd(['network', 'id', '--home', away.home, '--json'])).stdout)
      await reach(first, 3)
      await away.stop()
      await reach(first, (await headOf(first)) + 10)
      const { code, stdout, stderr } = await runToEnd(['validators', '--home', first.home, '--json', file])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const listed = JSON.parse(stdout) as readonly Listed[]
      expect(listed).toHaveLength(4)
      const named = (name: string) => listed.find((one) => one.name === name)
      expect(named('away')?.missed).toBeGreaterThanOrEqual(5)
      expect(named('this node')?.missed).toBeLessThan(5)
      expect(named('away')?.reward).toMatch(/^0x[0-9a-f]{40}$/i)
      // The node serves no votes over its methods: CometBFT is asked.
      await first.stop()
      const quiet = await new HomeProcess(first.home, { args: ['--json-rpc.api=eth,net,perihelion'] }).ready()
      await reach(quiet, (await headOf(quiet)) + 3)
      const table = await runToEnd(['validators', '--home', first.home, file])
      expect(table.stdout).toMatch(/^name +power +missed +key +reward\n/)
      expect(table.stdout).toMatch(/^away +\d+ +\d+\/\d+ +0x[0-9a-f]{64} +0x/m)
      expect(table.stdout).toMatch(/^4 validators at block \d+$/m)
    } finally {
      await homes.remove()
    }
  },
)
