/** Who is notified of every change of a node's head before anybody else is: the other processes that serve it. */
export interface HeadWitness {
  /** The head is about to be this block, or the same one with another state. It is in the store. */
  onMove(number: number, isForked: boolean): void
  /** Blocks are about to be removed. Resolves when nobody reads them any more after these events. */
  beforeRevert(): Promise<void>
  /** Another chain was begun in the same file; the next move is to its head. */
  onReset(): void
}
