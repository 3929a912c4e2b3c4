/** What an operator can do to a chain. */
export interface Control {
  /** Reverts every block above the height. */
  setHead(number: number): Promise<void>
  /** Holds from the next block of this node on; the next start begins with the configured one again. */
  setCoinbase(address: Uint8Array): Promise<void>
  /** Connects to a node, `id@host:port`, and keeps it as a peer; false where it is one already. */
  addPeer(peer: string): Promise<boolean>
}
