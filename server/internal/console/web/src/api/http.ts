import * as v from 'valibot'

/** An error response, with Google's status name and the server's text. */
export class ApiError extends Error {
  readonly code: number
  readonly status: string
  constructor(code: number, status: string, message: string) {
    super(message)
    this.code = code
    this.status = status
  }
}

const ErrorBody = v.object({ error: v.object({ code: v.optional(v.number()), status: v.optional(v.string()), message: v.string() }) })

/** The page's handler for the end of its session, and the CSRF token. Both are set when the session is loaded. */
export const connection = { csrf: '', ended: () => {} }

/** The value of a JSON text; null if it is not JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function failure(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  const body = json(text)
  const first: unknown = Array.isArray(body) ? body[0] : body
  const parsed = v.safeParse(ErrorBody, first)
  if (response.status === 401) connection.ended()
  if (!parsed.success) {
    // A node that no longer leads responds with a sentence that names the leader.
    const plain = response.headers.get('Content-Type')?.startsWith('text/plain') ? text.trim().slice(0, 500) : ''
    return new ApiError(response.status, '', plain || response.statusText || `HTTP ${response.status}`)
  }
  return new ApiError(response.status, parsed.output.error.status ?? '', parsed.output.error.message)
}

/** How long the answer to an early request is kept for the code that needs it. */
const EARLY_MS = 5000

/** Answers to requests that were sent before the code that needs them was loaded, by path. */
const early = new Map<string, Promise<Response>>()

/** Sends a GET request early. The next request for the same path returns its answer. */
export function beginEarly(path: string): void {
  const answer = fetch(path)
  // The request that uses the answer reports its failure.
  answer.catch(() => {})
  early.set(path, answer)
  setTimeout(() => early.delete(path), EARLY_MS)
}

/** Removes and returns the answer to an early request. */
function takeEarly(path: string): Promise<Response> | undefined {
  const answer = early.get(path)
  early.delete(path)
  return answer
}

type Options = { method?: string; body?: unknown; signal?: AbortSignal; headers?: Record<string, string> }

async function request(path: string, { method, body, signal, headers = {} }: Options): Promise<Response> {
  const verb = method ?? (body === undefined ? 'GET' : 'POST')
  const all: Record<string, string> = { ...headers }
  if (body !== undefined) all['Content-Type'] = 'application/json'
  if (verb !== 'GET') {
    all['X-Clave-CSRF'] = connection.csrf
    all['Content-Type'] = 'application/json'
  }
  const begun = verb === 'GET' ? takeEarly(path) : undefined
  const response = await (begun ??
    fetch(path, {
      method: verb,
      headers: all,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    }))
  if (!response.ok) throw await failure(response)
  return response
}

/** Sends a request and parses its JSON answer. */
export async function call<T>(schema: v.GenericSchema<unknown, T>, path: string, options: Options = {}): Promise<T> {
  const response = await request(path, options)
  return v.parse(schema, await response.json())
}

/** Sends a request and ignores the body of the response. */
export async function send(path: string, options: Options): Promise<void> {
  await request(path, options)
}

/** The lines of a stream of text. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = parts.pop() ?? ''
      for (const part of parts) if (part.trim()) yield part
    }
    if (rest.trim()) yield rest
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Sends a request and yields the JSON objects of the response, one per line, as they arrive. */
export async function* stream<T>(schema: v.GenericSchema<unknown, T>, path: string, options: Options = {}): AsyncGenerator<T> {
  const response = await request(path, options)
  if (!response.body) return
  for await (const line of linesOf(response.body)) {
    const value: unknown = JSON.parse(line)
    const failed = v.safeParse(ErrorBody, value)
    if (failed.success) throw new ApiError(failed.output.error.code ?? 500, failed.output.error.status ?? '', failed.output.error.message)
    yield v.parse(schema, value)
  }
}

/** A path with query parameters. Undefined and empty values are omitted. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
