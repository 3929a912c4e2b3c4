// Loaded by `node --import` before the program: kills the process at a named point, as a power cut would. The program
// itself knows nothing of it. FAIL_POINT names the point, FAIL_AFTER says at which time that it is passed (1).
import { Socket } from 'node:net'
import { isMainThread, workerData } from 'node:worker_threads'

const point = process.env.FAIL_POINT
let left = Number(process.env.FAIL_AFTER ?? 1)

const pass = (name) => {
  if (name === point && --left === 0) process.kill(process.pid, 'SIGKILL')
}

const load = (file) => import(new URL(`../../dist/inside/${file}`, import.meta.url))

/** Puts what `wrap` makes of a method in its place. */
const replaceMethod = (prototype, name, wrap) => {
  const method = prototype[name]
  // A point that is never passed would test nothing.
  if (typeof method !== 'function') throw new Error(`${prototype.constructor.name} has no method ${name}`)
  prototype[name] = wrap(method)
}

/** The thread of the application: around execution, and around and inside the one transaction of a block. */
const watchApplication = async () => {
  const { Application } = await load('application.js')
  const { LmdbEnvironment } = await load('lmdb.js')
  let isDecided = false
  const watchExecution = (execute) =>
    function (...args) {
      pass('finalize:before')
      const result = execute.apply(this, args)
      pass('finalize:after')
      isDecided = true
      return result
    }
  replaceMethod(Application.prototype, 'finalizeDecided', watchExecution)
  // The block of an engine that is in this process.
  replaceMethod(Application.prototype, 'executeBlock', watchExecution)
  replaceMethod(
    Application.prototype,
    'commit',
    (commit) =>
      async function () {
        if (isDecided) pass('commit:before')
        const head = await commit.call(this)
        if (isDecided) pass('commit:done')
        isDecided = false
        return head
      },
  )
  replaceMethod(
    LmdbEnvironment.prototype,
    'transact',
    (transact) =>
      async function (work) {
        await transact.call(this, () => {
          work()
          if (isDecided) pass('commit:inside')
        })
        if (isDecided) pass('commit:written')
      },
  )
}

/** Numbers of the answers in the protocol. */
const answers = new Map([
  [4, 'info'],
  [6, 'initChain'],
  [12, 'commit'],
  [21, 'finalizeBlock'],
])

const readNumber = (bytes, start) => {
  let value = 0
  for (let at = start, shift = 0; ; at++, shift += 7) {
    value += (bytes[at] & 127) * 2 ** shift
    if (bytes[at] < 128) return { value, end: at + 1 }
  }
}

/** The main thread: before and after an answer goes to the engine. */
const watchAnswers = () => {
  const { write } = Socket.prototype
  Socket.prototype.write = function (data, ...rest) {
    const address = this.server?.address?.()
    if (typeof address !== 'string' || !address.endsWith('app.sock')) return write.call(this, data, ...rest)
    const { end } = readNumber(data, 0)
    const name = answers.get(Math.floor(readNumber(data, end).value / 8))
    if (name === undefined) return write.call(this, data, ...rest)
    pass(`send:${name}`)
    return write.call(this, data, (...args) => {
      pass(`sent:${name}`)
      rest.at(-1)?.(...args)
    })
  }
}

if (isMainThread) watchAnswers()
else if (workerData?.worker === 'app') await watchApplication()
