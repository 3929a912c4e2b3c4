import { createHash } from 'node:crypto'
import type { RpcClient, RpcResponse } from '../../support/rpc/rpcClient.ts'
import { callQuestions } from './callQuestions.ts'
import type { ChainFacts } from './chainFacts.ts'
import { lookupQuestions } from './lookupQuestions.ts'
import { otherQuestions } from './otherQuestions.ts'

/** A call that both programs are asked. */
export interface Question {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Names a question in the recording. */
export const keyOf = ({ method, params }: Question): string =>
  createHash('sha256')
    .update(JSON.stringify([method, params]))
    .digest('base64')
    .slice(0, 12)

/** All questions about a chain, each once. */
export const allQuestions = (facts: ChainFacts): readonly Question[] => {
  const byKey = new Map<string, Question>()
  for (const questions of [lookupQuestions, callQuestions, otherQuestions])
    for (const question of questions(facts)) byKey.set(keyOf(question), question)
  return [...byKey.values()]
}

/** How many are asked at a time. */
const width = 4

/** Asks them all, and hands over each answer. */
export const askAll = async (
  client: RpcClient,
  questions: readonly Question[],
  take: (question: Question, answer: RpcResponse) => void,
): Promise<void> => {
  let next = 0
  const askOn = async (): Promise<void> => {
    for (let question = questions[next++]; question !== undefined; question = questions[next++])
      take(question, await client.send(question.method, question.params))
  }
  await Promise.all(Array.from({ length: width }, askOn))
}
