import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { contact, musicEvent, olderVolunteer, person, rental, volunteer } from './rows'

describe('documents of any age are read', () => {
  it('an empty document has defaults', () => {
    expect(v.parse(contact, { id: 'a' })).toEqual({
      id: 'a',
      name: '',
      email: '',
      subject: '',
      message: '',
      createdAt: null,
      status: 'new',
      statusBy: '',
      statusAt: null,
    })
    expect(v.parse(rental, { id: 'a' }).source).toBe('Instrumentos')
    expect(v.parse(rental, { id: 'a', source: '' }).source).toBe('Instrumentos')
    expect(v.parse(person, { id: 'a' }).active).toBe(false)
  })
  it('values of other types count as absent', () => {
    const event = v.parse(musicEvent, { id: 'a', title: 7, price: '100', eventDate: '2027', extra: [1] })
    expect(event).toMatchObject({ title: '', price: null, eventDate: null })
    expect(v.parse(musicEvent, { id: 'a', price: Number.NaN }).price).toBeNull()
    expect(v.parse(contact, { id: 'a', status: 'perdido' }).status).toBe('new')
  })
  it('a volunteer’s motivation is either text', () => {
    expect(v.parse(volunteer, { id: 'a', message: 'uno' })).toMatchObject({ motivation: 'uno', fixed: false })
    expect(v.parse(olderVolunteer, { id: 'a', motivation: 'dos', message: 'x' })).toMatchObject({ motivation: 'dos', fixed: true })
    expect(v.parse(olderVolunteer, { id: 'a' }).motivation).toBe('')
    expect(v.parse(olderVolunteer, { id: 'a' }).id).not.toBe(v.parse(volunteer, { id: 'a' }).id)
  })
})
