import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { type Block, blocksOf, readPage } from '../../docs/markdown.ts'
import { assertPrinted } from '../../docs/printed.ts'
import { freePort } from '../../support/freePort.ts'
import { slow } from '../../support/slow.ts'
import { describeNetwork } from '../describeNetwork.ts'
import { devKey } from '../ledger.ts'
import { SectionFigures } from './figures.ts'
import { Machine } from './machine.ts'

/**
 * docs/operations.md to the letter: its blocks in order, each on the machines that the comment before it names. `on` runs a block to its end,
 * `start` starts a node with it, `refused` wants it to fail, `after N blocks` lets time pass before, and `shown` is what the block before printed.
 */

/** Other systems have one address of the loopback network. */
const describeHere = process.platform === 'linux' ? describeNetwork : describe.skip

const page = 'docs/operations.md'
const names = ['one', 'two', 'three', 'four', 'five', 'six']
/** An address of the loopback network for each machine, of a network that nobody else uses. */
const network = `127.${16 + Math.floor(Math.random() * 200)}.${Math.floor(Math.random() * 250)}`
const hostOf = (number: number | string): string => `${network}.${number}`
/** The ports of the page, and free ones that stand for them on every machine: a wildcard of another program may hold those. */
const ports: Readonly<Record<string, number>> = {
  8545: await freePort(),
  26656: await freePort(),
  26657: await freePort(),
}
const translate = (text: string): string =>
  text
    .replace(/\b10\.0\.0\.(\d)\b/g, (_, number) => hostOf(number))
    .replace(/:(8545|26656|26657)\b/g, (_, port: string) => `:${ports[port]}`)

describeHere('docs/operations.md, followed to the letter', slow, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-path-'))
  const account = { ADMIN: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', ADMIN_KEY: devKey(0) }
  const machines = new Map(
    names.map((name, index) => {
      const env = {
        ...account,
        ADDRESS: hostOf(index + 1),
        REWARD: `0x${`${index + 1}`.repeat(40)}`,
        PERIHELION_COMETBFT: process.env.PERIHELION_COMETBFT ?? '',
        // As app.toml of the page has it, for a chain that is a few minutes old.
        PERIHELION_SNAPSHOT_INTERVAL: '10',
      }
      const cast = fileURLToPath(new URL('./cast.mjs', import.meta.url))
      return [name, new Machine({ name, folder, host: hostOf(index + 1), cast, env, translate })] as const
    }),
  )
  afterAll(async () => {
    for (const machine of machines.values()) await machine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const figures = new SectionFigures(names.map((_, index) => translate(`http://${hostOf(index + 1)}:26657`)))
  let printed = ''

  const onMachines = async (
    { directive, text }: Block,
    run: (machine: Machine, text: string) => ReturnType<Machine['run']>,
    isRefused = false,
  ): Promise<void> => {
    const [argument = '', later] = directive?.argument.split(' after ') ?? []
    if (later !== undefined) await figures.waitForBlocks(Number.parseInt(later, 10))
    for (const name of argument.split(' ')) {
      const machine = machines.get(name)
      if (machine === undefined) throw new Error(`there is no machine ${name}`)
      const { code, text: said } = await run(machine, text)
      printed = said
      if ((code === 0) === isRefused)
        throw new Error(`${name}: ended with ${code}\n${said}\n${machine.log()}`)
    }
  }

  const runBlock = async (block: Block): Promise<void> => {
    switch (block.directive?.name) {
      case 'on':
        return onMachines(block, (machine, text) => machine.run(text))
      case 'refused':
        return onMachines(block, (machine, text) => machine.run(text), true)
      case 'start': {
        // All at once: one validator alone decides nothing.
        const all = block.directive.argument
          .split(' ')
          .map((name) => ({ ...block, directive: { name: 'start', argument: name } }))
        await Promise.all(all.map((one) => onMachines(one, (machine, text) => machine.start(text))))
        return
      }
      case 'shown':
        return assertPrinted(translate(block.text), printed)
      default:
        return
    }
  }

  test('from nothing to a network, and through its life', async () => {
    const text = readPage(page)
    for (const block of blocksOf(text)) {
      if (block.directive === undefined) continue
      await figures.enter(sectionAt(text, block.line))
      await runBlock(block).catch((error: Error) => {
        throw new Error(`${page}:${block.line}: ${error.message}`, { cause: error })
      })
    }
    await figures.leave()
    const { rows, evidence, validators } = await figures.summary()
    console.log(rows.join('\n'))
    expect(evidence).toBe(0)
    expect(validators).toBe(4)
  }, 900_000)
})

/** The heading under which a line stands. */
const sectionAt = (text: string, line: number): string =>
  text
    .split('\n')
    .slice(0, line)
    .findLast((each) => /^##+ /.test(each))
    ?.replace(/^#+ /, '') ?? ''
