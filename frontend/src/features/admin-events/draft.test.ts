// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keepDraft, readDraft } from './draft'
import { blank } from './event-values'

beforeEach(() => sessionStorage.clear())

describe('a draft', () => {
  it('is read unchanged, and only by the same user', () => {
    const values = { ...blank, title: ' Recital ', description: 'Uno\ndos' }
    keepDraft('ana', values)
    expect(readDraft('ana')).toEqual(values)
    expect(readDraft('luis')).toEqual(blank)
  })

  it('leaves nothing behind when it is empty', () => {
    keepDraft('ana', { ...blank, price: '1' })
    keepDraft('ana', blank)
    expect(sessionStorage).toHaveLength(0)
  })

  it.each(['no es JSON', '7', '{"title":7}'])('is empty when the store holds %s', (stored) => {
    sessionStorage.setItem('evento-nuevo:ana', stored)
    expect(readDraft('ana')).toEqual(blank)
  })

  it('works without storage', () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('QuotaExceededError')
    })
    expect(() => keepDraft('ana', { ...blank, title: 'x' })).not.toThrow()
  })
})
