import { expect, it } from 'vitest'
import { aboutOf } from './event-query'
import { sampleEvent } from './sample-event'

const event = (id: string, day: string) => sampleEvent({ id, moment: new Date(day) })
const [a, b, c] = [event('a', '2027-09-05'), event('b', '2027-09-10'), event('c', '2027-10-01')]
const from = new Date('2027-09-05')

it('an answer to one name is about that event alone', () => {
  expect([a, b].filter(aboutOf({ id: 'b' }, []))).toEqual([b])
})

it('a span holds its beginning and not its end', () => {
  expect([a, b, c].filter(aboutOf({ from, until: new Date('2027-10-01') }, []))).toEqual([a, b])
  expect([a, b, c].filter(aboutOf({ from: new Date('2027-09-06') }, []))).toEqual([b, c])
})

it('a full answer does not cover events after its last one', () => {
  expect([a, b, c].filter(aboutOf({ from, limit: 2 }, [a, b]))).toEqual([a])
  expect([a, b, c].filter(aboutOf({ from, limit: 3 }, [a, b]))).toEqual([a, b, c])
})
