import type { Profiler } from 'node:inspector'

/** The samples of a CPU profile as stacks. */

/** V8's names for nodes that are not functions. */
const idle = '(idle)'
const root = '(root)'

/** The functions, innermost first, without V8's root; empty if the thread was idle. */
export type Stack = readonly string[]

export class CallTree {
  readonly #profile: Profiler.Profile
  readonly #nodes = new Map<number, Profiler.ProfileNode>()
  readonly #parents = new Map<number, number>()

  constructor(profile: Profiler.Profile) {
    this.#profile = profile
    for (const node of profile.nodes) {
      this.#nodes.set(node.id, node)
      for (const child of node.children ?? []) this.#parents.set(child, node.id)
    }
  }

  /**
   * Returns the stack of the innermost function that has over half of the samples between two times of the profile
   * (microseconds).
   */
  hottest(from: number, to: number): Stack {
    const totals = new Map<number, number>()
    let count = 0
    let time = this.#profile.startTime
    for (const [index, sample] of (this.#profile.samples ?? []).entries()) {
      time += this.#profile.timeDeltas?.[index] ?? 0
      if (time < from || time > to || this.#nodes.get(sample)?.callFrame.functionName === idle) continue
      count++
      for (let id: number | undefined = sample; id !== undefined; id = this.#parents.get(id)) {
        totals.set(id, (totals.get(id) ?? 0) + 1)
      }
    }
    let found: number | undefined = this.#profile.nodes[0]?.id
    for (let next = found; next !== undefined; ) {
      found = next
      next = this.#nodes.get(next)?.children?.find((child) => (totals.get(child) ?? 0) * 2 > count)
    }
    return count === 0 || found === undefined ? [] : this.#stackOf(found)
  }

  #stackOf(sample: number): Stack {
    const stack: string[] = []
    for (let id: number | undefined = sample; id !== undefined; id = this.#parents.get(id)) {
      const name = this.#nodes.get(id)?.callFrame.functionName
      if (name !== root && name !== idle) stack.push(this.#describe(id))
    }
    return stack
  }

  #describe(id: number): string {
    const {
      functionName = '',
      url = '',
      lineNumber = 0,
      columnNumber = 0,
    } = this.#nodes.get(id)?.callFrame ?? {}
    const name = functionName || '(anonymous)'
    // The protocol counts from 0, editors from 1.
    return url === '' ? name : `${name} (${url}:${lineNumber + 1}:${columnNumber + 1})`
  }
}
