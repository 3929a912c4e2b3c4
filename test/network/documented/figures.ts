import { setTimeout as sleep } from 'node:timers/promises'

/** What each part of a page took on the network that it is followed on: seconds, blocks, and votes that were missed. */

interface Commit {
  readonly signed_header: {
    readonly commit: { readonly signatures: readonly { readonly block_id_flag: number }[] }
  }
}

interface Section {
  readonly name: string
  readonly startedAt: number
  readonly from: number
  seconds: number
  to: number
}

/** The flag of a validator that did not vote. */
const absent = 1

export class SectionFigures {
  readonly #engines: readonly string[]
  readonly #sections: Section[] = []

  /** Takes the RPC addresses of CometBFT on all machines, of which some answer. */
  constructor(engines: readonly string[]) {
    this.#engines = engines
  }

  async enter(name: string): Promise<void> {
    if (this.#sections.at(-1)?.name === name) return
    await this.leave()
    const from = await this.#height()
    this.#sections.push({ name, startedAt: performance.now(), from, seconds: 0, to: from })
  }

  async leave(): Promise<void> {
    const last = this.#sections.at(-1)
    if (last === undefined || last.seconds > 0) return
    last.seconds = (performance.now() - last.startedAt) / 1000
    last.to = await this.#height()
  }

  async waitForBlocks(count: number): Promise<void> {
    const until = (await this.#height()) + count
    while ((await this.#height()) < until) await sleep(200)
  }

  async summary(): Promise<{
    readonly rows: readonly string[]
    readonly evidence: number
    readonly validators: number
  }> {
    const head = await this.#height()
    const missed: number[] = []
    let evidence = 0
    let validators = 0
    for (let height = 1; height < head; height++) {
      const { signed_header: header } = (await this.#ask<Commit>(`commit?height=${height}`)) as Commit
      const { signatures } = header.commit
      missed[height] = signatures.filter((one) => one.block_id_flag === absent).length
      validators = signatures.length
      const { block } = (await this.#ask<{
        readonly block: { readonly evidence: { readonly evidence: readonly unknown[] } }
      }>(`block?height=${height}`)) as { block: { evidence: { evidence: readonly unknown[] } } }
      evidence += block.evidence.evidence.length
    }
    const rows = this.#sections.map(({ name, seconds, from, to }) => {
      const votes = missed.slice(from + 1, to + 1).reduce((sum, count) => sum + (count ?? 0), 0)
      return `${name}: ${seconds.toFixed(1)} s, ${to - from} blocks, ${votes} votes missed`
    })
    return { rows, evidence, validators }
  }

  async #height(): Promise<number> {
    const status = await this.#ask<{ readonly sync_info: { readonly latest_block_height: string } }>('status')
    return Number(status?.sync_info.latest_block_height ?? 0)
  }

  /** The first answer of any machine; undefined if none has one. */
  async #ask<T>(path: string): Promise<T | undefined> {
    for (const engine of this.#engines)
      try {
        const reply = await fetch(`${engine}/${path}`, { signal: AbortSignal.timeout(10_000) })
        const { result } = (await reply.json()) as { readonly result?: T }
        if (result !== undefined) return result
      } catch {
        // The next one is asked.
      }
    return undefined
  }
}
