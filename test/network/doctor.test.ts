import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { testNetwork } from './describeNetwork.ts'
import { createHomes, HomeProcess, reach, until } from './homeProcess.ts'

interface Finding {
  readonly check: string
  readonly level: string
  readonly text: string
}

const peersOf = async (home: string): Promise<readonly Finding[]> => {
  const { stdout } = await runToEnd(['doctor', '--json', '--home', home])
  return (JSON.parse(stdout) as readonly Finding[]).filter(({ check }) => check === 'peer')
}

testNetwork('the doctor finds a peer whose id is wrong', slow, async () => {
  const homes = createHomes(2, 200)
  const [right = '', wrong = ''] = homes.homes
  const file = join(wrong, 'engine', 'config', 'config.toml')
  const id = 'ab'.repeat(20)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^(persistent_peers = ")[0-9a-f]{40}@/m, `$1${id}@`))
  try {
    // Nobody listens yet.
    expect(await peersOf(wrong)).toMatchObject([
      { level: 'warning', text: expect.stringContaining('does not answer') },
    ])
    const nodes = homes.homes.map((home) => new HomeProcess(home))
    await Promise.all(nodes.map((node) => node.ready()))
    // The other one has the right id, and dials.
    await reach(nodes[0] as HomeProcess, 3)
    await until('the right id is found', async () =>
      (await peersOf(right)).every(({ level, text }) => level === 'ok' && text.endsWith('is connected')),
    )
    expect(await peersOf(wrong)).toMatchObject([
      { level: 'warning', text: expect.stringContaining(`the peer ${id} is not connected`) },
    ])
  } finally {
    await homes.remove()
  }
})
