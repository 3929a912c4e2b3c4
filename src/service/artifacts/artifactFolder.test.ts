import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { createLogger } from '../../base/logging/log.ts'
import { ContractRegistry } from '../../solidity/contractRegistry.ts'
import { artifactLimits } from './artifactFiles.ts'
import { ArtifactFolder } from './artifactFolder.ts'
import { ArtifactReader } from './artifactReader.ts'

let project: string
const contracts = { registry: new ContractRegistry() }
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'perihelion-artifacts-'))
  contracts.registry = new ContractRegistry()
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

const write = (path: string, content: unknown): void => {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  writeFileSync(join(project, path), typeof content === 'string' ? content : JSON.stringify(content))
}

const code = Buffer.from('600160020a', 'hex')
const source = 'contract A {}'
const foundry = (name: string, path: string, object = '0x600160020a') => ({
  abi: [],
  bytecode: { object: '0x6005600055', sourceMap: '1:2:0' },
  deployedBytecode: { object, sourceMap: '3:4:0' },
  metadata: {
    settings: { compilationTarget: { [path]: name } },
    sources: { [path]: { keccak256: toHex(keccak256(Buffer.from(source))) } },
  },
  id: 0,
})

const newReader = (folder: string, wrong: string[] = []): ArtifactReader =>
  new ArtifactReader(join(project, folder), contracts.registry, (path) => wrong.push(path))

const never = new AbortController().signal

const read = async (folder: string): Promise<readonly string[]> => {
  const wrong: string[] = []
  await newReader(folder, wrong).readChanges(never)
  return wrong
}

test('the artifacts of Foundry have the sources of their project', async () => {
  write('src/A.sol', source)
  write('out/A.sol/A.json', foundry('A', 'src/A.sol'))
  write('out/build-info/1.json', { id: '1', source_id_to_path: { 0: 'src/A.sol' }, language: 'Solidity' })
  expect(await read('out')).toEqual([])
  const found = contracts.registry.find(code)
  expect(found).toMatchObject({ name: 'A', source: 'src/A.sol', deployed: { sourceMap: '3:4:0' } })
  expect(found?.compilation.files).toEqual([{ id: 0, path: 'src/A.sol', content: source }])
})

test('a source that was changed since, or is outside of the project, is not taken', async () => {
  write('src/A.sol', `${source}\n`)
  write('out/A.sol/A.json', foundry('A', 'src/A.sol'))
  await read('out')
  expect(contracts.registry.find(code)?.compilation.files).toEqual([])
  const outside = mkdtempSync(join(tmpdir(), 'perihelion-outside-'))
  try {
    writeFileSync(join(outside, 'B.sol'), source)
    symlinkSync(join(outside, 'B.sol'), join(project, 'src/B.sol'))
    write('out/B.sol/B.json', foundry('B', 'src/B.sol', '0x600160030a'))
    write('out/C.sol/C.json', foundry('C', join(outside, 'B.sol'), '0x600160040a'))
    // A link out of the folder of the artifacts is not followed either.
    writeFileSync(join(outside, 'D.json'), JSON.stringify(foundry('D', 'src/A.sol', '0x600160050a')))
    symlinkSync(outside, join(project, 'out/linked'))
    symlinkSync(join(outside, 'D.json'), join(project, 'out/D.json'))
    await read('out')
    expect(contracts.registry.find(Buffer.from('600160030a', 'hex'))?.compilation.files).toEqual([])
    expect(contracts.registry.find(Buffer.from('600160040a', 'hex'))?.compilation.files).toEqual([])
    expect(contracts.registry.all().map(({ name }) => name)).not.toContain('D')
  } finally {
    rmSync(outside, { recursive: true, force: true })
  }
})

const buildInfo = {
  input: { sources: { 'a.sol': { content: source } } },
  output: {
    sources: { 'a.sol': { id: 0 } },
    contracts: { 'a.sol': { A: { abi: [], evm: { deployedBytecode: { object: '600160020a' } } } } },
  },
}

test('the build-infos of Hardhat 2 and 3 have all that is needed', async () => {
  write('artifacts/contracts/A.sol/A.json', { _format: 'hh-sol-artifact-1', abi: [] })
  write('artifacts/build-info/one.json', buildInfo)
  await read('artifacts')
  expect(contracts.registry.find(code)?.compilation.files).toEqual([
    { id: 0, path: 'a.sol', content: source },
  ])
  contracts.registry = new ContractRegistry()
  write('three/build-info/one.json', {
    input: buildInfo.input,
    userSourceNameMap: { 'contracts/a.sol': 'a.sol' },
  })
  write('three/build-info/one.output.json', { output: buildInfo.output })
  await read('three')
  expect(contracts.registry.find(code)).toMatchObject({
    source: 'contracts/a.sol',
    compilation: { files: [{ path: 'contracts/a.sol', content: source }] },
  })
})

