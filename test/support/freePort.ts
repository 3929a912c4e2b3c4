import { freePorts } from '../../src/service/testnet/ports.ts'

/** Returns a free port, for a program that needs a fixed one. */
export const freePort = async (): Promise<number> => {
  const [port = 0] = await freePorts(1)
  return port
}
