import type { BlockHeaderOverrides } from '../../chain/port/headerOverrides.ts'

/** The values that clients of a dev chain set for the next block. Every other chain has none. */
export class NextBlock {
  #overrides: BlockHeaderOverrides = {}
  #version = 0

  get overrides(): BlockHeaderOverrides {
    return this.#overrides
  }

  /** A number that changes when the next block would be another one. */
  get version(): number {
    return this.#version
  }

  /** Adds values; those that are undefined stay as they are. */
  set(values: BlockHeaderOverrides): void {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
    this.replace({ ...this.#overrides, ...given })
  }

  replace(values: BlockHeaderOverrides): void {
    this.#overrides = values
    this.#version++
  }

  /** To be called when something else about the next block has changed, such as its time. */
  touch(): void {
    this.#version++
  }
}
