import { beforeEach, expect, it, vi } from 'vitest'
import { loadChunk } from './load-chunk'

const requests = vi.fn<(href: string) => Promise<Response>>()

beforeEach(() => {
  requests.mockReset()
  vi.stubGlobal('fetch', requests)
  vi.stubGlobal('document', { querySelector: (selector: string) => (selector.includes('"/own.js"') ? {} : null) })
})

it('imports a chunk when all its files are loaded, and requests each file once', async () => {
  requests.mockImplementation(async () => new Response('code'))
  expect(await loadChunk(async () => 'one', ['own.js', 'a.js', 'b.js'])).toBe('one')
  expect(await loadChunk(async () => 'two', ['b.js', 'c.js'])).toBe('two')
  expect(requests.mock.calls).toEqual([['/a.js'], ['/b.js'], ['/c.js']])
})

it('does not import a chunk without its files, and requests them again at the next call', async () => {
  const load = vi.fn(async () => 'chunk')
  requests.mockRejectedValueOnce(new TypeError('Failed to fetch'))
  await expect(loadChunk(load, ['d.js'])).rejects.toThrow('Failed to fetch')
  requests.mockResolvedValueOnce(new Response('', { status: 503 }))
  await expect(loadChunk(load, ['d.js'])).rejects.toThrow('Failed to fetch /d.js: 503')
  expect(load).not.toHaveBeenCalled()
  requests.mockResolvedValueOnce(new Response('code'))
  expect(await loadChunk(load, ['d.js'])).toBe('chunk')
})
