// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from 'vitest'
import { draftOf, dropDraft, isWritten, keepDraft } from './issue-draft'

beforeEach(() => sessionStorage.clear())

test('a draft is kept for its user until it is dropped', () => {
  expect(draftOf('ana')).toBeNull()
  keepDraft('ana', { subject: 'Noticias', text: '' })
  expect(draftOf('ana')).toEqual({ subject: 'Noticias', text: '' })
  expect(draftOf('eva')).toBeNull()
  dropDraft('ana')
  expect(draftOf('ana')).toBeNull()
})

test('spaces are no draft', () => {
  expect(isWritten({ subject: ' ', text: '\n' })).toBe(false)
  keepDraft('ana', { subject: 'Noticias', text: '' })
  keepDraft('ana', { subject: ' ', text: '\n' })
  expect(draftOf('ana')).toBeNull()
})

test('foreign data and a browser without storage are no draft', () => {
  sessionStorage.setItem('boletin-borrador-ana', '{"subject":1}')
  expect(draftOf('ana')).toBeNull()
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  expect(() => keepDraft('ana', { subject: 'a', text: 'b' })).not.toThrow()
})
