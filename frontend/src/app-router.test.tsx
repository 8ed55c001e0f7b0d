// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { useEffect } from 'react'
import { type NavigateOptions, useLocation, useNavigate, useNavigationType } from 'react-router-dom'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppRouter } from './app-router'

// The history is not part of React Router's promised interface: a version that breaks it must fail here, not at a visitor.

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }))
  window.history.replaceState(null, '', '/historia?a=1#b')
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const taken = vi.fn<(go: ReturnType<typeof useNavigate>) => void>()
const go = (to: string, options: NavigateOptions) => act(async () => taken.mock.lastCall?.[0](to, options))

function Here() {
  const navigate = useNavigate()
  useEffect(() => taken(navigate), [navigate])
  const { pathname, search, hash, state } = useLocation()
  return <p>{JSON.stringify([useNavigationType(), pathname + search + hash, state])}</p>
}

const shown = (kind: string, address: string, state: unknown) => screen.findByText(JSON.stringify([kind, address, state]))

test('moves, their kinds and the state of an entry are reported', async () => {
  render(
    <AppRouter>
      <Here />
    </AppRouter>,
  )
  await shown('POP', '/historia?a=1#b', null)
  await go('/equipo', { state: { from: 'historia' } })
  await shown('PUSH', '/equipo', { from: 'historia' })
  expect(location.pathname).toBe('/equipo')
  await go('?vista=semana', { replace: true })
  await shown('REPLACE', '/equipo?vista=semana', null)
  await act(async () => taken.mock.lastCall?.[0](-1))
  await shown('POP', '/historia?a=1#b', null)
  await act(async () => taken.mock.lastCall?.[0](1))
  await shown('POP', '/equipo?vista=semana', null)
})
