import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { enLocal } from '../lib/fechas'
import { ensambles } from './ensambles'
import { hechosPorConfirmar } from './por-confirmar'

it('lists the made-up facts with the file where each stands', () => {
  expect(hechosPorConfirmar.length).toBeGreaterThan(20)
  for (const { archivo, hecho } of hechosPorConfirmar) {
    expect(archivo).toMatch(/^[a-z]+\.ts$/)
    expect(hecho.trim()).not.toBe('')
  }
})

it('the demonstration’s calendar has the concerts of /ensambles on their dates', async () => {
  const file = join(import.meta.dirname, '../../../emulator-config/documents/MusicEvent.json')
  const demo: { documents: Record<string, { title: string; time: string; eventDate: { $timestamp: string } }> } = JSON.parse(
    await readFile(file, 'utf8'),
  )
  const events = Object.values(demo.documents)
  for (const { titulo, fecha } of ensambles.conciertos) {
    const local = enLocal(new Date(fecha))
    const event = events.find(({ title }) => title === titulo)
    expect(event?.eventDate.$timestamp, titulo).toBe(`${local?.fecha} ${local?.hora}`)
    expect(event?.time).toBe(local?.hora)
  }
})
