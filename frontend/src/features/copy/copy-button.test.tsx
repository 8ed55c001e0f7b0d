// @vitest-environment jsdom
import '@testing-library/jest-dom/vitest'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CopyButton } from './copy-button'

const writeText = vi.fn<(text: string) => Promise<void>>()

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', { clipboard: { writeText } })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  writeText.mockReset()
})
const press = () => act(async () => fireEvent.click(screen.getByRole('button')))
const wind = (ms: number) => act(async () => vi.advanceTimersByTime(ms))

test('it copies the value and says so for a second and a half', async () => {
  writeText.mockResolvedValue()
  render(<CopyButton name="banco" value="Banco de ejemplo" />)
  expect(screen.getByRole('button', { name: 'Copiar banco' })).toBeDefined()
  await press()
  expect(writeText).toHaveBeenCalledWith('Banco de ejemplo')
  await wind(1300)
  expect(screen.getByText('Copiado')).toBeDefined()
  await wind(300)
  expect(screen.getByText('Copiar')).toBeDefined()
})

test('a second press starts the time again', async () => {
  writeText.mockResolvedValue()
  render(<CopyButton name="RNC" value="000" />)
  await press()
  await wind(1000)
  await press()
  await wind(1000)
  expect(screen.getByText('Copiado')).toBeDefined()
})

test('a clipboard that refuses changes nothing', async () => {
  writeText.mockRejectedValue(new Error('denied'))
  render(<CopyButton name="RNC" value="000" />)
  await press()
  expect(screen.getByText('Copiar')).toBeDefined()
})
