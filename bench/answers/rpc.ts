import { shorten } from '../support/chain/build.ts'
import { compareBodies } from '../support/chain/compareAnswers.ts'
import { connect } from '../support/load/connection.ts'
import { encodeRequest } from '../support/load/rawLoad.ts'
import type { Difference, Part } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { createSide } from './chainSide.ts'
import { floors } from './floor.ts'
import { Requests } from './requestLoad.ts'
import { bodiesOf, requestRows } from './requests.ts'
import type { AnswersStage } from './stage.ts'

const comparedRequests = 3

/** A peer that does not answer in this time is not waited for. */
const compareTimeoutMs = 60_000

type Asked = readonly [port: number, bodies: readonly string[]]

/** Returns the first difference of the responses to requests of one row. */
const compareRow = async (
  [ourPort, ourBodies]: Asked,
  [theirPort, theirBodies]: Asked,
): Promise<{ readonly text: string; readonly isVoid: boolean } | undefined> => {
  // New connections for every row: servers close those on which nothing comes while others think.
  const [here, there] = [await connect(ourPort), await connect(theirPort)]
  const timer = setTimeout(() => there.close(new Error('no response in a minute')), compareTimeoutMs)
  try {
    for (const [index, body] of ourBodies.entries()) {
      const one = await here.exchange(encodeRequest(body))
      let other: string
      try {
        other = await there.exchange(encodeRequest(theirBodies[index] ?? body))
      } catch (error) {
        return { text: (error as Error).message, isVoid: true }
      }
      const { text, isVoid } = compareBodies(one, other)
      if (text !== '' || isVoid) return { text, isVoid }
    }
    return undefined
  } finally {
    clearTimeout(timer)
    here.close()
    there.close()
  }
}

/** Asks ours and each peer the same, about what both chains have. */
const compare: NonNullable<Part<AnswersStage>['compare']> = async (stages, rows) => {
  const ours = stages.get('perihelion')?.stage
  const differences: Difference[] = []
  for (const [side, { kind, stage }] of stages) {
    if (kind !== 'peer' || ours?.chain === undefined || stage.chain === undefined) continue
    for (const row of requestRows.filter(
      ({ name, without = [], isOwn = false }) =>
        !isOwn && rows.some((wanted) => wanted.name === name && !without.includes(side)),
    )) {
      const count = { ...row, count: comparedRequests }
      const bodies = bodiesOf(count, shorten(ours.chain, stage.chain.size))
      const found = await compareRow([ours.port, bodies], [stage.port, bodiesOf(count, stage.chain)])
      if (found !== undefined) differences.push({ row: row.name, side, ...found })
    }
  }
  return differences
}

/** Answers over HTTP at 1, 16 and 64 connections while a block is made every second. */
export const part = definePart<AnswersStage>({
  sides: (options) => [
    ...['perihelion', ...options.peers].map((name) => createSide(name, options)),
    ...floors,
  ],
  rows: ({ seconds }) => {
    const requests = new Requests(seconds)
    return requestRows.map((row) => requests.toRow(row))
  },
  compare,
})
