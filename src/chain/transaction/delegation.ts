/** The prefix of code that names the account whose code is executed instead (EIP-7702). */
export const delegationPrefix = Uint8Array.of(0xef, 0x01, 0x00)

const delegationLength = delegationPrefix.length + 20

/** Returns the address that the code delegates to; undefined for code that is not a delegation. */
export const parseDelegation = (code: Uint8Array): Uint8Array | undefined =>
  code.length === delegationLength && delegationPrefix.every((byte, index) => code[index] === byte)
    ? code.slice(delegationPrefix.length)
    : undefined
