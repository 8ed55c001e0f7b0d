// Connects pages with web SDKs of Firebase to the frame for sign-ins of their server, instead of Google's
// https://apis.google.com/js/api.js: the parts of gapi.iframes that the SDKs use. A page loads it before it initializes
// Auth; the frame loads it in such a page.
;(() => {
  'use strict'

  // An end of the connection between a page and its frame. Messages are {clave, name, data, id} or {clave, reply, data}.
  // other is the window at the other end, and origin its origin, which the frame does not know before the first message.
  function connect(other, origin) {
    const handlers = new Map()
    const replies = new Map()
    let early = [] // messages without a handler, which the SDK registers when the connection is open
    let unsent = []
    let count = 0
    let opened
    const open = new Promise((resolve) => (opened = resolve))

    function post(message) {
      if (origin) other().postMessage({ clave: 'popups', ...message }, origin)
      else unsent.push(message)
    }

    async function handle({ name, data, id }) {
      let result
      try {
        result = await handlers.get(name)(data)
      } finally {
        post({ reply: id, data: result })
      }
    }

    addEventListener('message', (event) => {
      const message = event.data
      if (event.source !== other() || message?.clave !== 'popups' || (origin && event.origin !== origin)) return
      if (!origin) {
        origin = event.origin
        unsent.splice(0).forEach(post)
      }
      if (message.name === 'ready') post({ name: 'open' })
      if (message.name === 'ready' || message.name === 'open') opened()
      else if (message.reply) {
        replies.get(message.reply)?.([message.data])
        replies.delete(message.reply)
      } else if (handlers.has(message.name)) handle(message)
      else early.push(message)
    })

    return {
      register(name, handler) {
        handlers.set(name, handler)
        const now = early.filter((message) => message.name === name)
        early = early.filter((message) => message.name !== name)
        now.forEach(handle)
      },
      send(name, data, reply) {
        count += 1
        if (reply) replies.set(count, reply)
        post({ name, data, id: count })
      },
      restyle: () => Promise.resolve(),
      ping: (done) => open.then(() => done?.()),
    }
  }

  const context = {
    // Opens the frame of a page.
    open({ where, url, attributes }, done) {
      const address = new URL(url, location)
      address.searchParams.set('popups', 'own')
      const frame = document.createElement('iframe')
      const { style, ...others } = attributes || {}
      Object.assign(frame.style, style)
      for (const [name, value] of Object.entries(others)) frame.setAttribute(name, value)
      frame.src = address.href
      const connection = connect(() => frame.contentWindow, address.origin)
      where.append(frame)
      return done(connection)
    },
    // Connects a frame with its page. Which pages may contain the frame is in its policy.
    getParentIframe() {
      const connection = connect(() => parent)
      // The page's origin is not known yet; the message has nothing to hide.
      parent.postMessage({ clave: 'popups', name: 'ready' }, '*')
      return connection
    },
  }

  const gapi = (window.gapi = window.gapi || {})
  gapi.iframes = { Iframe: Object, CROSS_ORIGIN_IFRAMES_FILTER: () => true, getContext: () => context }
})()
