import { Socket } from 'node:net'
import { collectWithoutHelpers } from '../../base/bundles/collector.ts'
import { muteLmdbErrors } from '../../base/lmdb/lmdb.ts'
import { createLogger } from '../../base/logging/log.ts'
import { ResourceStack } from '../../base/resources.ts'
import type { ControlMessage, ControlReply, ControlRequest } from './messages.ts'
import { FrameChannel, frameKinds } from './pipe/frames.ts'
import { MainProcess } from './pipe/mainProcess.ts'
import type { WireEvent } from './pipe/wire.ts'
import { openServingServer, type ServingServer } from './servingServer.ts'

/** The file descriptor of the pipe to the main process; the first ones are those of every process, and of Node's messages. */
const pipeDescriptor = 4

const reply = (message: ControlReply): void => {
  if (process.connected) process.send?.(message)
}

/** Runs a serving process: the program of those that the main process starts. It never outlives that. */
const run = (): void => {
  // A terminal and a service manager signal all processes; the main one says what is to be done.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  const end = (): never => process.exit(0)
  process.on('disconnect', end)
  const log = createLogger('info', { write: (line) => reply({ line }) })
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a serving process failed')
    setImmediate(() => process.exit(1))
  })
  muteLmdbErrors()
  let serving: ServingServer | undefined
  const resources = new ResourceStack()
  const channel = new FrameChannel(new Socket({ fd: pipeDescriptor }), (kind, id, payload) => {
    if (main.receive(kind, id, payload)) return
    const event = JSON.parse(payload.toString()) as WireEvent // written by the main process
    serving?.follower.onEvent(event)
    if (event.kind === 'sync') channel.send(frameKinds.eventSeen, id)
  })
  channel.onClosed(end)
  const main = new MainProcess(channel)

  const handle = async (request: ControlRequest, socket: object | undefined): Promise<unknown> => {
    switch (request.kind) {
      case 'start':
        serving = await openServingServer(request.options, main, log, resources)
        collectWithoutHelpers()
        return undefined
      case 'listen':
        return serving?.server.startTransport(request.role, request.overrides, socket)
      case 'unlisten':
        return serving?.server.stopTransport(request.role)
      case 'reload':
        return serving?.server.reload(request)
      case 'metrics':
        return serving?.registry.getMetricsAsJSON()
      case 'stop':
        await serving?.close()
        return undefined
    }
  }
  // One after the other: what is asked while the process starts is meant for what it has then.
  let last: Promise<void> = Promise.resolve()
  process.on('message', ({ id, request }: ControlMessage, socket: unknown) => {
    last = last
      .then(() => handle(request, (socket ?? undefined) as object | undefined))
      .then(
        (result) => reply({ id, result }),
        (error: unknown) => reply({ id, error: error instanceof Error ? error.message : String(error) }),
      )
  })
  // The main process may have ended before this one could learn of it.
  if (!process.connected) end()
}

run()
