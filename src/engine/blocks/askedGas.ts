/** The most gas, in multiples of the block's, that is requested of the pool: beyond that any pool has nothing more to offer. */
const mostTimes = 1_000n

/**
 * How much gas transactions ask for, to what they use. A block is filled by use, as in Ethereum, and nobody knows it
 * before: so that blocks are full, the request to the pool is as many times their gas as the last ones needed. What does not
 * fit costs little and stays in the pool.
 */
export class AskedGas {
  #asked = 1n
  #used = 1n

  /** Returns how much the transactions may ask for together of a block with this limit. */
  limitFor(gasLimit: bigint): bigint {
    return (gasLimit * this.#asked) / this.#used
  }

  /** Returns what a transaction with this limit is likely to use. */
  likelyUse(gasLimit: bigint): bigint {
    return (gasLimit * this.#used) / this.#asked
  }

  /** Notes a block; one without transactions says nothing. */
  note(asked: bigint, used: bigint): void {
    if (used === 0n) return
    this.#used = used
    this.#asked = asked < used ? used : asked > used * mostTimes ? used * mostTimes : asked
  }
}
