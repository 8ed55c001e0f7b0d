import { createElement } from 'react'
import { renderToReadableStream } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import { renewable, renewFailed } from './renewable'

async function render(view: ReturnType<typeof renewable>): Promise<string> {
  return new Response(await renderToReadableStream(createElement(view), { onError: () => undefined })).text()
}

it('loads the code of a component again only after a failure, and once the failure was shown', async () => {
  const load = vi.fn(async () => ({ default: () => createElement('p', null, 'page') }))
  load.mockRejectedValueOnce(new TypeError('Failed to fetch'))
  const View = renewable(load)
  await expect(render(View)).rejects.toThrow('Failed to fetch')
  await expect(render(View)).rejects.toThrow('Failed to fetch')
  expect(load).toHaveBeenCalledTimes(1)
  renewFailed()
  expect(await render(View)).toBe('<p>page</p>')
  renewFailed()
  expect(await render(View)).toBe('<p>page</p>')
  expect(load).toHaveBeenCalledTimes(2)
})
