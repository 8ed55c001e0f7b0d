import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { toLocal } from '../lib/dates'
import { ensambles } from './ensambles'
import { unconfirmedFacts } from './por-confirmar'

it('lists the invented facts with their files', () => {
  expect(unconfirmedFacts.length).toBeGreaterThan(20)
  for (const { file: name, fact } of unconfirmedFacts) {
    expect(name).toMatch(/^[a-z]+\.ts$/)
    expect(fact.trim()).not.toBe('')
  }
})

it('the demonstration’s calendar has the concerts of /ensambles on their dates', async () => {
  const file = join(import.meta.dirname, '../../../emulator-config/documents/MusicEvent.json')
  const demo: { documents: Record<string, { title: string; time: string; eventDate: { $timestamp: string } }> } = JSON.parse(
    await readFile(file, 'utf8'),
  )
  const events = Object.values(demo.documents)
  for (const { title: heading, date } of ensambles.concerts) {
    const local = toLocal(new Date(date))
    const event = events.find(({ title }) => title === heading)
    expect(event?.eventDate.$timestamp, heading).toBe(`${local?.date} ${local?.time}`)
    expect(event?.time).toBe(local?.time)
  }
})
