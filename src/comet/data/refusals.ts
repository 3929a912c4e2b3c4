import type { NativeQueryError } from './nativeQuery.ts'

/** What the rejection of one node is worth, by its text. */

const reverted = /execution reverted/i

/**
 * What the EVM, or its module, says of a call that it has executed or checked: any other node would say the same. A text that
 * is missing here costs that others are asked too.
 */
const executionErrors = new RegExp(
  [
    reverted.source,
    'out of gas|gas required exceeds|intrinsic gas|floor data gas|gas uint64 overflow|gas limit',
    'insufficient (?:funds|balance)|fee per gas|fee cap|gas ?price',
    'nonce|not an? ?eoa|transaction type not supported',
    'invalid (?:opcode|jump|code)|stack (?:underflow|overflow|limit)|write protection|return data out of bounds',
    'max (?:call depth|code size|initcode size)|contract address collision|tracer',
  ].join('|'),
  'i',
)

/** The SDK's texts for a query in which the module panicked, as one does for a second after a start of its node. */
const panics = /(?:^|: )panic$|panic caught|runtime error: |nil pointer dereference/

const rateLimits = /rate.?limit|too many (?:requests|calls)|quota (?:is )?exceeded/i
/** The status that proxies give as a code, and the code of JSON-RPC for what is above a limit. */
const limitCodes = new Set([429, -32_005])

/** Returns whether a text is that of a contract, which may say anything after it. */
export const isRevert = (text: string): boolean => reverted.test(text)

export const isPanic = (text: string): boolean => !isRevert(text) && panics.test(text)

/** What is said of a node whose answer is not what was requested at all. */
export const unreadableAnswer = 'its response cannot be read'

/**
 * Returns whether a node failed at one request in a way that says nothing of others: a client may find one in which the
 * module panics, and a chain may answer one in a form of its own.
 */
export const isAboutQuestion = (text: string): boolean => isPanic(text) || text === unreadableAnswer

/** Returns whether an error in the envelope of a response, which no module writes, says that there were too many calls. */
export const isLimit = ({ code, message }: { readonly code: number; readonly message: string }): boolean =>
  limitCodes.has(code) || rateLimits.test(message)

/** Returns whether a rejection says that the chain does not have what was requested. */
export const saysAbsent = (text: string): boolean =>
  /not found|does not exist|could not find|no such/i.test(text)

/** Returns whether the EVM, or its module, rejected what it executed or checked: any other node would say the same. */
export const isExecutionError = (text: string): boolean => executionErrors.test(text)

/** Returns the rejection in which all nodes agree that could answer; undefined if there is none, or another one did not answer. */
export const commonRefusal = (errors: readonly NativeQueryError[]): NativeQueryError | undefined => {
  const [first, ...others] = errors.filter(({ kind }) => kind === 'refused')
  if (first === undefined || errors.some(({ kind }) => kind === 'unavailable')) return undefined
  return others.every(({ message }) => message === first.message) ? first : undefined
}

/**
 * URLs, addresses with or without a port, and what Go says of connections. Names have the lengths that DNS allows: without bounds
 * 50,000 characters of "a.a.a." took seven seconds.
 */
const innerAddresses: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/gi,
  /(?<=\b(?:dial|read|write) (?:tcp|udp|unix)[46]? )[^\s,;]+/g,
  /(?<=\blookup )[^\s,;:]+/g,
  /\[[0-9a-f]*:[0-9a-f:.]*(?:%\w+)?\](?::\d{1,5})?/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /\b(?:localhost|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10})(?<!\.go):\d{2,5}\b/gi,
]

/** The most that is shown of a text without a contract's words. */
const mostShown = 16_384

/** Returns the text of a node without addresses of what is behind it, which clients are not to see. What a contract says stays. */
export const hideAddresses = (text: string): string =>
  isRevert(text)
    ? text
    : innerAddresses.reduce((shown, pattern) => shown.replace(pattern, '…'), beginningOf(text))

/** Returns what is shown of a text, to the end of a word: half an address would not be known as one. */
const beginningOf = (text: string): string =>
  text.length <= mostShown ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', mostShown)))
