import { placesOf } from '../../sources/places.ts'
import type { SourcePlace } from '../../sources/sourceMap.ts'
import { type PieceLoader, pieceOf, type Step, type Steps } from './steps.ts'

/** Pieces that are looked through for the next line, so that a long loop does not keep the node busy. */
const maxPieces = 40

const placeOf = async (hash: string, step: Step): Promise<SourcePlace | undefined> =>
  (await placesOf(hash, step).catch(() => undefined))?.at(step.pc)

/** Finds the next step that is of another line of the source, in whatever contract; undefined if there is none near. */
export const findNextLine = async (
  loader: PieceLoader,
  hash: string,
  piece: Steps,
  at: number,
): Promise<number | undefined> => {
  const current = piece.steps.find((one) => one.step === at)
  const place = current && (await placeOf(hash, current))
  let steps = piece.steps
  for (let count = 0; count < maxPieces; count++) {
    for (const step of steps) {
      if (step.step <= at) continue
      const other = await placeOf(hash, step)
      if (other !== undefined && (other.file.path !== place?.file.path || other.line !== place.line))
        return step.step
    }
    const next = (steps.at(-1)?.step ?? piece.total) + 1
    if (next >= piece.total) return undefined
    steps = (await loader.load(hash, pieceOf(next))).steps
  }
  return undefined
}
