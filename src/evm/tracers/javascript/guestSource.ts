import { opcodeName } from '../../tracing/opcodeNames.ts'
import { guestBigInt } from './guestBigInt.ts'
import { byteOffsets, contextMembers, hostCalls, numberSlots } from './guestLayout.ts'

/**
 * The environment of a script: `log`, `db`, frames, `ctx` and the helpers, as geth has them. It is a function
 * of the host's one function and of the shared bytes, and returns the functions that the host calls. A script
 * that changes the globals can only harm itself, because the host trusts nothing in here.
 */
const guestMain = String.raw`
(ask, shared) => {
  'use strict'
  const numbers = new Float64Array(shared, 0, 16)
  const bytes = new Uint8Array(shared)
  const words = new BigUint64Array(shared, places.word, 4)
  const { stringify } = JSON
  const { isArray } = Array
  const evaluate = (0, eval)
  const { bigInt, ofNative } = makeBigInt()

  const fail = (message) => {
    ask(questions.fail, message)
    throw new Error(message)
  }
  const number = (question) => {
    ask(question)
    return numbers[cells.answer]
  }
  const word = (question, a) => {
    ask(question, a)
    return ofNative(words[0] | (words[1] << 64n) | (words[2] << 128n) | (words[3] << 192n))
  }
  const buffer = (question, a, b) => new Uint8Array(ask(question, a, b))
  const integer = (value) => {
    const whole = Math.trunc(Number(value))
    return whole === whole ? whole : 0
  }

  const fromDigits = (text) => {
    let digits = text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text
    if (digits.length % 2 === 1) digits = '0' + digits
    const list = []
    for (let at = 0; at < digits.length; at += 2) {
      const pair = digits.slice(at, at + 2)
      if (!/^[0-9a-fA-F]{2}$/.test(pair)) break
      list.push(parseInt(pair, 16))
    }
    return new Uint8Array(list)
  }
  const fromBuffer = (value, takesText) => {
    if (value instanceof Uint8Array) return value
    if (isArray(value)) return new Uint8Array(value)
    if (takesText && (typeof value === 'string' || value instanceof String)) return fromDigits(String(value))
    return fail('invalid buffer type')
  }
  /** The last bytes, or zeros in front of all of them. */
  const padded = (value, size) => {
    const result = new Uint8Array(size)
    const from = value.length > size ? value.length - size : 0
    for (let at = from; at < value.length; at++) result[size - value.length + at] = value[at]
    return result
  }
  const put = (place, value, size) => bytes.set(padded(value, size), place)
  const hexPairs = []
  for (let byte = 0; byte < 256; byte++) hexPairs.push((byte < 16 ? '0' : '') + byte.toString(16))
  const hexOf = (value) => {
    let text = '0x'
    for (let at = 0; at < value.length; at++) text += hexPairs[value[at]]
    return text
  }

  const helpers = {
    bigInt,
    toHex: (value) => hexOf(fromBuffer(value, false)),
    toWord: (value) => padded(fromBuffer(value, true), 32),
    toAddress: (value) => padded(fromBuffer(value, true), 20),
    toContract: (from, nonce) => {
      put(places.address, fromBuffer(from, true), 20)
      return buffer(questions.contractAddress, integer(nonce))
    },
    toContract2: (from, salt, code) => {
      const sender = fromBuffer(from, true)
      const text = hexOf(fromBuffer(code, true))
      put(places.address, sender, 20)
      put(places.slot, fromDigits(String(salt)), 32)
      return buffer(questions.contract2Address, text)
    },
    isPrecompiled: (value) => {
      put(places.address, fromBuffer(value, true), 20)
      return number(questions.isPrecompile) === 1
    },
    slice: (value, start, end) => {
      const whole = fromBuffer(value, false)
      const [from, to] = [integer(start), integer(end)]
      if (from < 0 || from > to || to > whole.length)
        fail('Tracer accessed out of bound memory: available ' + whole.length + ', offset ' + from + ', size ' + (to - from))
      const part = new Uint8Array(to - from)
      for (let at = from; at < to; at++) part[at - from] = whole[at]
      return part
    },
  }
  for (const name in helpers)
    Object.defineProperty(globalThis, name, { value: helpers[name], writable: true, configurable: true, enumerable: true })

  const op = {
    toNumber: () => numbers[cells.op],
    toString: () => opcodeNames[numbers[cells.op]],
    isPush: () => numbers[cells.op] >= 0x5f && numbers[cells.op] <= 0x7f,
  }
  const stack = {
    peek: (index) => {
      const place = integer(index)
      const size = numbers[cells.stackSize]
      if (place < 0 || place >= size) fail('tracer accessed out of bound stack: size ' + size + ', index ' + place)
      return word(questions.stack, place)
    },
    length: () => numbers[cells.stackSize],
  }
  const memory = {
    slice: (begin, end) => {
      const [from, to] = [integer(begin), integer(end)]
      if (from === to) return new Uint8Array(0)
      if (to < from || from < 0) fail('tracer accessed out of bound memory: offset ' + from + ', end ' + to)
      const padding = to - numbers[cells.memorySize]
      if (padding > 1048576) fail('reached limit for padding memory slice: ' + padding)
      return buffer(questions.memory, from, to)
    },
    getUint: (offset) => {
      const place = integer(offset)
      const size = numbers[cells.memorySize]
      if (place < 0 || place + 32 > size)
        fail('tracer accessed out of bound memory: available ' + size + ', offset ' + place + ', size 32')
      return word(questions.memoryWord, place)
    },
    length: () => numbers[cells.memorySize],
  }
  const contract = {
    getCaller: () => buffer(questions.caller),
    getAddress: () => buffer(questions.self),
    getValue: () => word(questions.callValue),
    getInput: () => buffer(questions.callInput),
  }
  const log = {
    getPC: () => numbers[cells.pc],
    getGas: () => numbers[cells.gas],
    getCost: () => numbers[cells.cost],
    getDepth: () => numbers[cells.depth],
    getRefund: () => numbers[cells.refund],
    getError: () => ask(questions.stepError),
    op,
    stack,
    memory,
    contract,
  }
  const ofAccount = (answer, question) => (address) => {
    put(places.address, fromBuffer(address, false), 20)
    return answer(question)
  }
  const db = {
    getBalance: ofAccount(word, questions.balance),
    getNonce: ofAccount(number, questions.nonce),
    getCode: ofAccount(buffer, questions.code),
    getState: (address, slot) => {
      const [owner, key] = [fromBuffer(address, false), fromBuffer(slot, false)]
      put(places.address, owner, 20)
      put(places.slot, key, 32)
      return buffer(questions.storage)
    },
    exists: (address) => ofAccount(number, questions.exists)(address) === 1,
  }
  const frame = {
    getType: () => ask(questions.frameType),
    getFrom: () => buffer(questions.frameFrom),
    getTo: () => buffer(questions.frameTo),
    getInput: () => buffer(questions.frameInput),
    getGas: () => number(questions.frameGas),
    getValue: () => (number(questions.frameValue) === 1 ? word(questions.frameValue) : undefined),
  }
  const frameResult = {
    getGasUsed: () => number(questions.exitGas),
    getOutput: () => buffer(questions.exitOutput),
    getError: () => ask(questions.exitError),
  }

  const context = () => {
    const ctx = {}
    contextMembers.forEach(([name, kind], place) => {
      numbers[cells.answer] = 0
      const answer = ask(questions.context, place)
      if (numbers[cells.answer] === 0) return
      if (kind === 'bytes') ctx[name] = new Uint8Array(answer)
      else if (kind === 'text') ctx[name] = answer
      else if (kind === 'number') ctx[name] = answer
      else ctx[name] = word(questions.context, place)
    })
    return ctx
  }

  let tracer
  const describe = (error) => {
    try {
      return error instanceof Error ? error.name + ': ' + error.message : String(error)
    } catch {
      return 'an error without words'
    }
  }
  /** What is thrown is reported, not thrown on: the host has no use for the value. */
  const guarded = (act) => (a) => {
    try {
      return act(a)
    } catch (error) {
      ask(questions.fail, describe(error))
    }
  }
  const has = (name) => typeof tracer[name] === 'function'
  return {
    load: guarded((script) => {
      tracer = Object(evaluate('(' + script + '\n)'))
      for (const name of ['result', 'fault'])
        if (!has(name)) fail('trace object must expose a function ' + name + '()')
      if (has('enter') !== has('exit')) fail('trace object must expose either both or none of enter() and exit()')
      return (has('step') ? 1 : 0) + (has('enter') ? 2 : 0) + (has('setup') ? 4 : 0)
    }),
    setup: guarded((config) => void tracer.setup(config)),
    step: guarded(() => void tracer.step(log, db)),
    fault: guarded(() => void tracer.fault(log, db)),
    enter: guarded(() => void tracer.enter(frame)),
    exit: guarded(() => void tracer.exit(frameResult)),
    result: guarded(() => {
      const value = tracer.result(context(), db)
      // As Go encodes what geth's engine has for these.
      if (value === null || value === undefined || typeof value === 'symbol') return '{}'
      if (typeof value === 'number' && value - value !== 0)
        fail('json: unsupported value: ' + (value !== value ? 'NaN' : value > 0 ? '+Inf' : '-Inf'))
      const text = stringify(value)
      return text === undefined ? 'null' : text
    }),
  }
}
`

const constants = { cells: numberSlots, places: byteOffsets, questions: hostCalls, contextMembers }

/** The whole guest source as one expression. */
export const guestSource = [
  '(() => {',
  // These are captured before a script can change them.
  'const { Array, BigInt, Error, Float64Array, BigUint64Array, JSON, Math, Number, Object, String, Uint8Array, parseInt } = globalThis',
  ...Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)}`),
  `const opcodeNames = ${JSON.stringify(Array.from({ length: 256 }, (_, op) => opcodeName(op)))}`,
  guestBigInt,
  `return ${guestMain.trim()}`,
  '})()',
].join('\n')
