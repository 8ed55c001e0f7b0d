import * as v from 'valibot'
import { call, send } from './http'

/** The modes of a product: tokens are ignored, counted, or required. */
export const MODES = ['OFF', 'UNENFORCED', 'ENFORCED'] as const
export type Mode = (typeof MODES)[number]

const Product = v.object({
  service: v.string(),
  mode: v.picklist(MODES),
  counts: v.object({ valid: v.number(), invalid: v.number(), missing: v.number() }),
})
export type Product = v.InferOutput<typeof Product>

const DebugToken = v.object({ app: v.string(), id: v.string(), name: v.optional(v.string(), ''), created: v.string() })
export type DebugToken = v.InferOutput<typeof DebugToken>

/** A node since whose start its requests are counted, or the error of one that did not answer. */
const CheckedNode = v.object({ name: v.string(), since: v.optional(v.string(), ''), error: v.optional(v.string(), '') })
export type CheckedNode = v.InferOutput<typeof CheckedNode>

const AppCheck = v.object({ since: v.string(), nodes: v.array(CheckedNode), products: v.array(Product), tokens: v.array(DebugToken) })

/** The modes of the products, the requests to all nodes by their tokens, and the debug tokens without their secrets. */
export const loadAppCheck = (signal?: AbortSignal) => call(AppCheck, '/api/appcheck', { signal })

export const setMode = (service: string, mode: Mode) => send('/api/appcheck/mode', { method: 'PUT', body: { service, mode } })

/** Makes a debug token of an app, and returns its only copy. */
export async function addDebugToken(app: string, name: string): Promise<string> {
  return (await call(v.object({ token: v.string() }), '/api/appcheck/tokens', { body: { app, name } })).token
}

export const removeDebugToken = (app: string, id: string) => send('/api/appcheck/tokens/remove', { body: { app, id } })
