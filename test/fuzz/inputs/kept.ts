import { Buffer } from 'node:buffer'
import type { inputTargets } from './targets.ts'

/** An input that was or could have been too much for a reader: it is refused, and nothing else happens. */
export interface KeptInput {
  readonly target: keyof typeof inputTargets
  readonly name: string
  readonly input: Uint8Array
}

const repeat = (byte: number, count: number): Uint8Array => new Uint8Array(count).fill(byte)
const text = (value: string): Uint8Array => Buffer.from(value)

export const keptInputs: readonly KeptInput[] = [
  { target: 'rawTransactions', name: 'lists within each other', input: repeat(0xc1, 100_000) },
  {
    target: 'rawTransactions',
    name: 'a length beyond 2^53',
    input: Buffer.concat([repeat(0xff, 9), repeat(0, 20)]),
  },
  { target: 'rawTransactions', name: 'an empty typed transaction', input: repeat(2, 1) },
  { target: 'keyFiles', name: 'objects within each other', input: text('{"crypto":'.repeat(20_000)) },
  {
    target: 'keyFiles',
    name: 'a member of the prototype',
    input: text('{"version":3,"crypto":{"kdf":"__proto__"}}'),
  },
  {
    target: 'keyFiles',
    name: 'half a terabyte of memory',
    input: text(
      '{"version":3,"crypto":{"cipher":"aes-128-ctr","kdf":"scrypt","kdfparams":{"n":1048576,"r":4096,"p":1,"dklen":32,"salt":""}}}',
    ),
  },
  { target: 'toml', name: 'arrays within each other', input: text(`a = ${'['.repeat(50_000)}`) },
  { target: 'toml', name: 'tables within each other', input: text(`a = ${'{b='.repeat(50_000)}`) },
  { target: 'toml', name: 'a name of many parts', input: text(`${'a.'.repeat(50_000)}b = 1`) },
  { target: 'toml', name: 'a long text', input: text(`home = """${'x"'.repeat(500_000)}"""`) },
  { target: 'toml', name: 'the prototype', input: text('[__proto__]\nhome = "x"\n') },
  { target: 'nativeTransactions', name: 'messages within each other', input: repeat(0x0a, 100_000) },
  {
    target: 'nativeTransactions',
    name: 'empty messages',
    input: Buffer.from('1200'.repeat(60_000), 'hex'),
  },
  { target: 'queryRequests', name: 'lists within each other', input: text('['.repeat(100_000)) },
  { target: 'queryRequests', name: 'many values', input: text(`[${'0,'.repeat(300_000)}0]`) },
  { target: 'abciFrames', name: 'a length without an end', input: repeat(0x80, 20) },
  {
    target: 'abciFrames',
    name: 'a message of 34 GB',
    input: Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f, 0x00]),
  },
]
