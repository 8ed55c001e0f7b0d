import { describe, expect, test } from 'vitest'
import { durationText } from './duration'

describe('a duration in words', () => {
  test.each([
    [0, 'en', ''],
    [1, 'en', '1 second'],
    [3600, 'en', '1 hour'],
    [3661, 'en', '1 hour 1 minute'],
    [30 * 86_400, 'es', '30 días'],
    [90_061, 'es', '1 día 1 hora'],
  ])('%d s in %s', (seconds, language, text) => expect(durationText(seconds, language)).toBe(text))
})
