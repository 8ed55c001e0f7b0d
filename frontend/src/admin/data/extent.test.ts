import { describe, expect, it } from 'vitest'
import { eventsWanted, extentOf, pageOf, sizeOf } from './extent'
import { join, type Live, newestFirst } from './live'

const params = (text: string) => new URLSearchParams(text)

describe('how much of a list is watched', () => {
  it.each([
    ['', 50],
    ['pagina=1', 50],
    ['pagina=4', 125],
    ['pagina=2&filas=100', 300],
    ['filas=7', 50],
    ['pagina=x', 50],
    ['pagina=-3', 50],
    ['pagina=1e9', 5000],
    ['orden=-createdAt', 50],
    ['orden=createdAt', 'all'],
    ['orden=email', 'all'],
    ['estado=new', 'all'],
    ['q=ana', 'all'],
    ['q=ana&pagina=2', 'all'],
  ])('%s: %s', (text, extent) => {
    expect(extentOf(params(text))).toBe(extent)
  })
  it('an address contains a page and its size', () => {
    expect([pageOf(params('pagina=3')), sizeOf(params('filas=100'))]).toEqual([2, 100])
  })
  it('the query of events depends on the selection', () => {
    const now = new Date()
    expect(eventsWanted(params(''), now, false)).toEqual({ order: { field: 'eventDate', direction: 'asc' }, extent: 60 })
    expect(eventsWanted(params('estado=proximos&pagina=2'), now, false)).toMatchObject({ extent: 120, only: ['eventDate', '>=', now] })
    expect(eventsWanted(params('estado=anteriores'), now, true)).toMatchObject({
      order: { direction: 'desc' },
      only: ['eventDate', '<', now],
    })
    expect(eventsWanted(params('q=gala'), now, false).extent).toBe('all')
    expect(eventsWanted(params(''), now, true).only).toEqual(['eventDate', '>=', now])
    expect(eventsWanted(params('estado=todos'), now, true).only).toBeUndefined()
  })
})

describe('two lists as one', () => {
  type Row = { createdAt: Date }
  const list = (total: number, ...hours: number[]): Live<Row> => ({
    status: 'ready',
    rows: hours.map((hour) => ({ createdAt: new Date(2027, 0, 1, hour) })),
    offline: false,
    total,
    partial: false,
    whole: () => Promise.resolve([{ createdAt: new Date(2027, 0, 1, total) }]),
  })
  const hoursOf = (live: Live<Row>) => (live.status === 'ready' ? live.rows.map((row) => row.createdAt.getHours()) : [])

  it('whole lists are whole together', () => {
    expect(hoursOf(join(list(2, 9, 3), list(2, 7, 1), newestFirst))).toEqual([9, 7, 3, 1])
  })
  it('what comes after the end of a list that goes on is not the next', async () => {
    const both = join(list(5, 9, 6), list(2, 7, 1), newestFirst)
    expect(hoursOf(both)).toEqual([9, 7, 6])
    expect(both).toMatchObject({ total: 7 })
    expect(both.status === 'ready' && (await both.whole()).map((row) => row.createdAt.getHours())).toEqual([5, 2])
  })
  it('waits for both', () => {
    expect(join<Row>({ status: 'loading' }, list(1, 1), newestFirst)).toEqual({ status: 'loading' })
    expect(join<Row>({ status: 'loading' }, { status: 'error' }, newestFirst)).toEqual({ status: 'error' })
  })
})
