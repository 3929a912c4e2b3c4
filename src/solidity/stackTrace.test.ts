import { expect, test } from 'vitest'
import { toHex } from '../base/encoding/hex.ts'
import type { FailedFrame, RecordedFailure } from '../chain/trace/failure.ts'
import { ContractRegistry } from './contractRegistry.ts'
import { levelsOf } from './levels.ts'
import { programOf } from './program.ts'
import { sourcesOf } from './sources.ts'
import { stackTraceOf } from './stackTrace.ts'

/** PUSH0 PUSH0 REVERT, of line 2 of a source. */
const code = Buffer.from('5f5ffd', 'hex')
const source = 'contract A {\n  function f() public { revert(); }\n}\n'
const place = `${source.indexOf('revert')}:8:0:-:0;;`

const newRegistry = (content = source, sourceMap = place): ContractRegistry => {
  const registry = new ContractRegistry()
  const deployedBytecode = { object: code.toString('hex'), sourceMap }
  registry.add(
    {
      sources: { 'a.sol': { id: 0 } },
      contracts: { 'a.sol': { A: { abi: [], evm: { deployedBytecode } } } },
    },
    { sources: { 'a.sol': { content } } },
  )
  return registry
}

const frame: FailedFrame = {
  isCreation: false,
  isDelegate: false,
  address: `0x${'0a'.repeat(20)}`,
  code: 0,
  selector: '0x26121ff0',
  inputLength: 4,
  value: '0x0',
  error: 'execution reverted',
  output: '0x',
  pc: 2,
  op: 0xfd,
  jumps: [],
  recent: [],
}

/** Returns the trace, and after how many pieces of work it was there. */
const trace = (failure: RecordedFailure, registry: ContractRegistry) => {
  const work = stackTraceOf(failure, registry)
  for (let pieces = 0; ; pieces++) {
    const step = work.next()
    if (step.done) return { pieces, stack: step.value }
  }
}

test('frames are read one after the other, and each code is looked for once', () => {
  const registry = newRegistry()
  let looks = 0
  const find = registry.find.bind(registry)
  registry.find = (bytes) => {
    looks++
    return find(bytes)
  }
  const calls = { ...frame, lastCall: { pc: 2, hasFailed: true, jumps: 0 } }
  const frames = [...Array.from({ length: 200 }, () => calls), frame]
  const { pieces, stack } = trace({ frames, codes: [toHex(code)] }, registry)
  expect(looks).toBe(1)
  expect(pieces).toBe(frames.length)
  expect(stack?.frames).toHaveLength(128)
  expect(stack?.frames[0]).toMatchObject({ contract: 'A', function: 'f', file: 'a.sol', line: 2 })
})

test('of a source that is too large only the lines are known', () => {
  const registry = newRegistry(`${source}${' '.repeat(1e6)}`)
  const { stack } = trace({ frames: [frame], codes: [toHex(code)] }, registry)
  expect(stack?.frames).toMatchObject([{ contract: undefined, function: undefined, file: 'a.sol', line: 2 }])
})

test('a source map has no more entries than its code has instructions', () => {
  const compiled = newRegistry(source, `${place}${';'.repeat(100)}`).find(code)
  expect(compiled && programOf(compiled, false).placeAt(2)).toBeDefined()
  const long = newRegistry(source, `${place}${';'.repeat(1000)}`).find(code)
  expect(long && programOf(long, false).hasMap).toBe(false)
})

test('contracts that inherit from one another without end are not followed to it', () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `contract A${at || ''} is A${at + 1} {}`)
  const compiled = newRegistry(names.join('\n')).find(code)
  expect(compiled && sourcesOf(compiled.compilation).definition(compiled, () => true)).toBeUndefined()
})

test('a function that calls another one last is left with it', () => {
  // Instruction 0 enters, instruction 2 leaves.
  const registry = newRegistry(source, place.replace('-:0;;', 'i;:::i;:::o'))
  const compiled = registry.find(code)
  if (compiled === undefined) throw new Error('unknown')
  const program = programOf(compiled, false)
  const enters = [...[0, 100], ...[1, 200], ...[1, 300]]
  expect(levelsOf(program, enters)).toHaveLength(3)
  expect(levelsOf(program, [...enters, ...[2, 2]])).toEqual([
    { from: 0, to: 100 },
    { from: 1, to: 200 },
  ])
  expect(levelsOf(program, [...enters, ...[2, 1]])).toEqual([])
  expect(levelsOf(program, [...enters, ...[2, 2, 2, 2, 2, 2, 2, 2]])).toEqual([])
  expect(levelsOf(program, [...enters, ...[2, 2, 0, 100, 2, 1]])).toEqual(levelsOf(program, [0, 100, 1, 200]))
})