test('the output of Hardhat 3 is read again when its input is there', async () => {
  const reader = newReader('three')
  write('three/build-info/one.output.json', { output: buildInfo.output })
  expect(await reader.readChanges(never)).toBe(1)
  expect(contracts.registry.find(code)?.compilation.files).toHaveLength(0)
  write('three/build-info/one.json', '{"input":')
  expect(await reader.readChanges(never)).toBe(0)
  write('three/build-info/one.json', { input: buildInfo.input })
  expect(await reader.readChanges(never)).toBe(1)
  expect(contracts.registry.find(code)?.compilation.files).toHaveLength(1)
  expect(await reader.readChanges(never)).toBe(0)
})

test('what was being read when it ended is read by the next look', async () => {
  write('out/A.sol/A.json', foundry('A', 'src/A.sol'))
  const reader = newReader('out')
  const end = new AbortController()
  const reading = reader.readChanges(end.signal)
  end.abort()
  await expect(reading).rejects.toThrow()
  expect(contracts.registry.isEmpty).toBe(true)
  expect(await reader.readChanges(never)).toBe(1)
  expect(contracts.registry.find(code)?.name).toBe('A')
})

test('each contract has the sources that it was compiled with', async () => {
  const later = 'contract A { }'
  write('src/A.sol', later)
  write('out/Old.sol/Old.json', foundry('Old', 'src/A.sol', '0x600160030a'))
  const fresh = foundry('New', 'src/A.sol', '0x600160040a')
  fresh.metadata.sources['src/A.sol'] = { keccak256: toHex(keccak256(Buffer.from(later))) }
  write('out/New.sol/New.json', fresh)
  await read('out')
  const filesOf = (hex: string) => contracts.registry.find(Buffer.from(hex, 'hex'))?.compilation.files
  expect(filesOf('600160030a')).toEqual([])
  expect(filesOf('600160040a')).toEqual([{ id: 0, path: 'src/A.sol', content: later }])
})

test('a file that was removed is read when it is there again', async () => {
  const reader = newReader('out')
  write('out/A.json', foundry('A', 'src/A.sol'))
  utimesSync(join(project, 'out/A.json'), 1, 1)
  expect(await reader.readChanges(never)).toBe(1)
  rmSync(join(project, 'out/A.json'))
  expect(await reader.readChanges(never)).toBe(0)
  write('out/A.json', foundry('A', 'src/A.sol'))
  utimesSync(join(project, 'out/A.json'), 1, 1)
  expect(await reader.readChanges(never)).toBe(1)
})

test('of more than is read only the newest are, and an older one does not take their place later', async () => {
  const { bytes } = artifactLimits
  try {
    write('out/A.json', foundry('A', 'src/A.sol'))
    write('out/B.json', foundry('B', 'src/B.sol'))
    utimesSync(join(project, 'out/A.json'), 1, 1)
    artifactLimits.bytes = statSync(join(project, 'out/B.json')).size
    const reader = newReader('out')
    const name = () => contracts.registry.find(code)?.name
    expect(await reader.readChanges(never)).toBe(1)
    expect(name()).toBe('B')
    expect(await reader.readChanges(never)).toBe(0)
    expect(name()).toBe('B')
    // It is the newest once it is written again.
    write('out/A.json', foundry('A', 'src/A.sol'))
    expect(await reader.readChanges(never)).toBe(1)
    expect(name()).toBe('A')
  } finally {
    artifactLimits.bytes = bytes
  }
})

test('a file that is too large to be read does not take the place of others', async () => {
  const { fileBytes, bytes } = artifactLimits
  try {
    write('out/A.json', foundry('A', 'src/A.sol'))
    utimesSync(join(project, 'out/A.json'), 1, 1)
    const { size } = statSync(join(project, 'out/A.json'))
    Object.assign(artifactLimits, { fileBytes: size, bytes: 2 * size })
    write('out/B.json', ' '.repeat(2 * size))
    expect(await read('out')).toEqual(['B.json'])
    expect(contracts.registry.find(code)?.name).toBe('A')
  } finally {
    Object.assign(artifactLimits, { fileBytes, bytes })
  }
})

test('what is malformed is left out', async () => {
  write('out/A.json', '{')
  write('out/B.json', '[1]')
  write('out/C.json', 'null')
  write('out/build-info/one.json', buildInfo)
  expect(await read('out')).toEqual(expect.arrayContaining(['A.json', 'C.json']))
  expect(contracts.registry.find(code)?.name).toBe('A')
})

test('a folder is read when it is there, and again when it changes', async () => {
  const told: string[] = []
  const log = createLogger('info', { write: (line: string) => void told.push(line) })
  const folder = new ArtifactFolder(join(project, 'out'), contracts.registry, log)
  try {
    await expect.poll(() => told.join()).toContain('is not there yet')
    expect(told.join()).not.toContain('ENOENT')
    write('out/build-info/one.json', buildInfo)
    await expect.poll(() => contracts.registry.find(code)).toBeDefined()
    write('out/A.sol/A.json', foundry('Later', 'src/A.sol', '0x600160090a'))
    const later = Buffer.from('600160090a', 'hex')
    await expect.poll(() => contracts.registry.find(later)?.name).toBe('Later')
  } finally {
    await folder.close()
  }
})
