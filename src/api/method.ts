import { defineMethod } from '../rpc/method.ts'
import type { ApiContext } from './context.ts'

export const method = defineMethod<ApiContext>()
