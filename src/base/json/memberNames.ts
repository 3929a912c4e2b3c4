/** The names of the members of long objects that were parsed in pieces. */
const known = new WeakMap<object, readonly string[]>()

/** A name that `Object.keys` lists before the others, whenever it was added: an index of an array. */
const indexName = /^\d+$/

/** Collects the names of a long object while it is parsed: to list them afterwards takes 10 ms for 34,000, in one piece. */
export class MemberNames {
  readonly #object: Readonly<Record<string, unknown>>
  readonly #names: string[] = []
  #isInOrder = true

  constructor(object: Readonly<Record<string, unknown>>) {
    this.#object = object
  }

  /** Notes a name before its member is set. */
  add(name: string): void {
    if (Object.hasOwn(this.#object, name)) return
    if (indexName.test(name)) this.#isInOrder = false
    this.#names.push(name)
  }

  /** Keeps the names for as long as the object is there. */
  keep(): void {
    if (this.#isInOrder) known.set(this.#object, this.#names)
  }
}

/** Returns what `Object.keys` does. The members of an object that was parsed are not added or removed later. */
export const namesOf = (object: Readonly<Record<string, unknown>>): readonly string[] =>
  known.get(object) ?? Object.keys(object)
