/** A phrase that readers stumble over, and what to write instead. */
export interface ProseRule {
  /** A space stands for any space, line breaks too; upper and lower case are the same. */
  readonly pattern: RegExp
  readonly instead: string
  /** How many places may have it. It only ever gets lower. */
  readonly allowed: number
  /** Texts in which the pattern is found. */
  readonly found: readonly string[]
  /** Texts that look like it and are plain English. */
  readonly fine?: readonly string[]
}

const counts = 'each|one|some|all|most|none|only|both|half|two|three|many|few|any|at least|at most|\\d+'

/** Phrases that no text has any more. */
const never: readonly ProseRule[] = [
  {
    pattern: /\bwhat is no(?:ne)?\b/,
    instead: 'name it: "an invalid block", "anything but a block"',
    allowed: 0,
    found: ['answers with what is no block', 'throws for what is none'],
    fine: ['what is not a block'],
  },
  {
    pattern: /(?<!\bthere )\b(?:is|are) none\b(?! of)/,
    instead: '"is missing", "is invalid" or "is not a …"',
    allowed: 0,
    found: ['its hash is none', 'bytes that are none'],
    fine: ['undefined if there is none', 'it is none of these'],
  },
  {
    pattern: /\btells of\b/,
    instead: '"reports"',
    allowed: 0,
    found: ['the feed tells of new blocks'],
    fine: ['it tells how many there are'],
  },
  {
    pattern: /\bone that is behind\b/,
    instead: 'name it: "a node that lags", "a write-behind block"',
    allowed: 0,
    found: ['one that is behind gets no requests'],
  },
  {
    pattern: new RegExp(
      `(?<!\\b(?:${counts}|first|second|last|part|parts|share|end|ends|middle|much) )\\bof which\\b(?! (?:${counts}|the (?:first|second|last|newest|oldest))\\b)`,
    ),
    instead: 'a sentence of its own, or "whose"',
    allowed: 0,
    found: ['a clock of which a look costs nothing', 'a node, of which nothing is known'],
    fine: ['ten blocks, two of which are empty', 'ten blocks, of which two are empty'],
  },
  {
    pattern: /\bfor ever\b/,
    instead: '"forever", "never changes" or "hangs"',
    allowed: 0,
    found: ['it waits for ever'],
    fine: ['for everybody'],
  },
  { pattern: /\bthan ever\b/, instead: '"than before"', allowed: 0, found: ['more than ever'] },
  {
    pattern: /\botherwise than\b/,
    instead: '"unlike", "differs from" or "contradicts"',
    allowed: 0,
    found: ['reads it otherwise than geth'],
  },
  {
    pattern: /\bis nobody['’]s\b/,
    instead: 'say what it is: "invalid", "has no owner"',
    allowed: 0,
    found: ['the key is nobody’s', "it is nobody's file"],
  },
  {
    pattern: /\bmakes? no [a-z]+ of\b/,
    instead: 'say what it does: "is not proof of misbehaviour"',
    allowed: 0,
    found: ['it makes no liar of anybody'],
  },
  {
    pattern: /\ba look at\b/,
    instead: '"a check", "a scan" or "the read of"',
    allowed: 0,
    found: ['it costs a look at a flag'],
    fine: ['looks at a flag'],
  },
  {
    pattern: /\bgo(?:es)? (?:its|their) way\b/,
    instead: 'say what happens to it: "is sent", "is executed"',
    allowed: 0,
    found: ['the transaction goes its way'],
  },
  {
    pattern: /\b(?:stands?|stood|standing) still\b/,
    instead: '"stops", "is idle", "is stuck", "makes no progress" or "freezes"',
    allowed: 0,
    found: ['the chain stands still', 'a page that stood still'],
  },
  {
    pattern: /\bmend(?:s|ed|ing)?\b/,
    instead: '"fix"',
    allowed: 0,
    found: ['an operator mends it'],
    fine: ['amended', 'the commended one'],
  },
  {
    pattern: /\bwhat [^.;:,]{1,60}, that\b/,
    instead: 'two sentences, the subject first',
    allowed: 0,
    found: ['what the pool holds, that a restart keeps'],
    fine: ['what the pool holds: that is kept'],
  },
]

/** Words that the glossary or the style has another one for. Counts are rounded up, so that branches can be merged. */
const fewer: readonly ProseRule[] = [
  {
    pattern: /(?<!\bconnections? )\brefus(?:e|es|ed|ing|al|als)\b(?! (?:to|connections?)\b)/,
    instead: '"reject" (glossary)',
    allowed: 125,
    found: ['the pool refuses it', 'a refusal'],
    fine: ['it refuses to start', 'connect: connection refused'],
  },
  {
    pattern: /\b(?:an|the|each|every|no|its|this) answers?\b|\bthat answer\b/,
    instead: '"response" of a server (glossary), "result" of a method',
    allowed: 92,
    found: ['the answer of the node'],
    fine: ['it answers at once', 'a node that answers'],
  },
  {
    pattern: /\bquestions?\b/,
    instead: '"request", "query" or "call" (glossary)',
    allowed: 110,
    found: ['a question to a node'],
  },
  {
    pattern: /\banew\b/,
    instead: '"again" or "over"',
    allowed: 35,
    found: ['it begins anew'],
  },
  {
    pattern: /\b(?:take|takes|took|taken|taking) back\b/,
    instead: '"revert" (glossary)',
    allowed: 30,
    found: ['blocks are taken back'],
  },
  {
    pattern: /\bown (?:chain|node|store|transaction|block|pool|account|mempool)s?\b/,
    instead: '"local", "Perihelion chain", "of the block" (glossary)',
    allowed: 38,
    found: ['our own chain', 'its own store'],
    fine: ['own properties'],
  },
  {
    pattern: /\bfaults?\b/,
    instead: '"error" or "problem" (glossary)',
    allowed: 40,
    found: ['a fault of the node'],
    fine: ['by default'],
  },
  {
    pattern: /\bha(?:s|ve) to\b/,
    instead: '"must"',
    allowed: 95,
    found: ['it has to be signed'],
  },
  {
    pattern: /\basked for\b/,
    instead: '"requested"',
    allowed: 215,
    found: ['a block that was asked for'],
  },
  {
    pattern: /(?<!\bthe )\bone that\b/,
    instead: 'the name of the thing',
    allowed: 365,
    found: ['one that fails is tried again'],
    fine: ['the one that connected first'],
  },
  {
    pattern: /\b(?:is|are|was|were) told\b/,
    instead: '"is reported", "is notified" or "is logged"',
    allowed: 175,
    found: ['the client is told'],
  },
]

export const proseRules: readonly ProseRule[] = [...never, ...fewer]
