import type { Random } from '../../support/random.ts'

/** A way to write a call down. */
export interface Shape {
  readonly name: string
  /** False: what it says is not a call at all, whoever sends it. */
  readonly runs: boolean
  write(call: PrivateCall, random: Random): string | Buffer
  /** The right answer is none. */
  readonly isSilent?: true
}

export interface PrivateCall {
  readonly id: string
  readonly method: string
  readonly params: readonly unknown[]
}

const publicCalls = [
  '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
  '{"jsonrpc":"2.0","id":"x","method":"web3_clientVersion"}',
  '{"jsonrpc":"2.0","method":"net_version"}',
  '{"jsonrpc":"2.0","id":2,"method":"no_such"}',
  '7',
]

const request = ({ id, method, params }: PrivateCall): object => ({ jsonrpc: '2.0', id, method, params })
const text = (call: PrivateCall, changes: object = {}): string =>
  JSON.stringify({ ...request(call), ...changes })

const inBatch = (call: PrivateCall, random: Random, length: number): string => {
  const calls = Array.from({ length }, () => random.pick(publicCalls))
  calls[random.below(length)] = text(call)
  return `[${calls.join(',')}]`
}

const escaped = (name: string): string =>
  [...name].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

type Write = (call: PrivateCall, random: Random) => string | Buffer

const good = (name: string, write: Write): Shape => ({ name, runs: true, write })
const bad = (name: string, write: Write): Shape => ({ name, runs: false, write })
const named = (name: string, change: (method: string) => unknown): Shape =>
  bad(name, (call) => text(call, { method: change(call.method) }))

const nested = (depth: number): unknown => {
  let value: unknown = 0
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

export const shapes: readonly Shape[] = [
  good('one call', (call) => text(call)),
  good('one call with room', (call) => ` \n\t${JSON.stringify(request(call), null, 2)}\r\n`),
  { ...good('a notification', (call) => text(call, { id: undefined })), isSilent: true },
  good('id null', (call) => text(call, { id: null })),
  good('id a number', (call) => text(call, { id: 7 })),
  good('members in another order', ({ id, method, params }) =>
    JSON.stringify({ params, method, id, jsonrpc: '2.0' }),
  ),
  good('members that nobody knows', (call) => text(call, { token: 'x', admin: true, access: 'public' })),
  good('a method in escapes', (call) => text(call).replace(call.method, escaped(call.method))),
  good('names in escapes', (call) => text(call).replace('"method"', '"\\u006dethod"')),
  good('a batch of one', (call) => `[${text(call)}]`),
  good('a batch of two', (call, random) => inBatch(call, random, 2)),
  good('a batch of seven', (call, random) => inBatch(call, random, 7)),
  good('a batch of fifty', (call, random) => inBatch(call, random, 50)),
  good('a batch of a thousand', (call, random) => inBatch(call, random, 1000)),
  good('a notification in a batch', (call) => `[${publicCalls[0]},${text(call, { id: undefined })}]`),
  good('the same call twice', (call) => `[${text(call)},${text(call)}]`),
  bad('a batch that is too long', (call, random) => inBatch(call, random, 1001)),
  bad('a batch in a batch', (call) => `[[${text(call)}]]`),
  bad('a batch in a text', (call) => JSON.stringify([text(call)])),
  bad('a call in a text', (call) => JSON.stringify(text(call))),
  bad('a call in params', (call) => text({ ...call, method: 'eth_blockNumber', params: [request(call)] })),
  bad('a call in an id', (call) => text({ ...call, method: 'eth_blockNumber' }, { id: request(call) })),
  bad('two methods, the private one last', (call) =>
    text(call).replace('"method"', '"method":"eth_blockNumber","method"'),
  ),
  bad('two methods, the private one first', (call) =>
    text(call).replace(/\}$/, ',"method":"eth_blockNumber"}'),
  ),
  bad('two methods, one of them in escapes', (call) =>
    text(call).replace('"method"', '"\\u006dethod":"eth_blockNumber","method"'),
  ),
  bad('Method', (call) => text(call).replace('"method"', '"method":"eth_blockNumber","Method"')),
  bad('METHOD alone', (call) => text(call).replace('"method"', '"METHOD"')),
  bad('two ids', (call) => text(call).replace('"id"', '"id":1,"id"')),
  bad('two params', (call) => text(call).replace('"params"', '"params":[],"params"')),
  bad('a prototype', (call) => text(call).replace('"method"', '"__proto__":{},"method"')),
  bad('a method in the prototype', (call) => `{"jsonrpc":"2.0","id":1,"__proto__":${text(call)}}`),
  bad('version 1.0', (call) => text(call, { jsonrpc: '1.0' })),
  bad('version 2', (call) => text(call, { jsonrpc: 2 })),
  bad('no version', (call) => text(call, { jsonrpc: undefined })),
  bad('an id that is a list', (call) => text(call, { id: [1] })),
  bad('an id that is true', (call) => text(call, { id: true })),
  bad('params by name', (call) => text(call, { params: { ...call.params } })),
  bad('params as a text', (call) => text(call, { params: JSON.stringify(call.params) })),
  bad('params too deep', (call) => text(call, { params: [nested(70)] })),
  bad('more params than there are', (call) => text(call, { params: Array.from({ length: 20 }, () => null) })),
  named('a method in a list', (method) => [method]),
  named('a method in an object', (method) => ({ method, toString: method })),
  named('a space before', (method) => ` ${method}`),
  named('a space after', (method) => `${method} `),
  named('a line feed after', (method) => `${method}\n`),
  named('a NUL after', (method) => `${method}\0`),
  named('capitals', (method) => method.toUpperCase()),
  named('a capital', (method) => method[0]?.toUpperCase() + method.slice(1)),
  named('a dot', (method) => method.replace('_', '.')),
  named('a slash', (method) => method.replace('_', '/')),
  named('two lines', (method) => method.replace('_', '__')),
  named('a public namespace before', (method) => `eth_${method}`),
  named('a letter of another script', (method) =>
    method.replace(/[ae]/, (letter) => (letter === 'a' ? 'а' : 'е')),
  ),
  named('a space without width', (method) => `\u200b${method}`),
  named('wide letters', (method) =>
    [...method]
      .map((letter) => (letter === '_' ? '_' : String.fromCharCode(letter.charCodeAt(0) + 0xfee0)))
      .join(''),
  ),
  bad('nothing', () => ''),
  bad('cut short', (call) => text(call).slice(0, -1)),
  bad('a comma too many', (call) => text(call).replace(/\}$/, ',}')),
  bad('a comment', (call) => `/* */${text(call)}`),
  bad('single quotes', (call) => text(call).replaceAll('"', "'")),
  bad('two calls without a batch', (call) => `${publicCalls[0]}${text(call)}`),
  bad('something after', (call) => `${text(call)}x`),
  bad('a byte order mark', (call) => `\ufeff${text(call)}`),
  bad('a NUL before', (call) => `\0${text(call)}`),
  bad('UTF-16', (call) => Buffer.from(text(call), 'utf16le')),
  bad('bytes that are not text', (call) =>
    Buffer.concat([Buffer.from(text(call)), Buffer.from([0xc3, 0x28])]),
  ),
  bad('a form', (call) => `a=${encodeURIComponent(text(call))}`),
  bad('JSON as a form would send it', (call) => `${text(call).replace(/\}$/, '')},"x":"=y"`),
]
