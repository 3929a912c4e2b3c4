import { isMainThread } from 'node:worker_threads'

/** Loaded into the program: throws where nobody catches when it is told to, with the program's net or without it. */
if (isMainThread)
  process.on('SIGUSR2', () => {
    if (process.env.PLANTED_NET === 'off') process.removeAllListeners('uncaughtException')
    setTimeout(() => {
      throw new Error('planted exception')
    })
    if (process.env.PLANTED_NET !== 'off') void Promise.reject(new Error('planted rejection'))
  })
