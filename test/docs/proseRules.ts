/** A phrase that readers stumble over, and what to write instead. */
export interface ProseRule {
  /** A space stands for any space, line breaks too; upper and lower case are the same. */
  readonly pattern: RegExp
  readonly instead: string
  /** Texts in which the pattern is found. */
  readonly found: readonly string[]
  /** Texts that look like it and are plain English. */
  readonly fine?: readonly string[]
}

const counts = 'each|one|some|all|most|none|only|both|half|two|three|many|few|any|at least|at most|\\d+'

/** Phrases that readers stumbled over. */
const riddles: readonly ProseRule[] = [
  {
    pattern: /\bwhat is no(?:ne)?\b/,
    instead: 'name it: "an invalid block", "anything but a block"',
    found: ['answers with what is no block', 'throws for what is none'],
    fine: ['what is not a block'],
  },
  {
    pattern: /(?<!\bthere )\b(?:is|are) none\b(?! of)/,
    instead: '"is missing", "is invalid" or "is not a …"',
    found: ['its hash is none', 'bytes that are none'],
    fine: ['undefined if there is none', 'it is none of these'],
  },
  {
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|(?:larg|saf|old|new|low|high|bett|small|great|furth|oth)er\b|such\b|room\b|need\b|way\b|one\b|space\b|reason\b|difference\b|doubt\b|place\b|matter\b|excuse\b)/,
    instead: '"is not a …", "an invalid …"',
    found: ['its balance is no number', 'bytes that are no transaction'],
    fine: ['there is no block', 'it is no longer there', 'it is no larger than that'],
  },
  {
    pattern: /\btells of\b/,
    instead: '"reports"',
    found: ['the feed tells of new blocks'],
    fine: ['it tells how many there are'],
  },
  {
    pattern: /\bone that is behind\b/,
    instead: 'name it: "a node that lags", "a write-behind block"',
    found: ['one that is behind gets no requests'],
  },
  {
    pattern: new RegExp(
      `(?<!\\b(?:${counts}|first|second|last|part|parts|share|end|ends|middle|much) )\\bof which\\b(?! (?:${counts}|the (?:first|second|last|newest|oldest))\\b)`,
    ),
    instead: 'a sentence of its own, or "whose"',
    found: ['a clock of which a look costs nothing', 'a node, of which nothing is known'],
    fine: ['ten blocks, two of which are empty', 'ten blocks, of which two are empty'],
  },
  {
    pattern: /\bfor ever\b/,
    instead: '"forever", "never changes" or "hangs"',
    found: ['it waits for ever'],
    fine: ['for everybody'],
  },
  { pattern: /\bthan ever\b/, instead: '"than before"', found: ['more than ever'] },
  {
    pattern: /\botherwise than\b/,
    instead: '"unlike", "differs from" or "contradicts"',
    found: ['reads it otherwise than geth'],
  },
  {
    pattern: /\bis nobody['’]s\b/,
    instead: 'say what it is: "invalid", "has no owner"',
    found: ['the key is nobody’s', "it is nobody's file"],
  },
  {
    pattern: /\bmakes? no [a-z]+ of\b/,
    instead: 'say what it does: "is not proof of misbehaviour"',
    found: ['it makes no liar of anybody'],
  },
  {
    pattern: /\ba look at\b/,
    instead: '"a check", "a scan" or "the read of"',
    found: ['it costs a look at a flag'],
    fine: ['looks at a flag'],
  },
  {
    pattern: /\bgo(?:es)? (?:its|their) way\b/,
    instead: 'say what happens to it: "is sent", "is executed"',
    found: ['the transaction goes its way'],
  },
  {
    pattern: /\b(?:stands?|stood|standing) still\b/,
    instead: '"stops", "is idle", "is stuck", "makes no progress" or "freezes"',
    found: ['the chain stands still', 'a page that stood still'],
  },
  {
    pattern: /\bmend(?:s|ed|ing)?\b/,
    instead: '"fix"',
    found: ['an operator mends it'],
    fine: ['amended', 'the commended one'],
  },
  {
    pattern: /\bwhat [^.;:,]{1,60}, that\b/,
    instead: 'two sentences, the subject first',
    found: ['what the pool holds, that a restart keeps'],
    fine: ['what the pool holds: that is kept'],
  },
]

/** Words that the glossary or the style has another one for. */
const glossary: readonly ProseRule[] = [
  {
    pattern: /(?<!\bconnections? |-)\brefus(?:e|es|ed|ing|al|als)\b(?!:| \|)(?! (?:to|connections?)\b)/,
    instead: '"reject" (glossary)',
    found: ['the pool refuses it', 'a refusal'],
    fine: ['it refuses to start', 'connect: connection refused', 'refused: an error kind and its message'],
  },
  {
    pattern: /\b(?:an|the|each|every|no|its|this) answers?\b/,
    instead: '"response" of a server (glossary), "result" of a method',
    found: ['the answer of the node'],
    fine: ['it answers at once', 'nodes that answer'],
  },
  {
    pattern: /(?<!\b(?:ten|design|a different) )\bquestions?\b/,
    instead: '"request", "query" or "call" (glossary)',
    found: ['a question to a node'],
  },
  {
    pattern: /\banew\b/,
    instead: '"again" or "over"',
    found: ['it begins anew'],
  },
  {
    pattern: /\b(?:take|takes|took|taken|taking) back\b/,
    instead: '"revert" (glossary)',
    found: ['blocks are taken back'],
  },
  {
    pattern: /\bown (?:chain|node|store|transaction|block|pool|account|mempool)s?\b/,
    instead: '"local", "Perihelion chain", "of the block" (glossary)',
    found: ['our own chain', 'its own store'],
    fine: ['own properties'],
  },
  {
    pattern: /(?<!\bat )\bfaults?\b(?![:(])/,
    instead: '"error" or "problem" (glossary)',
    found: ['a fault of the node'],
    fine: ['by default', 'the node is at fault', 'fault: function (log) {}'],
  },
  {
    pattern: /(?<!\b(?:may|would|will|could|not|nothing|nobody|might) )\bha(?:s|ve) to (?!do\b)/,
    instead: '"must"',
    found: ['the block has to be signed'],
    fine: ['it may have to wait', 'nothing has to be parsed'],
  },
  {
    pattern:
      /\basked for(?=[.,:;)]|['"`]| (?:again|as|at|by|here|there|then|where|when|while|once|only|since|through|over|with|first|because|if|in|until|and|or|now|yet|twice|is|are)\b)/,
    instead: '"requested"',
    found: ['a block that was asked for.', 'it is asked for again'],
    fine: ['the node is asked for a block'],
  },
  {
    pattern: /(?<=[.:;?!]\s*|^\s*)one that\b/,
    instead: 'the name of the thing, where a clause begins',
    found: ['Files are kept. One that fails is tried again.'],
    fine: ['it waits for one that connects'],
  },
  {
    pattern: /\b(?:is|are|was|were) told\b(?! (?:to|apart|what|how|why|whom)\b)/,
    instead: '"is reported", "is notified" or "is logged"',
    found: ['the problem is told'],
    fine: ['the operator is told what to do', 'told apart from it'],
  },
]

export const proseRules: readonly ProseRule[] = [...riddles, ...glossary]
