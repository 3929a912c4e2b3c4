/** Operator actions on the chain. */
export interface ChainControl {
  /** Reverts every block above `number`. */
  setHead(number: number): Promise<void>
  /** Sets the coinbase for the blocks that this node produces from now on, until it restarts. */
  setCoinbase(address: Uint8Array): Promise<void>
  /** Connects to a node, `id@host:port`, and keeps it as a peer. Returns false if it is a peer already. */
  addPeer(peer: string): Promise<boolean>
  /**
   * Keeps a node, by its id or as `id@host:port`, as a peer no more: it is not dialed again. Returns false if it was not
   * kept.
   */
  removePeer(peer: string): Promise<boolean>
}
