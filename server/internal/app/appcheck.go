package app

import (
	rpcidentity "clave/server/internal/auth/api"
	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/appcheck/debugtoken"
	"clave/server/internal/cluster/leaderservice"
	"clave/server/internal/httpx/controlsocket"
)

// openAppCheck opens what the methods of App Check need, and serves the command on debug tokens. The command works
// without App Check too, so that debug tokens can be registered before.
func openAppCheck(a *App, s *state) rpcidentity.AppCheck {
	c := a.config
	if !c.Production() {
		return rpcidentity.AppCheck{}
	}
	tokens := debugtoken.New(s.Accounts, a.o.Clock)
	switch {
	case a.node != nil:
		a.node.Services[debugtoken.ServiceName] = leaderservice.Handler(debugtoken.MaxRequest, tokens.Serve)
	case !c.Memory:
		socket, err := controlsocket.Listen(c.DataDir, debugtoken.Socket, tokens.Serve)
		a.serve("appcheck", "clave appcheck works only while the server is stopped", socket, err)
	}
	if c.Auth.AppCheck == nil {
		return rpcidentity.AppCheck{}
	}
	service := appcheck.New(appcheck.Options{Accounts: s.Accounts, Tokens: s.Tokens, Clock: a.o.Clock, Limited: a.counts.Limited, Log: a.o.Log})
	a.components.Add("app check", service)
	out := rpcidentity.AppCheck{Service: service, Checker: s.Checks, Settings: s.CheckSettings, DebugTokens: tokens}
	if s.CheckKeys != nil {
		out.Keys = s.CheckKeys.Set
	}
	return out
}
