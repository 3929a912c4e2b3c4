// Loaded by `node --import` into a measured node: splits the CPU time of the process, all its threads, by the calls of
// the engine that are open meanwhile. What several are open for is shared between them. ABCI_CPU names the file to
// which the sums are written, every 100 ms.
import { writeFileSync } from 'node:fs'
import { Server, Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'

/** Numbers of calls and answers in the protocol. */
const requests = new Map([
  [3, 'info'],
  [6, 'query'],
  [8, 'checkTx'],
  [11, 'commit'],
  [16, 'prepareProposal'],
  [17, 'processProposal'],
  [20, 'finalizeBlock'],
])

const totals = new Map([['none', { calls: 0, microseconds: 0 }]])
const open = []
let before = 0

const cpu = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

const settle = () => {
  const now = cpu()
  const share = (now - before) / Math.max(1, open.length)
  for (const name of open.length === 0 ? ['none'] : open) totals.get(name).microseconds += share
  before = now
}

const begin = (name) => {
  settle()
  if (!totals.has(name)) totals.set(name, { calls: 0, microseconds: 0 })
  totals.get(name).calls++
  open.push(name)
}

const end = (name) => {
  settle()
  open.splice(open.indexOf(name), 1)
}

const readNumber = (bytes, start) => {
  let value = 0
  for (let at = start, shift = 0; at < bytes.length; at++, shift += 7) {
    value += (bytes[at] & 127) * 2 ** shift
    if (bytes[at] < 128) return { value, end: at + 1 }
  }
  return undefined
}

/** Names the calls in what arrives; answers come in the same order. */
const watch = (socket) => {
  let held = Buffer.alloc(0)
  socket.abciCalls = []
  socket.prependListener('data', (piece) => {
    held = held.length === 0 ? piece : Buffer.concat([held, piece])
    for (;;) {
      const length = readNumber(held, 0)
      if (length === undefined || held.length < length.end + length.value) return
      const tag = readNumber(held, length.end)
      const name = requests.get(Math.floor((tag?.value ?? 0) / 8))
      socket.abciCalls.push(name)
      if (name !== undefined) begin(name)
      held = held.subarray(length.end + length.value)
    }
  })
}

if (isMainThread) {
  before = cpu()
  const { emit } = Server.prototype
  Server.prototype.emit = function (event, socket, ...rest) {
    const address = event === 'connection' ? this.address() : undefined
    if (typeof address === 'string' && address.endsWith('app.sock')) watch(socket)
    return emit.call(this, event, socket, ...rest)
  }
  const { write } = Socket.prototype
  Socket.prototype.write = function (...args) {
    const done = write.apply(this, args)
    const name = this.abciCalls?.shift()
    if (name !== undefined) end(name)
    return done
  }
  setInterval(() => {
    settle()
    writeFileSync(process.env.ABCI_CPU, JSON.stringify(Object.fromEntries(totals)))
  }, 100).unref()
}
