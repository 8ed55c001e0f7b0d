// @vitest-environment jsdom
import { beforeEach, expect, it } from 'vitest'
import type { PublicEvent } from '../lib/event'
import { recall, remember } from './seen-events'
import { sampleEvent } from './sample-event'

const event = (id: string, moment: string) => sampleEvent({ id, moment: new Date(moment), date: '05 SEP 2027', time: '19:30' })
const all = () => true
const inYear = (year: number) => (e: PublicEvent) => e.moment?.getUTCFullYear() === year
const [early, late, other] = [event('a', '2027-09-05'), event('b', '2027-10-05'), event('c', '2028-01-01')]

beforeEach(() => localStorage.clear())

it('stored events are read completely, in the order of time', () => {
  remember([late, early], inYear(2027))
  remember([other], inYear(2028))
  expect(recall(all)).toEqual([early, late, other])
  expect(recall(inYear(2028))).toEqual([other])
})
it('events missing in an answer are removed, but only those that it covers', () => {
  remember([early, late, other], all)
  remember([late], inYear(2027))
  expect(recall(all)).toEqual([late, other])
})
it('is bounded, and the oldest goes first', () => {
  for (let i = 0; i < 150; i++) remember([event(String(i), '2027-01-01')], (e) => e.id === String(i))
  expect(recall(all)).toHaveLength(100)
  expect(recall((e) => e.id === '149')).toHaveLength(1)
  expect(recall((e) => e.id === '49')).toEqual([])
})
it.each(['{', '7', '[{"id":1}]', '[{"id":"a","moment":"never"}]'])('what it did not write is nothing: %s', (text) => {
  localStorage.setItem('eventos-vistos', text)
  expect(recall(all)).toEqual([])
})
