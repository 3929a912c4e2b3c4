/**
 * Geth's access list tracer as a script for the upstream, because the EVM module has no tracer of that name. It returns
 * slots and addresses as hex digits without 0x.
 */
export const accessListTracer = `{
  seen: [],
  look: function (log) {
    var op = log.op.toNumber();
    var size = log.stack.length();
    if ((op === 0x54 || op === 0x55) && size >= 1)
      this.seen.push([toHex(log.contract.getAddress()), log.stack.peek(0).toString(16)]);
    else if ((op === 0x31 || op === 0x3b || op === 0x3c || op === 0x3f || op === 0xff) && size >= 1)
      this.seen.push([log.stack.peek(0).toString(16)]);
    else if ((op === 0xf1 || op === 0xf2 || op === 0xf4 || op === 0xfa) && size >= 5)
      this.seen.push([log.stack.peek(1).toString(16)]);
  },
  step: function (log) { this.look(log); },
  fault: function (log) { this.look(log); },
  result: function () { return this.seen; }
}`

export interface AccessedAddress {
  /** The address as 0x and 40 digits. */
  readonly address: string
  /** The slot as 0x and 64 digits; undefined if only the account was accessed. */
  readonly slot: string | undefined
}

/** Parses the result of the tracer; undefined if it is malformed. */
export const parseAccessed = (answer: Uint8Array): readonly AccessedAddress[] | undefined => {
  let entries: unknown
  try {
    entries = JSON.parse(Buffer.from(answer).toString())
  } catch {
    return undefined
  }
  // The tracer's engine renders an empty list as an empty object.
  if (!Array.isArray(entries)) return typeof entries === 'object' ? [] : undefined
  const seen: AccessedAddress[] = []
  for (const entry of entries) {
    const [address, slot] = Array.isArray(entry) ? (entry as unknown[]) : []
    if (!isDigits(address) || (slot !== undefined && !isDigits(slot))) return undefined
    seen.push({
      // A word on the stack may hold more than an address.
      address: `0x${bare(address).padStart(40, '0').slice(-40)}`,
      slot: slot === undefined ? undefined : `0x${bare(slot).padStart(64, '0')}`,
    })
  }
  return seen
}

const isDigits = (value: unknown): value is string =>
  typeof value === 'string' && /^(?:0x)?[0-9a-f]{1,64}$/.test(value)

const bare = (text: string): string => text.replace(/^0x/, '')
