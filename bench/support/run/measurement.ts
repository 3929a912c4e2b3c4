import type { Difference, FigureName, Figures, SideKind } from './part.ts'

/** One cell of a report: a row on one side. */
export interface Measurement {
  readonly suite: string
  readonly part: string
  readonly row: string
  readonly side: string
  readonly kind: SideKind
  /** 0 for a row without a load of requests. */
  readonly connections: number
  readonly unit: string
  readonly by: FigureName
  readonly figures: Figures
  /** The share of the machine that others used meanwhile, 0 to 1. */
  readonly neighbours: number
  /** How often it was measured; the one with the fewest neighbours is kept. */
  readonly attempts: number
  readonly note?: string | undefined
  readonly isVoid?: boolean | undefined
}

/** What a part tells while it runs. */
export type PartEvent =
  | { readonly kind: 'measurement'; readonly measurement: Measurement }
  | { readonly kind: 'difference'; readonly difference: Difference & { readonly part: string } }
  | { readonly kind: 'version'; readonly side: string; readonly version: string }
  | { readonly kind: 'remark'; readonly text: string }

/** Above this share of the machine a row is measured again and, if it stays so, marked. */
export const busyShare = 0.1

export const isBusy = ({ neighbours }: Measurement): boolean => neighbours > busyShare

/** What tells one row from another: the same in every run. */
export const keyOf = ({ suite, part, row, connections }: Measurement): string =>
  [suite, part, row, ...(connections === 0 ? [] : [connections])].join(' / ')
