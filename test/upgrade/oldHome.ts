import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { freePorts } from '../../src/service/testnet/ports.ts'

/** Homes that version 0.1.0 wrote, and what it answered about them before it was stopped. */
const fixtures = fileURLToPath(new URL('../fixtures/homes/0.1.0/', import.meta.url))

interface Answered {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

interface Answers {
  readonly dev: { readonly answers: readonly Answered[]; readonly keys: readonly string[] }
  /** `ahead` is the hash of a transaction whose nonce has a gap before it. */
  readonly validators: { readonly answers: readonly Answered[]; readonly ahead: string }
  readonly gateway: {
    readonly answers: readonly Answered[]
    /** Ids of filters, which 0.1 did not keep. */
    readonly filter: string
    readonly ahead: string
  }
}

export const readAnswers = (): Answers =>
  JSON.parse(gunzipSync(readFileSync(join(fixtures, 'answers.json.gz'))).toString()) as Answers

/** Unpacks one of the homes into a folder that the test removes. */
export const unpackHome = (name: 'dev' | 'validators' | 'gateway'): string => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-upgrade-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-xzf', join(fixtures, `${name}.tar.gz`), '-C', folder])
  return join(folder, name)
}

/** Ports below are defaults, which the files name in comments as well. */
const lowestChosenPort = 30_000
const localPort = /(127\.0\.0\.1:)(\d+)/g
/** Where the files name the folder of the network. */
const folderMark = 'EXTRACTED/validators'

/** Gives the nodes of an unpacked network ports that are free now, and says where its folder is. */
export const settleNetwork = async (home: string): Promise<void> => {
  const files = readdirSync(home)
    .filter((name) => name.startsWith('node'))
    .flatMap((node) =>
      ['config/app.toml', 'engine/config/config.toml', 'engine/config/addrbook.json'].map((file) =>
        join(home, node, file),
      ),
    )
  const texts = files.map((file) => readFileSync(file, 'utf8'))
  const used = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(localPort)]
        .map(([, , port]) => Number(port))
        .filter((port) => port >= lowestChosenPort),
    ),
  )
  const free = await freePorts(used.size)
  const renumbered = new Map([...used].map((port, index) => [port, free[index] ?? port]))
  for (const [index, file] of files.entries()) {
    const text = (texts[index] ?? '')
      .replaceAll(localPort, (_, host, port) => `${host}${renumbered.get(Number(port)) ?? port}`)
      .replaceAll(folderMark, home)
    // An address book has the ports as numbers, and the network lists all peers as persistent ones.
    writeFileSync(file, file.endsWith('addrbook.json') ? '{"key":"","addrs":[]}' : text)
  }
}
