import { Ajv, type ValidateFunction } from 'ajv'
import { methods } from '../../src/api/methods.ts'
import { createOpenRpcDocument } from '../../src/rpc/openrpc.ts'

const document = createOpenRpcDocument(methods, '1.0.0')
const ajv = new Ajv({ strict: false }).addSchema({ $id: 'openrpc', components: document.components })
const compiled = new Map<string, ValidateFunction>()

/** Checks a result against the OpenRPC document; returns the error if it does not match. */
export const findSchemaViolation = (method: string, result: unknown): string | undefined => {
  let validate = compiled.get(method)
  if (validate === undefined) {
    const schema = document.methods.find(({ name }) => name === method)?.result.schema
    if (schema === undefined) return `no method ${method}`
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openrpc#/components/')
    validate = ajv.compile(JSON.parse(text) as object)
    compiled.set(method, validate)
  }
  return validate(result) ? undefined : `${method}: ${JSON.stringify(validate.errors)}`
}
