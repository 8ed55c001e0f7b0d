import * as v from 'valibot'
import type { Scope } from '../lib/scope'
import { call, withQuery } from './http'

const Denials = v.object({
  denials: v.array(
    v.object({ time: v.string(), method: v.string(), path: v.string(), lines: v.array(v.number()), uid: v.nullable(v.string()) }),
  ),
})

/** A denial of a request, without ids and values. */
export type Denial = v.InferOutput<typeof Denials>['denials'][number]

/** The latest denials of a database, newest first, without the ids and the values of documents. */
export const loadDenials = (scope: Scope, signal?: AbortSignal) => call(Denials, withQuery('/api/denials', scope), { signal })
