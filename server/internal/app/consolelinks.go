package app

import (
	"clave/server/internal/console/links"
	"clave/server/internal/console/session"
	"clave/server/internal/httpx/controlsocket"
)

// offerLinks serves links for the table at the start and for `clave console`.
func (a *App) offerLinks(sessions *session.Sessions) {
	own := links.Of(sessions)
	a.addresses.ConsoleURL = func() string { return links.URL(sessions, a.consoleOrigin()) }
	if a.node != nil {
		a.node.Services[links.ServiceName] = own.Handler()
		return
	}
	if a.config.Memory {
		return
	}
	if listener := a.listenLinks(own); listener != nil {
		a.components.Add(links.ServiceName, listener)
	}
}

// listenLinks opens the socket for links. Without it there are none, which is logged, and it returns nil.
func (a *App) listenLinks(of links.Maker) *controlsocket.Listener {
	listener, err := of.Listen(a.config.DataDir, a.consoleOrigin)
	if err != nil {
		a.o.Log.Warn("clave console cannot create links", "error", err)
		return nil
	}
	a.components.OnClose(listener.Close)
	return listener
}
