// Replaces https://apis.google.com/js/api.js: the parts that the web SDK and its frame use, over postMessage.
;(() => {
  const link = (other) => {
    const handlers = {}
    const replies = {}
    let count = 0
    let opened
    const open = new Promise((resolve) => (opened = resolve))
    let early = [] // messages received before a handler was registered
    const handle = async (data) => other().postMessage({ gapi: true, reply: data.id, result: await handlers[data.name](data.data) }, '*')
    addEventListener('message', ({ source, data }) => {
      if (source !== other() || !data || !data.gapi) return
      opened()
      if (data.reply) replies[data.reply]?.([data.result])
      else if (handlers[data.name]) handle(data)
      else early.push(data)
    })
    return {
      register: (name, handler) => {
        handlers[name] = handler
        const now = early.filter((data) => data.name === name)
        early = early.filter((data) => data.name !== name)
        now.forEach(handle)
      },
      send: (name, data, reply) => {
        count += 1
        replies[count] = reply
        other().postMessage({ gapi: true, id: count, name, data }, '*')
      },
      restyle: () => Promise.resolve(),
      ping: (done) => open.then(() => done()),
    }
  }
  const context = {
    open: ({ where, url }, done) => {
      const frame = document.createElement('iframe')
      frame.src = url
      frame.style.display = 'none'
      const frameLink = link(() => frame.contentWindow)
      where.append(frame)
      return done(frameLink)
    },
    getParentIframe: () => link(() => parent),
  }
  window.gapi = {
    load: (_name, { callback }) => callback(),
    iframes: { Iframe: Object, CROSS_ORIGIN_IFRAMES_FILTER: 1, getContext: () => context },
  }
  const name = new URL(document.currentScript.src).searchParams.get('onload')
  window[name]()
})()
