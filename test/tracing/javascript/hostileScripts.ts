/** What a script may try: the body of a function. One that finds a way out gives `ESCAPED`. */
const bodies: Readonly<Record<string, string>> = {
  loop: `for (;;);`,
  loopThatCatches: `for (;;) { try { for (;;); } catch (e) {} finally { continue } }`,
  regularExpression: `return /^(a+)+$/.test('a'.repeat(60) + '!')`,
  regularExpressions: `return [/(x+x+)+y/.test('x'.repeat(80)), new RegExp('('.repeat(50000)), /(?:a{1,999}){1,999}/.test('a'.repeat(9999))]`,
  arrays: `var all = []; for (;;) all.push(new Array(1000).fill(1))`,
  strings: `var text = 'x'; for (;;) text += text`,
  longStrings: `return ['x'.repeat(2 ** 29), 'x'.padEnd(2 ** 30), Array(2 ** 32 - 1).join('x')]`,
  buffers: `var all = []; for (;;) { all.push(new ArrayBuffer(2 ** 20)); all.push(new Float64Array(2 ** 17)) }`,
  integers: `var n = 3n; for (;;) n = n * n`,
  recursion: `(function again() { again() })()`,
  recursionThatCatches: `(function again() { try { again() } finally { again() } })()`,
  hostObjects: `
    var names = ['process', 'require', 'module', 'global', 'Buffer', 'fetch', 'WebAssembly', 'Worker', 'setTimeout', 'queueMicrotask', 'performance', 'console', 'importScripts', 'XMLHttpRequest', 'Deno', 'Bun', 'std', 'os', 'ask', 'shared', 'structuredClone', '__filename', 'exports', 'postMessage', 'SharedArrayBufferHost']
    var found = names.filter(function(name) { return typeof globalThis[name] !== 'undefined' })
    return found.length > 0 ? 'ESCAPED ' + found : 'nothing'`,
  functionConstructors: `
    var made = [Function, (function() {}).constructor, (function*() {}).constructor, (async function() {}).constructor, toHex.constructor, bigInt.constructor, [].map.constructor]
    for (var i = 0; i < made.length; i++) {
      try {
        var world = made[i]('return typeof process === "undefined" ? (typeof require === "undefined" ? 0 : 1) : 2')()
        if (world === 1 || world === 2) return 'ESCAPED ' + i
      } catch (e) {}
      try { if (made[i].constructor('return this')().process) return 'ESCAPED this' } catch (e) {}
    }
    return 'nothing'`,
  prototypeWalk: `
    var seen = new Set(), open = [globalThis, this].concat(Array.prototype.slice.call(arguments)), count = 0
    while (open.length > 0 && count < 20000) {
      var next = open.pop()
      if (next === null || (typeof next !== 'object' && typeof next !== 'function') || seen.has(next)) continue
      seen.add(next); count++
      if (typeof next === 'function' && next !== Function.prototype && !(next instanceof Function)) return 'ESCAPED foreign function'
      open.push(Object.getPrototypeOf(next))
      Reflect.ownKeys(next).forEach(function(key) {
        if (['mainModule', 'binding', 'dlopen', '_linkedBinding', 'wasmMemory', 'HEAPU8'].indexOf(String(key)) >= 0) throw new Error('ESCAPED ' + String(key))
        var property = Object.getOwnPropertyDescriptor(next, key)
        open.push(property.value, property.get, property.set)
      })
    }
    return count`,
  hugeResult: `return 'x'.repeat(2e7) + [].concat(new Array(1e6).fill('y'))`,
  deepResult: `var deep = {}; for (var i = 0; i < 200000; i++) deep = { deep: deep }; return deep`,
  promises: `
    Promise.resolve().then(function again() { return Promise.resolve().then(again) })
    var late = import('fs').then(function(fs) { globalThis.late = 'ESCAPED' + fs }, function() {})
    async function wait() { for (;;) await null }
    wait()
    return globalThis.late || new Promise(function() {})`,
  proxies: `var trap = function() { for (;;); }; return new Proxy(this, { get: trap, ownKeys: trap, getOwnPropertyDescriptor: trap })`,
  toJson: `return { toJSON: function() { return { toJSON: function() { for (;;); } } }, get next() { return this } }`,
  gettersAsArguments: `
    var evil = { valueOf: function() { for (;;); }, toString: function() { for (;;); }, get length() { return 2 ** 32 }, __proto__: Uint8Array.prototype }
    try { toHex(evil) } catch (e) {}
    try { slice(new Uint8Array(4), evil, evil) } catch (e) {}
    return toContract(new Uint8Array(20), evil)`,
  brokenGlobals: `
    Object.getOwnPropertyNames(globalThis).forEach(function(name) { try { delete globalThis[name] } catch (e) {} })
    var words = [].constructor
    Object.defineProperty(Object.prototype, 'then', { get: function() { return function() { for (;;); } } })
    words.prototype.push = words.prototype.forEach = words.prototype.slice = function() { throw 'broken' }
    return { a: 1 }`,
  errors: `
    Error.prepareStackTrace = function(e, frames) { return frames.map(function(frame) { return frame.getThis && frame.getThis() }) }
    Error.captureStackTrace && Error.captureStackTrace(this)
    var stack = new Error('x').stack
    if (typeof stack === 'object') return stack.some(function(it) { return it && it.process }) ? 'ESCAPED' : 'nothing'
    throw { get message() { for (;;); }, toString: function() { throw this } }`,
  parser: `
    try { eval('('.repeat(1e6)) } catch (e) {}
    try { eval('['.repeat(1e5) + ']'.repeat(1e5)) } catch (e) {}
    try { JSON.parse('['.repeat(1e6)) } catch (e) {}
    return Function('return ' + 'a=>'.repeat(1e5) + '1').toString().length`,
  memoryOfMachine: `
    var log = arguments[0], seen = 0
    if (log && log.memory) { for (var i = 0; i < 1e9; i += 4096) { seen += log.memory.slice(0, 1048576 + log.memory.length()).length; log.memory.slice(-i, 2 ** 53) } }
    return [log && log.stack ? log.stack.peek(1e309) : bigInt('9'.repeat(1e5)).pow(1e6), seen]`,
  atomics: `
    var cell = new Int32Array(new SharedArrayBuffer(8))
    if (typeof Atomics !== 'undefined') Atomics.wait(cell, 0, 0)
    var kept = []; for (;;) kept.push(new WeakRef({}), new SharedArrayBuffer(2 ** 16))`,
}

/** Where in its life a script does it. */
const places: Readonly<Record<string, (body: string) => string>> = {
  loading: (body) =>
    `{ value: (function() { ${body} }).call({}), fault: function() {}, result: function() { return this.value } }`,
  setup: (body) =>
    `{ setup: function() { this.value = (function() { ${body} }).apply(this, arguments) }, fault: function() {}, result: function() { return this.value } }`,
  step: (body) =>
    `{ step: function(log, db) { this.value = (function() { ${body} }).call(this, log, db) }, fault: function() {}, result: function() { return this.value } }`,
  result: (body) => `{ fault: function() {}, result: function(ctx, db) { ${body} } }`,
}

export const hostileScripts: readonly { readonly name: string; readonly script: string }[] = Object.entries(
  bodies,
).flatMap(([kind, body]) =>
  Object.entries(places).map(([place, write]) => ({ name: `${kind} while ${place}`, script: write(body) })),
)
