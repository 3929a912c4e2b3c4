const count = (number: number): string => number.toLocaleString('en-US')

const signers = (validators: number, power: bigint): string =>
  `${count(validators)} ${validators === 1 ? 'validator' : 'validators'} (power ${power.toLocaleString('en-US')})`

/** The texts of the switch with which the page believes nothing. */
export const proofTexts = {
  title: 'Believe nothing',
  about:
    'The page proves what it shows by the signatures of the chain’s validators. It needs one block that you know, from a node of yours or from several independent ones.',
  trusted: 'Trusted block, as HEIGHT:HASH',
  howToTrust: 'Height and hash of perihelion_lightBlock ["latest"] at a node that you trust.',
  trustWanted: 'A height, a colon and a hash of 64 hex digits are needed: 120000:5A3C…',
  endpoints: 'Endpoints, one a line',
  endpointsNote: 'Empty: the server of this page. The next one is asked if one lies or is down.',
  start: 'Prove everything',
  stop: 'Believe the endpoint',
  isOn: 'The page believes nothing. Change',
  isOff: 'The page believes its endpoint. Change',
  starting: 'Proving the newest block…',
  nothing: 'Nothing can be proven now',
  lied: 'An endpoint lied and is no longer used:',
  unproven: 'unproven',
  unprovenHelp: (host: string): string => `Nothing proves this: it is the word of ${host}.`,
  provenHelp:
    'More than two thirds of the power of these validators signed the state that this follows from.',
  signedBy: (number: number, validators: number, power: bigint): string =>
    `block ${count(number)}, ${signers(validators, power)}`,
  bar: (number: number, validators: number, power: bigint): string =>
    `✓ Proven up to block ${count(number)}, signed by more than two thirds of ${signers(validators, power)}. What is not proven is marked.`,
} as const
