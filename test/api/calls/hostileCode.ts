/** Code that is made to use up time or memory, as hex without a prefix. Each runs until it is stopped or out of gas. */

const byte = (value: number): string => value.toString(16).padStart(2, '0')
const push = (value: number): string => {
  const digits = value.toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return byte(0x5f + even.length / 2) + even
}

/** Runs `before` once and `body` forever. */
const forever = (body: string, before = ''): string => `${before}5b${body}${push(before.length / 2)}56`

/** Counts up on the stack and runs `body` with a copy of the count on top. */
const counting = (body: string, step = 1): string => forever(`80${body}${push(step)}01`, push(1))

/** STATICCALL of a precompile, with the memory's first `size` bytes. */
const precompile = (address: number, size: number, before = ''): string =>
  forever(`${push(0)}${push(0)}${push(size)}${push(0)}${push(address)}5afa50`, before)

const store = (value: string, at: number): string => `${value}${push(at)}52`
const ones = `7f${'ff'.repeat(32)}`
/** Three lengths of 128 bytes and numbers full of ones. */
const modexpInput = [
  ...[0, 32, 64].map((at) => store(push(128), at)),
  ...Array.from({ length: 12 }, (_, index) => store(ones, 96 + 32 * index)),
].join('')

const callSelf = `${push(0)}${push(0)}${push(1)}${push(0)}${push(0)}305af150`

const loopStart = 4
const loop = `5b${callSelf}${push(loopStart)}56`
/** With call data: gives back a megabyte. Without: calls itself with call data, forever. */
const returnBombs = `36${push(loopStart + loop.length / 2)}57${loop}5b${push(2 ** 20)}${push(0)}f3`

export const hostileCode: Readonly<Record<string, string>> = {
  'an endless loop': forever(''),
  'endless powers': forever(`${ones}${ones}0a50`),
  'endless hashing': forever(`${push(0xffff)}${push(0)}2050`),
  'growing memory': counting('5150', 2 ** 16),
  'memory in every frame': `${push(2 ** 16)}5150${callSelf}00`,
  'a large answer': `${push(5_000_000)}${push(0)}f3`,
  'answers of a megabyte': returnBombs,
  'recursion to the bottom': `${callSelf}00`,
  'recursion twice in each frame': `${callSelf}${callSelf}00`,
  'empty creations': forever(`${push(0)}${push(0)}${push(0)}f050`),
  'large creations': forever(`${push(0xc000)}${push(0)}${push(0)}f050`),
  'creations at chosen addresses': counting(`${push(0)}${push(0)}${push(0)}f550`),
  'cold slots': counting('5450'),
  'slots written': counting(`${push(1)}9055`),
  'transient slots written': counting(`${push(1)}905d`),
  'cold accounts': counting('3150'),
  'code copied': counting(`${push(0xffff)}${push(0)}${push(0)}833c50`),
  'large logs': forever(`${push(0xffff)}${push(0)}a0`),
  'code hashes': counting('3f50'),
  sha256: precompile(0x02, 0xffff),
  ripemd160: precompile(0x03, 0xffff),
  identity: precompile(0x04, 0xffff),
  modexp: precompile(0x05, 480, modexpInput),
  'bn254 pairings': precompile(0x08, 192 * 4),
  blake2f: precompile(0x09, 213, store(`${push(10_000_000)}${push(0xe0)}1b`, 0)),
}
